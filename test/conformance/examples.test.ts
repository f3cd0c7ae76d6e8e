import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

import { checkExample } from '../support/conformance/examples.ts';

// Those of frameworks that the workspace does not have are in test/hosts.
test.each(['express-app/server.mjs', 'express-app/server.cjs', 'fetch-host/server.mjs', 'node-http/server.mjs'])(
  'the example %s serves its own page beside the API, streamed and not, and ends when told',
  checkExample,
  20_000,
);

const BIN = fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;

test.skipIf(hasPytest ? undefined : 'pytest is not installed')(
  'the pytest plugin starts a gateway for the run, and the tests beside it write their own answers',
  () => {
    const env = { ...process.env, MODEL_GATEWAY_COMMAND: `${process.execPath} ${BIN}`, PYTHONDONTWRITEBYTECODE: '1' };
    const words = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
    const run = spawnSync('python3', words, { cwd: join(examples, 'pytest'), env, encoding: 'utf8' });
    expect(run.stdout + run.stderr).toContain('3 passed');
  },
  60_000,
);

test.each([
  ['that npm has installed', '', '--no-install model-gateway'],
  ['of a tarball', 'vendor/model-gateway.tgz', '--yes --package ./vendor/model-gateway.tgz model-gateway'],
])(
  'the GitHub action starts the gateway %s, and tells the steps after it where it is',
  async (_, given, command) => {
    const dir = mkdtempSync(join(tmpdir(), 'github-action-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
    // In the place of the package that is asked for, the one that was built here.
    const npx = `echo "$@" > ${dir}/words\nwhile [ $1 != replay ]; do shift; done\necho $$ > ${dir}/pid`;
    writeFileSync(join(dir, 'npx'), `#!/bin/sh\n${npx}\nexec ${process.execPath} ${BIN} "$@"\n`);
    chmodSync(join(dir, 'npx'), 0o755);
    const action = parse(readFileSync(join(examples, 'github-action/action.yml'), 'utf8')) as {
      readonly runs: { readonly steps: readonly { readonly run: string }[] };
    };
    const env = {
      PATH: `${dir}:${process.env['PATH']}`,
      RUNNER_TEMP: dir,
      GITHUB_OUTPUT: join(dir, 'output'),
      GITHUB_ENV: join(dir, 'env'),
      DIR: '',
      PACKAGE: given,
    };
    const run = spawnSync('bash', ['-e', '-c', action.runs.steps[0]?.run ?? ''], { env, encoding: 'utf8' });
    expect(run.status, run.stderr).toBe(0);
    onTestFinished(() => void process.kill(Number(readFileSync(join(dir, 'pid'), 'utf8'))));
    expect(readFileSync(join(dir, 'words'), 'utf8')).toBe(`${command} replay\n`);
    const told = Object.fromEntries(
      readFileSync(join(dir, 'env'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    );
    const response = await fetch(`${told['MODEL_GATEWAY_URL']}/models`, {
      headers: { authorization: `Bearer ${told['MODEL_GATEWAY_API_KEY']}` },
    });
    expect(response.status).toBe(200);
    expect(readFileSync(join(dir, 'output'), 'utf8')).toContain(`url=${told['MODEL_GATEWAY_URL']}`);
  },
  60_000,
);
