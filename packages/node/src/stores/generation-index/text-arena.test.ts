import { expect, test } from 'vitest';

import { createTextArena, type TextPlace, type TextArena } from './text-arena.ts';

const readBoth = (arena: TextArena, { chunk, start, middle, end }: TextPlace): readonly string[] => [
  arena.read(chunk, start, middle),
  arena.read(chunk, middle, end),
];

test('every text and its label come back as they were, whatever their alphabet and length', () => {
  const texts = Array.from({ length: 3000 }, (_, i) => `${i} Grüße 🎬 ${'é'.repeat((i * 37) % 900)}`);
  texts.push('', '🎬'.repeat(100_000), 'a'.repeat(8192), '日'.repeat(8192), '日'.repeat(8193));
  const arena = createTextArena();
  const pairs = texts.map((text, i) => ['', `é${i}`, `label ${i}`].map((label) => [label, text] as const)).flat();
  const places = pairs.map(([label, text], i) => arena.store(label, i % 2 === 0 ? text : Buffer.from(text)));
  expect(places.map((place) => readBoth(arena, place))).toEqual(pairs);
});

test('short texts share a chunk, and a long one has one of its own', () => {
  const arena = createTextArena();
  const [first, second, long, third] = ['one', 'two', 'x'.repeat(100_000), 'three'].map((text) =>
    arena.store('', text),
  );
  expect([second?.chunk, third?.chunk]).toEqual([first?.chunk, first?.chunk]);
  expect(long?.chunk).not.toBe(first?.chunk);
});
