import { expect, test } from 'vitest';

import { createLineIndex, type LineIndex } from './long-text.tsx';

const linesOf = (index: LineIndex): string[] => Array.from({ length: index.count }, (_, line) => index.textOf(line));

function indexWhole(text: string, width: number): LineIndex {
  const index = createLineIndex(text, width, 2_000_000);
  index.advance(Number.POSITIVE_INFINITY);
  return index;
}

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['', ['']],
  ['one', ['one']],
  ['one\n\ntwo\n', ['one', '', 'two', '']],
  ['\n\n', ['', '', '']],
  ['abcdefgh', ['abcd', 'efgh']],
  ['abcd\nefgh\n', ['abcd', 'efgh', '']],
  ['abcde\nf', ['abcd', 'e', 'f']],
  ['abc😀d', ['abc😀', 'd']],
];

test.each(CASES)('cuts %j', (text, lines) => {
  expect(linesOf(indexWhole(text, 4))).toEqual(lines);
});

test.each(CASES)('finds the same lines of %j one by one', (text, lines) => {
  const index = createLineIndex(text, 4, 100);
  const counts: number[] = [];
  while (!index.isComplete) {
    index.advance(1);
    counts.push(index.count);
    expect(linesOf(index)).toEqual(lines.slice(0, index.count));
  }
  expect(counts).toEqual(lines.map((_, at) => at + 1));
});

test('loses nothing of a long text', () => {
  const text = 'x'.repeat(1_000_001);
  const lines = linesOf(indexWhole(text, 120));
  expect(lines.join('')).toBe(text);
  expect(lines.every(({ length }) => length > 0 && length <= 120)).toBe(true);
});

test('stops at as many lines as may be shown', () => {
  const index = createLineIndex('a\n'.repeat(1000), 10, 300);
  index.advance(1000);
  expect([index.count, index.isComplete, index.textOf(299), index.textOf(300)]).toEqual([300, true, 'a', '']);
});
