import { expect, test } from 'vitest';
import { createTextPile, type KeptPlace, type TextPile } from './text-arena.ts';

const readBoth = (pile: TextPile, { chunk, start, middle, end }: KeptPlace): readonly string[] => [
  pile.read(chunk, start, middle),
  pile.read(chunk, middle, end),
];

test('every text and its label come back as they were, whatever their alphabet and length', () => {
  const texts = Array.from({ length: 3000 }, (_, i) => `${i} Grüße 🎬 ${'é'.repeat((i * 37) % 900)}`);
  texts.push('', '🎬'.repeat(100_000), 'a'.repeat(8192), '日'.repeat(8192), '日'.repeat(8193));
  const pile = createTextPile();
  const pairs = texts.map((text, i) => ['', `é${i}`, `label ${i}`].map((label) => [label, text] as const)).flat();
  const kept = pairs.map(([label, text], i) => pile.keep(label, i % 2 === 0 ? text : Buffer.from(text)));
  expect(kept.map((place) => readBoth(pile, place))).toEqual(pairs);
});

test('short texts share a chunk, and a long one has one of its own', () => {
  const pile = createTextPile();
  const [first, second, long, third] = ['one', 'two', 'x'.repeat(100_000), 'three'].map((text) => pile.keep('', text));
  expect([second?.chunk, third?.chunk]).toEqual([first?.chunk, first?.chunk]);
  expect(long?.chunk).not.toBe(first?.chunk);
});
