import { expect, test } from 'vitest';

import { toChange } from './span-figures.tsx';

const WORDS = { rise: 'more', fall: 'less', times: 'as much' };

test.each([
  [112, 100, '12 % more'],
  [88, 100, '12 % less'],
  [0, 100, '100 % less'],
  [100.7, 100, '0.7 % more'],
  [100.1, 100, 'no change'],
  [350, 100, '3.5 times as much'],
  [123_400, 100, '1,234 times as much'],
  [0, 0, 'no change'],
  [5, 0, 'new'],
])('says of %d after %d: %s', (now, before, text) => {
  expect(toChange(now, before, WORDS)?.text.replaceAll('\u00a0', ' ')).toBe(text);
});

test('says nothing where a figure is not known', () => {
  expect([toChange(null, 1, WORDS), toChange(1, null, WORDS)]).toEqual([null, null]);
});
