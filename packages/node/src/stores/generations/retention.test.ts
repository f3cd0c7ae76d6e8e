import { expect, test } from 'vitest';

import { planRetention, type RetentionLimits, segmentLimits } from './retention.ts';

const LIMITS: RetentionLimits = { retentionDays: 30, maxGenerations: 100, maxContentBytes: 1_000 };
const NOW = Date.parse('2026-03-31T12:00:00Z');

const segment = (name: string, records = 10, contentBytes = 100) => ({ name, records, contentBytes });
const plan = (segments: readonly ReturnType<typeof segment>[], limits: Partial<RetentionLimits> = {}) =>
  planRetention(segments, segments.at(-1)?.name ?? '', { limits: { ...LIMITS, ...limits }, nowMs: NOW });

test('drops nothing while every limit is met', () => {
  expect(plan([segment('2026-03-02'), segment('2026-03-31')])).toEqual({ dropThrough: null, dropContentThrough: null });
});

test('drops a day when all of it is older than the retention', () => {
  expect(plan([segment('2026-02-28'), segment('2026-03-01'), segment('2026-03-31')]).dropThrough).toBe('2026-02-28');
});

test('keeps a day whose last hour is within the retention', () => {
  const segments = [segment('2026-03-01'), segment('2026-03-31')];
  const planAt = (time: string) =>
    planRetention(segments, '2026-03-31', { limits: LIMITS, nowMs: Date.parse(time) }).dropThrough;
  expect(planAt('2026-03-31T23:59:59Z')).toBeNull();
  expect(planAt('2026-04-01T00:00:00Z')).toBe('2026-03-01');
});

test('drops the oldest segments until the number of generations fits', () => {
  const segments = [
    segment('2026-03-01.2', 50),
    segment('2026-03-05', 40),
    segment('2026-03-30', 50),
    segment('2026-03-31', 5),
  ];
  expect(plan(segments).dropThrough).toBe('2026-03-01.2');
  expect(plan(segments, { maxGenerations: 65 }).dropThrough).toBe('2026-03-05');
});

test('does not drop an oversized segment before enough has come after it', () => {
  const segments = [segment('2026-03-30', 10), segment('2026-03-30.2', 140), segment('2026-03-31', 70)];
  expect(plan(segments).dropThrough).toBe('2026-03-30');
  expect(plan([...segments, segment('2026-03-31.2', 10)]).dropThrough).toBe('2026-03-30.2');
});

test('drops the oldest contents, and only contents, until their bytes fit', () => {
  const segments = [segment('2026-03-05', 1, 700), segment('2026-03-06', 1, 600), segment('2026-03-31', 1, 300)];
  expect(plan(segments)).toEqual({ dropThrough: null, dropContentThrough: '2026-03-05' });
  expect(plan(segments, { maxContentBytes: 100 }).dropContentThrough).toBe('2026-03-06');
});

test('never drops what is written to, nor anything newer', () => {
  const segments = [segment('2020-01-01', 1_000, 5_000), segment('2020-01-02', 1_000, 5_000)];
  const options = { limits: LIMITS, nowMs: NOW };
  expect(planRetention(segments, '2020-01-01', options)).toEqual({ dropThrough: null, dropContentThrough: null });
  expect(planRetention(segments, 'unknown', options)).toEqual({ dropThrough: null, dropContentThrough: null });
});

test('lets a segment take a tenth of what may be kept, and at least one generation', () => {
  expect(segmentLimits(LIMITS)).toEqual({ lines: 10, contentBytes: 100 });
  expect(segmentLimits({ ...LIMITS, maxGenerations: 0, maxContentBytes: 0 })).toEqual({ lines: 1, contentBytes: 1 });
});
