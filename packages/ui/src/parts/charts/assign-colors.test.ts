import { expect, test } from 'vitest';

import { assignColors, createColorBook, SERIES_COLORS } from './assign-colors.ts';

const NAMES = ['acme/chat', 'acme/film', 'beta/large', 'beta/small', 'dev', 'batch', 'ada', ''];

test('gives a name the same color at any time, in whatever order it comes', () => {
  expect(Object.fromEntries(assignColors(NAMES))).toEqual(Object.fromEntries(assignColors(NAMES.toReversed())));
  for (const name of NAMES) expect(assignColors([name]).get(name)).toBe(assignColors([name]).get(name));
});

test('gives as many series as there are colors one each', () => {
  expect(new Set(assignColors(NAMES).values()).size).toBe(SERIES_COLORS.length);
  expect(assignColors([...NAMES, 'one more']).size).toBe(9);
});

test('spreads names over all colors', () => {
  const names = Array.from({ length: 400 }, (_, at) => `author/model-${at}`);
  const counts = SERIES_COLORS.map(() => 0);
  for (const name of names) {
    const color = assignColors([name]).get(name) ?? 0;
    counts[color] = (counts[color] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(25);
});

test('keeps the color of a series when others come and go', () => {
  const book = createColorBook();
  const first = book.colorsOf(['acme/chat', 'acme/film']);
  const second = book.colorsOf(['acme/film', 'beta/large', 'beta/small']);
  const all = book.colorsOf(['acme/chat', 'acme/film', 'beta/large', 'beta/small']);
  expect([...all]).toEqual(expect.arrayContaining([...first, ...second]));
  expect(new Set(all.values()).size).toBe(4);
});
