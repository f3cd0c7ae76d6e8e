import { expect, test } from 'vitest';

import { toStreamBlocks, toStreamSpans } from './streamed-text.tsx';

const TEXT = Array.from({ length: 100 }, (_, at) => `Line ${at}${', and so on'.repeat(at % 7)}\n\n`).join('');

test.each([
  ['blocks', toStreamBlocks, '\n'],
  ['spans', toStreamSpans, ''],
])('%s keep all of a text, whatever its length', (_, cut, between) => {
  for (let length = 0; length <= TEXT.length; length += 1) {
    const text = TEXT.slice(0, length);
    expect(cut(text).join(between)).toBe(text);
  }
});

test('a line end makes a block only once something follows it, as an empty block has no height', () => {
  const line = 'x'.repeat(500);
  expect(toStreamBlocks(`${line}\n`)).toEqual([`${line}\n`]);
  expect(toStreamBlocks(`${line}\n\n`)).toEqual([line, '\n']);
  expect(toStreamBlocks(`${line}\ny`)).toEqual([line, 'y']);
});

test.each([
  ['blocks', toStreamBlocks],
  ['spans', toStreamSpans],
])('%s before the last stay as they were when more comes', (_, cut) => {
  let before: string[] = [];
  for (let length = 0; length <= TEXT.length; length += 1) {
    const pieces = cut(TEXT.slice(0, length));
    expect(pieces.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    before = pieces;
  }
  expect(before.length).toBeGreaterThan(5);
});
