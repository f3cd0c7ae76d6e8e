import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { VERSION } from '@model-gateway/core';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

interface Job {
  readonly needs?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const { jobs, permissions } = parse(readFileSync(`${root}.github/workflows/release.yml`, 'utf8')) as {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: { readonly build: Job; readonly publish: Job };
};
const manifests = globSync('packages/*/package.json', { cwd: root }).map(
  (file) => JSON.parse(readFileSync(root + file, 'utf8')) as Manifest,
);

/** The path that the release has to give for a package, so that npm does not take it for a repository of GitHub. */
const toPath = (name: string): string => `./packed/${name.replace('@', '').replace('/', '-')}-${VERSION}.tgz`;

test('only the job that runs no code of the repository may ask npm for a token', () => {
  expect([permissions, jobs.build.permissions]).toEqual([{ contents: 'read' }, { contents: 'read' }]);
  expect(jobs.publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  expect(jobs.publish.needs).toBe('build');
  const used = jobs.publish.steps.flatMap(({ uses }) => uses?.replace(/@.*/, '') ?? []);
  expect(used).toEqual(['actions/setup-node', 'actions/download-artifact']);
  expect(jobs.publish.steps.flatMap(({ run }) => run ?? []).join('\n')).not.toMatch(/npm (ci|install|run|test)|node /);
});

test('the release publishes every package, each after those that it needs', () => {
  const { status, published } = publish({ published: [] });
  expect(status).toBe(0);
  expect(published.toSorted()).toEqual(manifests.map(({ name }) => toPath(name)).toSorted());
  for (const { name, dependencies, peerDependencies } of manifests) {
    const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter((each) =>
      manifests.some((other) => other.name === each),
    );
    const before = published.slice(0, published.indexOf(toPath(name)));
    expect(before, name).toEqual(expect.arrayContaining(needed.map(toPath)));
  }
}, 30_000);

test('a release that is repeated publishes what is missing', () => {
  const all = manifests.map(({ name }) => name);
  const missing = ['@model-gateway/express', 'model-gateway'];
  const published = all.filter((name) => !missing.includes(name)).map((name) => `${name}@${VERSION}`);
  expect(publish({ published })).toEqual({ status: 0, published: missing.map(toPath) });
}, 30_000);

test('a release ends at the first package that the registry refuses', () => {
  expect(publish({ published: [], refused: '@model-gateway/clients' })).toEqual({
    status: 1,
    published: [toPath('@model-gateway/core')],
  });
}, 30_000);

/** Runs the step that publishes, with a registry that has `published` and refuses one package. */
function publish({ published, refused }: { readonly published: readonly string[]; readonly refused?: string }): {
  readonly status: number | null;
  readonly published: readonly string[];
} {
  const dir = mkdtempSync(join(tmpdir(), 'release-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'published'), published.map((each) => `${each}\n`).join(''));
  writeFileSync(
    join(dir, 'npm'),
    `#!/bin/bash
if [ $1 = view ]; then grep -qx "$2" ${dir}/published && echo ${VERSION}; exit; fi
[ "\${@: -1}" = "${refused === undefined ? '' : toPath(refused)}" ] && exit 1
echo "\${@: -1}" >> ${dir}/paths
`,
  );
  chmodSync(join(dir, 'npm'), 0o755);
  const script = jobs.publish.steps.flatMap(({ run }) => run ?? []).join('\n');
  const env = { PATH: `${dir}:${process.env['PATH']}`, GITHUB_REF_NAME: `v${VERSION}` };
  const { status } = spawnSync('bash', ['-e', '-c', script], { env, cwd: dir, encoding: 'utf8' });
  const paths = join(dir, 'paths');
  return { status, published: existsSync(paths) ? readFileSync(paths, 'utf8').trim().split('\n') : [] };
}
