import type { CallTimelineReport, Generation } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { toCallTimeline } from './to-call-timeline.ts';

const GENERATION = {
  api_type: 'completions',
  created_at: '2026-03-01T12:00:00.000Z',
  generation_time: 900,
  latency: 500,
  streamed: true,
  cancelled: false,
  finish_reason: 'stop',
  tokens_completion: 20,
  interrupted: undefined,
  response_cache_source_id: null,
  provider_responses: [
    { provider_name: 'Gone', status: 503, latency: 250, error: { code: 502, error_type: 'x', message: 'It is down' } },
    { provider_name: 'Here', status: 200, latency: 200, key: 'team-b' },
  ],
} as unknown as Generation;

const REPORT: CallTimelineReport = {
  call: {
    before_ms: { request: 4, guardrails: 10, routing: 1, rate_limits: 5 },
    attempts_ms: [10, 300],
    steps: [
      { kind: 'budget', name: 'budgets', at_ms: 0, took_ms: 3 },
      { kind: 'tool', name: 'look‮up', at_ms: 700, took_ms: 50, has_failed: true },
    ],
  },
  stream: { interval_ms: 20, gaps_ms: [500, 20, 300], text: [5, 5, 5] },
  arrivals: [
    { destination_id: 'd-1', sent_at: '2026-03-01T12:00:01.100Z', took_ms: 40, has_arrived: true, result: 'HTTP 200' },
  ],
};

const rowOf = (timeline: ReturnType<typeof toCallTimeline>, id: string) => timeline.rows.find((row) => row.id === id);
const NAMES = new Map([['d-1', 'Archive']]);

test('puts everything of a call on one axis, which begins when the request came', () => {
  const timeline = toCallTimeline(GENERATION, REPORT, { destinations: NAMES, waiting: [] });
  expect(timeline.rows.map(({ id, pieces }) => [id, pieces[0]?.atMs, pieces[0]?.tookMs])).toEqual([
    ['request', 0, 4],
    ['guardrails', 4, 10],
    ['routing', 14, 1],
    ['rate_limits', 15, 5],
    ['step-0', 20, 3],
    ['attempt-0', 30, 250],
    ['attempt-1', 320, 200],
    ['step-1', 720, 50],
    ['stream', 520, 20],
    ['delivery-d-1', 1120, 40],
  ]);
  expect(timeline.markers).toEqual([
    { atMs: 520, label: 'First token' },
    { atMs: 920, label: 'End' },
  ]);
  expect(timeline.whole.fromMs).toBe(0);
  expect(timeline.whole.toMs).toBeGreaterThanOrEqual(1160);
});

test('says of each attempt how and why it ended', () => {
  const timeline = toCallTimeline(GENERATION, REPORT, { destinations: NAMES, waiting: [] });
  expect(rowOf(timeline, 'attempt-0')).toMatchObject({ label: '1. Gone', status: '503', tone: 'bad' });
  expect(rowOf(timeline, 'attempt-0')?.detail.join(' ')).toContain('It is down');
  expect(rowOf(timeline, 'attempt-1')).toMatchObject({ status: '200', tone: 'good' });
  expect(rowOf(timeline, 'attempt-1')?.detail).toEqual(['With the key team-b.']);
  // Waiting for the first token, then the completion until the end.
  expect(rowOf(timeline, 'attempt-1')?.pieces).toMatchObject([
    { atMs: 320, tookMs: 200, tone: 'wait' },
    { atMs: 520, tookMs: 400, tone: 'work' },
  ]);
  expect(rowOf(timeline, 'step-1')).toMatchObject({ tone: 'bad', status: 'failed' });
});

test('shows the gaps of a stream, and names the longest', () => {
  const stream = rowOf(toCallTimeline(GENERATION, REPORT, { destinations: NAMES, waiting: [] }), 'stream');
  expect(stream?.pieces.filter(({ tone }) => tone === 'gap')).toMatchObject([{ atMs: 560, tookMs: 280 }]);
  expect(stream?.detail.join(' ')).toMatch(/longest gap: 300\sms/i);
});

test('shows a record of former versions as far as it goes', () => {
  const old = { call: null, stream: null, arrivals: [] };
  const timeline = toCallTimeline(GENERATION, old, { destinations: NAMES, waiting: [] });
  expect(timeline.rows.map(({ id, pieces }) => [id, pieces[0]?.atMs])).toEqual([
    ['attempt-0', 0],
    ['attempt-1', 250],
  ]);
  const bare = { ...GENERATION, provider_responses: null, generation_time: null, latency: null };
  expect(toCallTimeline(bare, old, { destinations: NAMES, waiting: [] })).toMatchObject({ rows: [], markers: [] });
});

test('begins with the call itself where a delivery came hours later', () => {
  const late = {
    ...REPORT,
    arrivals: REPORT.arrivals.map((arrival) => ({ ...arrival, sent_at: '2026-03-01T15:00:00.000Z' })),
  };
  const { home, whole } = toCallTimeline(GENERATION, late, { destinations: NAMES, waiting: [] });
  expect(home.toMs).toBeLessThan(2000);
  expect(whole.toMs).toBeGreaterThan(10_000_000);
});

test('tells of deliveries that have not arrived', () => {
  const waiting = [
    {
      id: 'x',
      destination_id: 'gone',
      generation_ids: [],
      state: 'failed' as const,
      attempts: 10,
      last_result: 'status 500',
      next_attempt_at: null,
      created_at: '2026-03-01T12:00:02.000Z',
    },
  ];
  const timeline = toCallTimeline(GENERATION, REPORT, { destinations: NAMES, waiting });
  expect(rowOf(timeline, 'waiting-x')).toMatchObject({ label: 'To a destination', status: 'failed', tone: 'bad' });
});

test('shows every request to a destination in its row, failed ones first as they came', () => {
  const [arrival] = REPORT.arrivals;
  if (arrival === undefined) throw new Error('there is no arrival');
  const failed = { ...arrival, sent_at: '2026-03-01T12:00:01.000Z', has_arrived: false, result: 'HTTP 500' };
  const report = { ...REPORT, arrivals: [failed, arrival] };
  const row = rowOf(toCallTimeline(GENERATION, report, { destinations: NAMES, waiting: [] }), 'delivery-d-1');
  expect(row).toMatchObject({
    status: 'delivered',
    tone: 'good',
    pieces: [
      { atMs: 1020, tone: 'bad', label: 'HTTP 500' },
      { atMs: 1120, tone: 'good', label: 'Delivered' },
    ],
  });
  const lost = toCallTimeline(GENERATION, { ...REPORT, arrivals: [failed] }, { destinations: NAMES, waiting: [] });
  expect(rowOf(lost, 'delivery-d-1')).toMatchObject({ status: 'not delivered', tone: 'bad' });
});

test('says where a stream broke off, and whether it went on at the next provider', () => {
  const broken = { provider_name: 'First', status: 200, latency: 100, broke_off_after: 1200 };
  const error = { code: 502, error_type: 'x', message: 'It was reset' };
  const textOf = (...attempts: object[]): string | undefined => {
    const generation = { ...GENERATION, provider_responses: attempts } as unknown as Generation;
    const timeline = toCallTimeline(generation, REPORT, { destinations: NAMES, waiting: [] });
    return rowOf(timeline, 'attempt-0')?.detail.join(' ');
  };
  expect(textOf({ ...broken, error }, { provider_name: 'Next', status: 200, latency: 50 })).toMatch(
    /It was reset The text continued at the next provider after 1.200 characters\./,
  );
  expect(textOf({ ...broken, error }, { provider_name: 'Next', status: 400, latency: 50, error })).toMatch(
    /It broke off after 1.200 characters\./,
  );
});
