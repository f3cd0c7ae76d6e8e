import { afterEach, expect, onTestFinished, test } from 'vitest';

import { setLocale } from '../messages/locale.ts';
import { fromLocalMoment, toLocalMoment } from './time.ts';

afterEach(() => setLocale('en', 'local', []));

test.each(['2026-03-01T10:00:00.000Z', '2026-07-15T23:59:00.000Z', '2026-12-31T00:30:00.000Z'])(
  'reads a moment back that a field was given: %s',
  (iso) => {
    expect(toLocalMoment(iso)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
    expect(fromLocalMoment(toLocalMoment(iso))).toBe(iso);
  },
);

test('reads a year of five digits, for the gateway to refuse it beside its field', () => {
  setLocale('en', 'utc', []);
  expect(fromLocalMoment('20266-03-01T10:00')).toBe('+020266-03-01T10:00:00.000Z');
});

test('takes an empty field for never', () => {
  expect([toLocalMoment(null), fromLocalMoment('')]).toEqual(['', null]);
});

test('fills a field with the time of UTC where times are shown in it, and reads it so', () => {
  // The zone of this machine may be UTC as well.
  const { env } = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process;
  const zoneBefore = env['TZ'];
  onTestFinished(() => void (env['TZ'] = zoneBefore));
  env['TZ'] = 'America/New_York';
  setLocale('en', 'utc', []);
  expect(toLocalMoment('2026-07-15T23:59:00.000Z')).toBe('2026-07-15T23:59');
  expect(fromLocalMoment('2026-07-15T23:59')).toBe('2026-07-15T23:59:00.000Z');
  expect([toLocalMoment(null), fromLocalMoment('')]).toEqual(['', null]);
});
