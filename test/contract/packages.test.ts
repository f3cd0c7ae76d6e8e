import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { VERSION } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');

interface Manifest {
  readonly name: string;
  readonly [field: string]: unknown;
}

const folders = globSync('packages/*/package.json', { cwd: root }).map((file) => file.replace('/package.json', ''));

test('the version in the code is that of every package', () => {
  const versions = folders.map((folder) => (JSON.parse(read(`${folder}/package.json`)) as Manifest)['version']);
  // Otherwise: node scripts/write-version.js
  expect(versions).toEqual(folders.map(() => VERSION));
});

test('the version in the code is that of the desktop application and of the images in examples', () => {
  const lock = JSON.parse(read('desktop/package-lock.json')) as {
    readonly version: string;
    readonly packages: Readonly<Record<string, { readonly version: string }>>;
  };
  const { version } = JSON.parse(read('desktop/package.json')) as Manifest;
  // Otherwise: node scripts/write-version.js
  expect([version, lock.version, lock.packages['']?.version]).toEqual([VERSION, VERSION, VERSION]);
  const pages = globSync('examples/kubernetes/*.{yaml,md}', { cwd: root }).map(read);
  const tags = pages.flatMap((page) => [...page.matchAll(/\/model-gateway:(\S+)/g)].map(([, tag]) => tag));
  expect(tags.length).toBeGreaterThan(2);
  expect(new Set(tags)).toEqual(new Set([VERSION]));
});

test('all packages name one homepage and one repository', () => {
  const places = folders.map((folder) => {
    const { homepage, repository } = JSON.parse(read(`${folder}/package.json`)) as Manifest;
    return `${String(homepage)} ${String((repository as { readonly url?: unknown }).url)}`;
  });
  expect([...new Set(places)]).toHaveLength(1);
});

test('no package reads its package.json, which a bundle does not have beside it', () => {
  const sources = globSync(['packages/*/{src,testing}/**/*.ts', 'packages/*/*.js'], { cwd: root });
  // It reads those of packages that operators install.
  const others = sources.filter((file) => file !== 'packages/ai-sdk/src/load-package.ts');
  const readers = others.filter((file) => !file.includes('.test.') && /package\.json/.test(read(file)));
  expect(readers).toEqual([]);
});

test('npm ci warns of no engine: neither the lock nor a package names one but the root', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { engines?: { node?: string } }>;
  };
  const named = Object.entries(packages).filter(([, { engines }]) => engines !== undefined);
  // Otherwise: node scripts/write-engines.ts lock
  expect(named.map(([path]) => path)).toEqual(['']);
  expect(folders.filter((folder) => 'engines' in (JSON.parse(read(`${folder}/package.json`)) as Manifest))).toEqual([]);
});

describe.each(folders)('The package in %s', (folder) => {
  const manifest = JSON.parse(read(`${folder}/package.json`)) as Manifest;

  test('names an entry, its types, where it comes from and where to read about it', () => {
    expect(manifest).toMatchObject({
      main: expect.stringMatching(/^\.\/.+\.js$/),
      types: expect.stringMatching(/^\.\/.+\.d\.ts$/),
      license: 'MIT',
      homepage: expect.stringMatching(/^https:\/\/\S+$/),
      repository: { type: 'git', url: expect.stringMatching(/^git\+https:\/\/\S+\.git$/), directory: folder },
      publishConfig: { access: 'public', provenance: true },
    });
  });

  test('has the licence, and a page that tells how to install it', () => {
    expect(read(`${folder}/LICENSE`)).toBe(read('LICENSE'));
    expect(read(`${folder}/README.md`)).toContain(manifest.name);
    expect(read(`${folder}/README.md`)).toMatch(/npm install|npx /);
  });

  test('is published without sources and source maps', () => {
    expect(manifest['files']).toContain('!**/*.map');
    expect(JSON.stringify(manifest['files'])).not.toContain('src');
  });
});
