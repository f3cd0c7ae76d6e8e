import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { readDoors } from '../../scripts/read-doors.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the types of tests resolve exactly the paths that our packages export', () => {
  const { compilerOptions } = JSON.parse(readFileSync(`${root}test/tsconfig.json`, 'utf8')) as {
    compilerOptions: { paths: unknown };
  };
  const doors = [...readDoors(root)].map(([door, source]) => [door, [`../${source}`]]);
  expect(compilerOptions.paths).toEqual(Object.fromEntries(doors));
});
