import { expect, test } from 'vitest';
import { createTextPile, readKeptText } from './text-pile.ts';

test('every text comes back as it was, whatever its alphabet and length', () => {
  const texts = Array.from({ length: 3000 }, (_, i) => `${i} Grüße 🎬 ${'é'.repeat((i * 37) % 900)}`);
  texts.push('', '🎬'.repeat(100_000), 'a'.repeat(8192), '日'.repeat(8192), '日'.repeat(8193));
  const pile = createTextPile();
  const kept = texts.map((text) => pile.keep(text));
  expect(kept.map(readKeptText)).toEqual(texts);
});

test('short texts share their bytes, and a long one has bytes of its own', () => {
  const pile = createTextPile();
  const [first, second, long] = ['one', 'two', 'x'.repeat(100_000)].map((text) => pile.keep(text));
  expect(second?.bytes).toBe(first?.bytes);
  expect(long?.bytes).not.toBe(first?.bytes);
});
