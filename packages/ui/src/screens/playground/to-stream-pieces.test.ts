import { expect, test } from 'vitest';

import { toStreamPieces } from './to-stream-pieces.ts';

const TEXT = Array.from({ length: 100 }, (_, at) => `Line ${at}${', and so on'.repeat(at % 7)}\n\n`).join('');

test('keeps all of a text, whatever its length', () => {
  for (let length = 0; length <= TEXT.length; length += 1) {
    const text = TEXT.slice(0, length);
    expect(toStreamPieces(text).join('\n')).toBe(text);
  }
});

test('leaves every piece but the last as it was when more comes', () => {
  let before: string[] = [];
  for (let length = 0; length <= TEXT.length; length += 1) {
    const pieces = toStreamPieces(TEXT.slice(0, length));
    expect(pieces.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    before = pieces;
  }
  expect(before.length).toBeGreaterThan(5);
});
