import { expect, test } from 'vitest';

import { splitLines } from './split-lines.ts';

test.each([
  ['', ['']],
  ['one', ['one']],
  ['one\n\ntwo\n', ['one', '', 'two', '']],
  ['abcdefgh', ['abcd', 'efgh']],
  ['abcde\nf', ['abcd', 'e', 'f']],
  ['abc😀d', ['abc😀', 'd']],
])('cuts %j', (text, lines) => {
  expect(splitLines(text, 4)).toEqual(lines);
});

test('loses nothing of a long text', () => {
  const text = 'x'.repeat(1_000_001);
  expect(splitLines(text, 120).join('')).toBe(text);
});
