import { expect, test } from 'vitest';

import { createSlice, hasRoom, minuteOf, noteUse, recentOf, type Slice, toSlicedBudget } from './slice.ts';

const NOTHING_HELD = { heldAgainst: () => 0 };

function sliceOf(changes: Partial<Slice> = {}): Slice {
  const sliced = toSlicedBudget({ query: { principalId: 'k' }, includesByok: false });
  return { ...createSlice(sliced, { spender: 'key k', includesByok: false }, 0), ...changes };
}

test('what was admitted fades within seconds, and what comes later adds to the rest of it', () => {
  const slice = sliceOf();
  noteUse(slice, 1000, 10_000);
  expect(recentOf(slice, 10_000)).toBe(1000);
  expect(recentOf(slice, 12_000)).toBe(368);
  expect(recentOf(slice, 40_000)).toBe(1);
  noteUse(slice, 1000, 12_000);
  expect(recentOf(slice, 12_000)).toBe(1368);
});

test('a budget is wide where fifty minutes at the recent pace fit into what is left, to the last nano-dollar', () => {
  const slice = sliceOf();
  noteUse(slice, 10, 5000);
  // Ten in two seconds are three hundred in a minute.
  slice.availableNanoUsd = 300 * 50;
  expect(minuteOf(slice, 5000)).toBe(300);
  slice.availableNanoUsd -= 1;
  expect(minuteOf(slice, 5000)).toBe(0);
});

test('one call a minute is a pace as well: the last one counts, however long ago it was', () => {
  const slice = sliceOf({ availableNanoUsd: 300 * 50 });
  noteUse(slice, 10, 5000);
  expect(minuteOf(slice, 500_000)).toBe(300);
});

test('a call fits into what is left of a slice, and one that costs nothing only where something was granted', () => {
  const slice = sliceOf({ leasedNanoUsd: 100, limitNanoUsd: 1000 });
  const limit = { limitNanoUsd: 1000 };
  expect(hasRoom(slice, limit, 100, NOTHING_HELD)).toBe(true);
  expect(hasRoom(slice, limit, 101, NOTHING_HELD)).toBe(false);
  expect(hasRoom(slice, limit, 60, { heldAgainst: () => 40 })).toBe(true);
  expect(hasRoom(slice, limit, 61, { heldAgainst: () => 40 })).toBe(false);
  expect(hasRoom({ ...slice, earmarkedNanoUsd: 41 }, limit, 60, NOTHING_HELD)).toBe(false);
  // A slice of a higher limit says nothing about a call with a lower one.
  expect(hasRoom(slice, { limitNanoUsd: 999 }, 1, NOTHING_HELD)).toBe(false);
  expect(hasRoom(slice, limit, 0, { heldAgainst: () => 100 })).toBe(true);
  expect(hasRoom({ ...slice, leasedNanoUsd: 0 }, limit, 0, NOTHING_HELD)).toBe(false);
});
