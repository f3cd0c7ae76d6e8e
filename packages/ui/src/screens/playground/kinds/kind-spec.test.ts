import { expect, test } from 'vitest';

import { toLines, toWhole } from './kind-spec.ts';

test('texts are lines that say something, or the texts of a JSON list', () => {
  expect(toLines(' one \n\n two\n')).toEqual(['one', 'two']);
  expect(toLines('["two\\nlines", " ", "one"]')).toEqual(['two\nlines', 'one']);
  expect(toLines('[1] a footnote\n[2] another')).toEqual(['[1] a footnote', '[2] another']);
  expect(toLines('[1, 2]')).toEqual(['[1, 2]']);
});

test('a number that is no whole one from 1 on is told from none', () => {
  expect(['', ' ', '12', '0', '1.5', 'x'].map(toWhole)).toEqual([
    undefined,
    undefined,
    12,
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
});
