import { expect, test } from 'vitest';

import { setLocale } from '../../../messages/locale.ts';
import { beginOfSpan } from './history-queries.ts';

test('a day begins 24 hours before the next full hour, and a week at midnight six days before', () => {
  const now = new Date(2026, 2, 10, 14, 25);
  expect(new Date(beginOfSpan('day', now))).toEqual(new Date(2026, 2, 9, 15, 0));
  expect(new Date(beginOfSpan('week', now))).toEqual(new Date(2026, 2, 4, 0, 0));
});

test('begins a week at midnight of the clock that times are shown in', () => {
  const { env } = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process;
  const zoneBefore = env['TZ'];
  env['TZ'] = 'America/New_York';
  setLocale('en', 'utc', []);
  const begin = new Date(beginOfSpan('week', new Date('2026-03-10T02:30:00Z')));
  env['TZ'] = zoneBefore;
  setLocale('en', 'local', []);
  expect(begin.toISOString()).toBe('2026-03-04T00:00:00.000Z');
});
