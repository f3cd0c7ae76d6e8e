import { expect, test } from 'vitest';

import { PLACES } from '../navigation.ts';
import { findMeant } from './find-meant.ts';

const paths = PLACES.map(({ path }) => path);

test.each([
  ['/key', '/keys'],
  ['/provider/acme', '/providers'],
  ['/Setings', '/settings'],
  ['/sessions', '/generations/sessions'],
  ['/generation/gen-1', '/generations'],
])('takes %s for %s', (address, meant) => {
  expect(findMeant(address, paths)).toBe(meant);
});

test.each(['/', '/nowhere/at-all', '/x'])('suggests nothing for %s', (address) => {
  expect(findMeant(address, paths)).toBeUndefined();
});
