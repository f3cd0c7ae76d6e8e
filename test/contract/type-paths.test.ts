import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { readEntryPoints } from '../../scripts/read-entry-points.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the types of tests resolve exactly the paths that our packages export', () => {
  const { compilerOptions } = JSON.parse(readFileSync(`${root}test/tsconfig.json`, 'utf8')) as {
    compilerOptions: { paths: unknown };
  };
  const entries = [...readEntryPoints(root)].map(([entry, source]) => [entry, [`../${source}`]]);
  expect(compilerOptions.paths).toEqual(Object.fromEntries(entries));
});
