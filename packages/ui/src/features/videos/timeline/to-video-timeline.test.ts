import type { VideoTimeline } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { toVideoTimeline } from './to-video-timeline.ts';

const TIMELINE: VideoTimeline = {
  before_ms: { request: 0, guardrails: 12, routing: 1, rate_limits: 2 },
  attempts_ms: [0, 400],
  accepted_ms: 900,
  polls: [
    { at_ms: 3000, took_ms: 120, status: 'in_progress' },
    { at_ms: 8000, took_ms: 30_000, has_failed: true },
    { at_ms: 40_000, took_ms: 90 },
  ],
  poll_count: 3,
  statuses: [
    { status: 'in_progress', at_ms: 3120 },
    { status: 'completed', at_ms: 40_090 },
  ],
  announcements: [
    { at_ms: 40_100, took_ms: 20, result: 'status 500', has_arrived: false },
    { at_ms: 46_000, took_ms: 30, result: 'status 200', has_arrived: true },
  ],
};
const ATTEMPTS = [
  { provider_name: 'Full', status: 429, latency: 390, error: { code: 429, error_type: 'rate_limit_exceeded' } },
  { provider_name: 'Film', status: 200 },
];

test('puts submission, polls, status and announcements of a job on one axis', () => {
  const { rows, markers, home } = toVideoTimeline({
    timeline: TIMELINE,
    attempts: ATTEMPTS,
    endMs: 40_090,
    nowMs: 50_000,
  });
  expect(rows.map(({ id, pieces }) => [id, pieces[0]?.atMs])).toEqual([
    ['before', 0],
    ['attempt-0', 15],
    ['attempt-1', 415],
    ['status', 15],
    ['polls', 3015],
    ['webhook', 40_115],
  ]);
  expect(rows.find(({ id }) => id === 'status')?.pieces.map(({ label, tookMs }) => [label, tookMs])).toEqual([
    ['pending', 3120],
    ['in progress', 36_970],
  ]);
  expect(rows.find(({ id }) => id === 'polls')).toMatchObject({ status: '3, 1 failed' });
  expect(rows.find(({ id }) => id === 'webhook')).toMatchObject({ status: 'delivered', tone: 'good' });
  expect(markers).toEqual([{ atMs: 40_105, label: 'completed' }]);
  expect(home.toMs).toBeGreaterThanOrEqual(46_000);
});

test('shows a job that is still open up to now', () => {
  const timeline = { ...TIMELINE, attempts_ms: [0], statuses: [], polls: [], poll_count: 0, announcements: [] };
  const { rows, markers, home } = toVideoTimeline({ timeline, attempts: [], endMs: null, nowMs: 7000 });
  expect(rows.map(({ id }) => id)).toEqual(['before', 'attempt-0', 'status']);
  expect(rows.at(-1)?.pieces).toMatchObject([{ label: 'pending', tookMs: 6985 }]);
  expect(markers).toEqual([]);
  expect(home.toMs).toBe(7000);
});

test('says how many polls are not listed', () => {
  const { rows } = toVideoTimeline({ timeline: { ...TIMELINE, poll_count: 400 }, attempts: [], endMs: null, nowMs: 1 });
  expect(rows.find(({ id }) => id === 'polls')?.detail.join(' ')).toContain('397');
});

test('says what upstream said at each poll', () => {
  const { rows } = toVideoTimeline({ timeline: TIMELINE, attempts: [], endMs: null, nowMs: 1 });
  expect(rows.find(({ id }) => id === 'polls')?.pieces.map(({ label }) => label)).toEqual([
    'Poll: in progress',
    'Failed poll',
    'Poll',
  ]);
});

test('shows deliveries of a film to destinations, as those of calls', () => {
  const arrival = { destination_id: 'd-1', took_ms: 40, has_arrived: true, result: 'HTTP 200' };
  const deliveries = {
    orderedAt: '2026-03-01T12:00:00.000Z',
    destinations: new Map([['d-1', 'Archive']]),
    arrivals: [{ ...arrival, sent_at: '2026-03-01T12:00:41.000Z' }],
    waiting: [],
  };
  const { rows } = toVideoTimeline({
    timeline: TIMELINE,
    attempts: ATTEMPTS,
    endMs: 40_090,
    nowMs: 50_000,
    deliveries,
  });
  expect(rows.at(-1)).toMatchObject({
    label: 'To Archive',
    status: 'delivered',
    pieces: [{ atMs: 41_015, tookMs: 40, tone: 'good' }],
  });
});
