import { expect, test } from 'vitest';

import { diffTexts } from './diff-words.ts';

test('tells which words were added and removed, and keeps all of both texts', () => {
  const [before, after] = ['The sky is blue.\nAlways.', 'The sky is very grey.\nAlways.'];
  const { pieces = [], unit } = diffTexts(before, after) ?? {};
  expect(unit).toBe('words');
  const of = (left: string) =>
    pieces
      .filter(({ type }) => type !== left)
      .map(({ text }) => text)
      .join('');
  expect([of('added'), of('removed')]).toEqual([before, after]);
  expect(pieces.filter(({ type }) => type === 'removed').map(({ text }) => text.trim())).toEqual(['blue']);
});

test('gives up on texts that would take too long', () => {
  const text = (seed: number) => Array.from({ length: 40_000 }, (_, at) => `w${(at * seed) % 7919}`).join(' ');
  expect(diffTexts(text(3), text(5), 1)).toBeNull();
});
