import { expect, test } from 'vitest';

import { beginOfSpan } from './history-queries.ts';

test('a day begins 24 hours before the next full hour, and a week at midnight six days before', () => {
  const now = new Date(2026, 2, 10, 14, 25);
  expect(new Date(beginOfSpan('day', now))).toEqual(new Date(2026, 2, 9, 15, 0));
  expect(new Date(beginOfSpan('week', now))).toEqual(new Date(2026, 2, 4, 0, 0));
});
