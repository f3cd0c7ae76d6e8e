import { expect, test } from 'vitest';

import { toForecast } from './figures-query.ts';
import { toChange } from './span-figures.tsx';

test.each([
  [112, 100, '+12 %'],
  [88, 100, '−12 %'],
  [0, 100, '−100 %'],
  [100.7, 100, '+0.7 %'],
  [100.1, 100, 'no change'],
  [450, 100, '+350 %'],
  [123_400, 100, '+123,300 %'],
  [0, 0, 'no change'],
  [5, 0, 'new'],
])('says of %d after %d: %s', (now, before, text) => {
  expect(toChange(now, before)?.replaceAll('\u00a0', ' ')).toBe(text);
});

test('says nothing where a figure is not known', () => {
  expect([toChange(null, 1), toChange(1, null)]).toEqual([null, null]);
});

test('forecasts a month at the pace so far, once a day of it has passed', () => {
  const at = (day: number, hour = 0): number => new Date(2026, 3, day, hour).getTime();
  expect(
    [toForecast(10, at(11)), toForecast(0, at(11)), toForecast(3, at(30, 12))].map((usd) => usd?.toFixed(2)),
  ).toEqual(['30.00', '0.00', '3.05']);
  expect(toForecast(10, at(1, 12))).toBeNull();
});
