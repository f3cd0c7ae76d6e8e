import type { ProviderHistoryBucket } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import {
  describeHour,
  describePast,
  describeShare,
  toHourLook,
  toPastState,
  toProviderStatus,
} from './describe-history.ts';

const EMPTY: ProviderHistoryBucket = {
  start: '2026-03-01T10:00:00.000Z',
  calls: 0,
  ok: 0,
  failed: 0,
  failures: {},
  refused: 0,
  abandoned: 0,
  uptime: null,
  latency_p50: null,
  latency_p95: null,
  first_token_p50: null,
  first_token_p95: null,
  cost: 0,
  openings: 0,
};
const GOOD = { ...EMPTY, calls: 120, ok: 120, uptime: 100 };
const SOME = { ...EMPTY, calls: 120, ok: 118, failed: 2, failures: { timeout: 1, rate_limited: 1 }, uptime: 99.16 };
const BAD = { ...EMPTY, calls: 3, ok: 0, failed: 3, failures: { connection: 3 }, uptime: 0 };
const LIMITED = { ...EMPTY, calls: 3, failed: 3, failures: { rate_limited: 3 } };

test('an hour is described in words, with the kinds of its failures', () => {
  const words = [EMPTY, GOOD, SOME, BAD].map((hour) => describeHour(hour).replace(/^.*\d: /, ''));
  expect(words).toEqual(
    [
      'no requests',
      '120 requests, none failed, 100.0 % up',
      '120 requests, 2 failed (1 timed out, 1 rate limited), 99.2 % up',
      '3 requests, 3 failed (no connection), 0.0 % up',
    ].map((text) => text.replace(' %', '\u00a0%')),
  );
});

test('hours look different with some failures, with many, and without calls', () => {
  expect([EMPTY, GOOD, SOME, BAD, LIMITED].map(toHourLook)).toEqual(['none', 'good', 'some', 'bad', 'some']);
});

const past = (hours: ProviderHistoryBucket[], lastCallFailed: boolean | null) => ({
  totals: hours.reduce((sum, hour) => ({
    ...sum,
    calls: sum.calls + hour.calls,
    ok: sum.ok + hour.ok,
    failed: sum.failed + hour.failed,
    uptime: hour.uptime ?? sum.uptime,
  })),
  buckets: hours,
  last_called_at: new Date(Date.now() - 2 * 3_600_000).toISOString(),
  last_call_failed: lastCallFailed,
});

test('a provider stands as its last calls went', () => {
  expect(toPastState(past([EMPTY], null))).toBeNull();
  expect(toPastState(past([GOOD, EMPTY], false))).toBe('ok');
  expect(toPastState(past([GOOD, SOME], true))).toBe('degraded');
  expect(toPastState(past([GOOD, BAD, EMPTY], true))).toBe('down');
});

test('a provider most of whose requests failed is not well, though its endpoints respond now', () => {
  const poor = { ...EMPTY, calls: 13, ok: 2, failed: 11, failures: { server_error: 11 }, uptime: 15.4 };
  expect(toProviderStatus('ok', past([poor], false))).toEqual({ status: 'degraded', isPast: false });
  expect(toProviderStatus('ok', past([SOME], false))).toEqual({ status: 'ok', isPast: false });
  expect(toProviderStatus('down', past([GOOD], false))).toEqual({ status: 'down', isPast: false });
  expect(toProviderStatus('unknown', past([BAD], true))).toEqual({ status: 'down', isPast: true });
});

test('says when it was called last, and how many failed', () => {
  expect(describePast(past([SOME], false))).toBe('Last request 2 hours ago, 2 of 120 failed');
  expect(describePast({ ...past([EMPTY], null), last_called_at: null })).toBe('No requests in this period');
  expect(describeShare(GOOD)).toBe('none of 120 failed');
});
