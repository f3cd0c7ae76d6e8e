import { afterEach, describe, expect, test } from 'vitest';

import { setLocale } from '../../../messages/locale.ts';
import { toDayRuns } from './day-counts.ts';

const HOUR_MS = 3_600_000;
const environment = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process.env;
const zoneBefore = environment['TZ'];

afterEach(() => {
  environment['TZ'] = zoneBefore;
  setLocale('en', 'local', []);
});

/** The runs as what they begin with on the clock, their days, and the hours of each. */
const readRuns = (from: string, to: string): [string, number, number][] =>
  toDayRuns(Date.parse(from), Date.parse(to)).map(({ beginMs, endMs, days }) => [
    new Date(beginMs).toString().slice(0, 21),
    days,
    (endMs - beginMs) / days / HOUR_MS,
  ]);

describe('The days of a span', () => {
  test('begin at midnight of the clock on both sides of a day on which it is changed', () => {
    environment['TZ'] = 'America/New_York';
    setLocale('en', 'local', []);
    expect(readRuns('2026-03-05T12:00:00Z', '2026-03-10T12:00:00Z')).toEqual([
      ['Thu Mar 05 2026 00:00', 3, 24],
      ['Sun Mar 08 2026 00:00', 1, 23],
      ['Mon Mar 09 2026 00:00', 2, 24],
    ]);
    expect(readRuns('2026-11-01T03:59:00Z', '2026-11-02T05:00:01Z')).toEqual([
      ['Sat Oct 31 2026 00:00', 1, 24],
      ['Sun Nov 01 2026 00:00', 1, 25],
      ['Mon Nov 02 2026 00:00', 1, 24],
    ]);
  });

  test('are all of one length in UTC, and no more of them than are counted at once', () => {
    environment['TZ'] = 'America/New_York';
    setLocale('en', 'utc', []);
    const runs = toDayRuns(Date.parse('2024-01-01T00:00:00Z'), Date.parse('2026-01-01T00:00:00Z'));
    expect(runs.map(({ days }) => days)).toEqual([400, 331]);
    expect(runs.every(({ beginMs, endMs, days }) => endMs - beginMs === days * 24 * HOUR_MS)).toBe(true);
  });
});
