import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The snippet of a page that imports `node:test`. */
function findSnippet(page: string): string {
  const blocks = readFileSync(`${root}docs/extending/${page}`, 'utf8').matchAll(/```ts\n([^]*?)```/g);
  const found = [...blocks].map(([, code = '']) => code).find((code) => code.includes("'node:test'"));
  if (found === undefined) throw new Error(`${page} has no snippet with node:test`);
  return found;
}

test.each(['store.md', 'provider.md'])(
  'what %s shows of testing runs as it stands, with the test runner of Node',
  (page) => {
    const args = [
      '--input-type=module-typescript',
      '--no-warnings',
      '--test-reporter=tap',
      '--eval',
      findSnippet(page),
    ];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect(stdout).toMatch(/^# pass [1-9]\d+$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(status).toBe(0);
  },
  60_000,
);
