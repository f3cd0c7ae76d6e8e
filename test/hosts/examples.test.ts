import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { expect, test } from 'vitest';

import { checkExample, EXAMPLES } from '../support/conformance/examples.ts';

const LIMIT_MS = 120_000;

function runIn(folder: string, ...words: string[]): void {
  const { status, stdout } = spawnSync('npm', words, { cwd: EXAMPLES + folder, encoding: 'utf8', timeout: LIMIT_MS });
  expect(status, stdout).toBe(0);
}

test.each([
  ['fastify-app', 'server.mjs'],
  ['nest-app', 'dist/main.js'],
])(
  'the example %s serves its own page beside the API, streamed and not, and ends when told',
  async (folder, file) => {
    if (!existsSync(`${EXAMPLES}${folder}/node_modules/.package-lock.json`)) runIn(folder, 'ci');
    runIn(folder, 'run', 'build', '--if-present');
    await checkExample(`${folder}/${file}`);
  },
  2 * LIMIT_MS,
);
