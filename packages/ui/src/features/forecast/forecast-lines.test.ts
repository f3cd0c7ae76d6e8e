import type { Forecast } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { toForecastLines } from './forecast-card.tsx';

const DAYS = [
  { date: '2026-02-01', spent_usd: 2, expected_usd: 0 },
  { date: '2026-02-02', spent_usd: 1, expected_usd: 3 },
  { date: '2026-02-03', spent_usd: 0, expected_usd: 4 },
  { date: '2026-02-04', spent_usd: 0, expected_usd: null },
];

test('what is spent is drawn up to now, and what is expected from there to the end', () => {
  const forecast = { from: '2026-02-01', until: '2026-02-05', days: DAYS } as unknown as Forecast;
  expect(toForecastLines(forecast, Date.parse('2026-02-02T12:00:00Z'))).toEqual({
    known: [
      [0, 0],
      [0.25, 2],
      [0.375, 3],
    ],
    expected: [
      [0.375, 3],
      [0.5, 6],
      [0.75, 10],
      [1, 10],
    ],
  });
});
