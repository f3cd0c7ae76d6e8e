import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { BroadcastRow, Store } from '@model-gateway/core';
import { expect, test, vi } from 'vitest';

import { append, DAY_MS, HOUR_MS, listIds, useJsonFilePlace } from '../../../../test/support/stores/json-file-place.ts';

const place = useJsonFilePlace();
const YEAR_MS = 365 * DAY_MS;

/** Lets a store run for so long, and look at its limits every hour. */
async function run(store: Store, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    place.nowMs += HOUR_MS;
    place.timers.fire(HOUR_MS);
    // The look is over when whatever comes after it in the journal is.
    await append(store, `hour-${place.nowMs}`);
  }
}

const has = async (store: Store, id: string): Promise<boolean> => (await store.generations.get(id)) !== undefined;

test('223: a clock that leaps ahead while the store is open deletes nothing before it has been steady for a day', async () => {
  const store = await place.open();
  await append(store, 'gen-1');
  place.wallLeadMs = YEAR_MS;
  await run(store, 23);
  expect(await has(store, 'gen-1')).toBe(true);
  expect(store.retention?.isHeld()).toBe(true);
  expect(place.warnings).toEqual([expect.stringContaining('The clock is ahead of the data by more than a day')]);
  await run(store, 3);
  expect(store.retention?.isHeld()).toBe(false);
  // Files are dropped once they are synced, which takes real time.
  await vi.waitFor(async () => expect(await has(store, 'gen-1')).toBe(false));
});

test('223: a clock that is set right again has deleted nothing, and retention goes on', async () => {
  const store = await place.open({ retentionDays: 2 });
  await append(store, 'gen-1');
  place.wallLeadMs = YEAR_MS;
  await run(store, 2);
  place.wallLeadMs = 0;
  await run(store, 22);
  expect(store.retention?.isHeld()).toBe(false);
  expect(await has(store, 'gen-1')).toBe(true);
  await run(store, 3 * 24);
  await vi.waitFor(async () => expect(await has(store, 'gen-1')).toBe(false));
});

test('223: each further leap begins the day of steady time again', async () => {
  const store = await place.open();
  await append(store, 'gen-1');
  for (const leaps of [1, 2, 3]) {
    place.wallLeadMs = leaps * YEAR_MS;
    await run(store, 20);
  }
  expect(await has(store, 'gen-1')).toBe(true);
  expect(place.warnings).toHaveLength(3);
});

test('223: at start the clock is compared with the last time of the directory, over restarts', async () => {
  const first = await place.open();
  await append(first, 'gen-1');
  const row: BroadcastRow = {
    kind: 'delivery',
    id: 'row-1',
    destinationId: 'd',
    generationIds: ['gen-1'],
    state: 'failed',
    attempts: 1,
    nextAttemptAt: place.nowMs,
    lastResult: null,
    createdAt: place.nowMs,
  };
  await first.broadcasts.insert(row);
  await first.close();
  place.wallLeadMs = YEAR_MS;
  for (let start = 0; start < 3; start += 1) {
    const store = await place.open();
    expect([await has(store, 'gen-1'), await store.broadcasts.get('row-1')]).toEqual([true, row]);
    await run(store, 7);
    await store.close();
  }
  expect(place.warnings).toHaveLength(3);
  const last = await place.open();
  await run(last, 4);
  await vi.waitFor(async () => expect(await has(last, 'gen-1')).toBe(false));
  await last.close();
  expect(await (await place.open()).broadcasts.get('row-1')).toBeUndefined();
});

test('223: an operator who says that the clock is right does not wait', async () => {
  const store = await place.open();
  await append(store, 'gen-1');
  await store.close();
  place.wallLeadMs = YEAR_MS;
  expect(await listIds(await place.open({ trustsClock: true }))).toEqual([]);
  expect(place.warnings).toEqual([]);
});

test.each([
  ['is missing', (path: string) => rm(path)],
  ['is damaged', (path: string) => writeFile(path, '{"judgedAt"')],
])('223: the newest record takes the place of the stored time where that %s', async (_name, spoil) => {
  const store = await place.open();
  await append(store, 'gen-1');
  await store.close();
  await spoil(join(place.dir, 'clock.json'));
  place.wallLeadMs = YEAR_MS;
  expect(await listIds(await place.open())).toEqual(['gen-1']);
});

test('a machine that was off for less than a day drops at once', async () => {
  await place.fillDays(4);
  place.nowMs += 23 * HOUR_MS;
  const store = await place.open({ retentionDays: 1 });
  expect(await listIds(store)).toEqual(['day-4']);
  expect(place.warnings).toEqual([]);
});

test('a clock that is ahead is no subject where nothing is dropped for its age, and is held for others all the same', async () => {
  const first = await place.open();
  await append(first, 'gen-1');
  await first.close();
  place.nowMs += 3 * DAY_MS;
  const reading = await place.open({ retentionDays: Infinity });
  expect(await has(reading, 'gen-1')).toBe(true);
  await run(reading, 2);
  await reading.close();
  expect(place.warnings).toEqual([]);
  const serving = await place.open();
  expect(serving.retention?.isHeld()).toBe(true);
  expect(place.warnings).toEqual([expect.stringContaining('The clock is ahead of the data by more than a day')]);
});
