import { expect, test } from 'vitest';

import { cutMiddle } from './attempt.ts';

test('leaves a text that is short enough', () => {
  expect(cutMiddle('abc', 3, '…')).toBe('abc');
});

test('keeps the beginning and the end of a longer one, the mark counted', () => {
  expect(cutMiddle('abcdefghij', 5, '…')).toBe('ab…ij');
  expect(cutMiddle('abcdefghij', 6, '…')).toBe('abc…ij');
});

test('cuts no character in two, wherever it has to cut', () => {
  for (let length = 1; length < 40; length += 1) {
    const text = cutMiddle('😀'.repeat(20), length, '…');
    expect(text.replace(/😀|…/gu, '')).toBe('');
    expect(text.length).toBeLessThanOrEqual(Math.max(length, 2));
  }
});
