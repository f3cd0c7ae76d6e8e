import { expect, test } from 'vitest';

import { toSlots } from './slots.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

test('a day of UTC is one slot, and one that begins elsewhere is the fewest that there are', () => {
  const [day] = toSlots({ startMs: 0, bucketMs: DAY_MS, buckets: 1 }, 0, DAY_MS);
  expect(day).toEqual({ bucket: 0, grainMs: DAY_MS, fromMs: 0, toMs: DAY_MS });
  const slots = toSlots({ startMs: 22 * HOUR_MS, bucketMs: DAY_MS, buckets: 1 }, 0, 10 * DAY_MS);
  expect(
    slots.map(({ grainMs, fromMs, toMs }) => [(grainMs ?? 0) / HOUR_MS, fromMs / HOUR_MS, toMs / HOUR_MS]),
  ).toEqual([
    [0.5, 22, 24],
    [3, 24, 45],
    [0.5, 45, 46],
  ]);
});

test('slots cover each bucket within a span once, its edges without a grain', () => {
  const query = { startMs: 1_234_567, bucketMs: 7 * HOUR_MS + 1, buckets: 20 };
  const [fromMs, toMs] = [9_999_999, 5 * DAY_MS + 77];
  const slots = toSlots(query, fromMs, toMs);
  let at = fromMs;
  for (const slot of slots) {
    expect(slot.fromMs).toBe(at);
    expect(slot.bucket).toBe(Math.floor((slot.fromMs - query.startMs) / query.bucketMs));
    expect(Math.floor((slot.toMs - 1 - query.startMs) / query.bucketMs)).toBe(slot.bucket);
    if (slot.grainMs !== null) expect([slot.fromMs % slot.grainMs, slot.toMs % slot.grainMs]).toEqual([0, 0]);
    at = slot.toMs;
  }
  expect(at).toBe(toMs);
});
