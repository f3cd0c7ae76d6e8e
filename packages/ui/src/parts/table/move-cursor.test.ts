import { expect, test } from 'vitest';

import { moveCursor } from './move-cursor.ts';

test.each([
  ['j', 1, 2],
  ['ArrowDown', 9, 9],
  ['k', 0, 0],
  ['ArrowUp', 5, 4],
  ['PageDown', 1, 6],
  ['PageUp', 3, 0],
  ['Home', 7, 0],
  ['End', 2, 9],
  ['x', 2, null],
])('%s moves from %i to %o of ten rows', (key, at, expected) => {
  expect(moveCursor(key, at, 10, 5)).toBe(expected);
});
