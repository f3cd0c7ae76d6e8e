import { expect, test } from 'vitest';

import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { DAY_MS, HOUR_MS, listIds, useJsonFilePlace } from '../../../../test/support/stores/json-file-place.ts';
import type { JsonFileStore } from './json-file-store.ts';

const place = useJsonFilePlace();
const YEAR_MS = 365 * DAY_MS;

/** Appends a generation that began now, by the clock of the host. */
async function record(store: JsonFileStore, id: string): Promise<void> {
  const generation = { created_at: new Date(place.nowMs + place.wallLeadMs).toISOString() };
  await store.generations.append(toRecord(id, { generation }), toContent(id));
}

async function recordDays(store: JsonFileStore, from: number, to: number): Promise<void> {
  for (let day = from; day <= to; day += 1) {
    await record(store, `day-${day}`);
    place.nowMs += DAY_MS;
  }
}

const idsOf = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `day-${to - index}`);

test('after a first start with a clock that was years ahead, each day is dropped when it is over', async () => {
  place.wallLeadMs = 4 * YEAR_MS;
  const first = await place.open({ retentionDays: 5 });
  await record(first, 'ahead');
  await first.close();
  place.wallLeadMs = 0;
  const second = await place.open({ retentionDays: 5 });
  await recordDays(second, 1, 6);
  await second.close();
  const third = await place.open({ retentionDays: 5 });
  await recordDays(third, 7, 12);
  await third.retention?.changes?.apply();
  expect(await listIds(third)).toEqual(idsOf(8, 12));
  expect(await third.generations.completeFromMs?.()).toBeLessThan(place.nowMs);
});

test('what was recorded while the clock was ahead is kept as long as what came after it', async () => {
  place.wallLeadMs = 4 * YEAR_MS;
  const first = await place.open({ retentionDays: 5 });
  await record(first, 'ahead');
  await first.close();
  place.wallLeadMs = 0;
  const second = await place.open({ retentionDays: 5 });
  await recordDays(second, 1, 5);
  await second.retention?.changes?.apply();
  expect(await listIds(second)).toContain('ahead');
  await recordDays(second, 6, 6);
  await second.retention?.changes?.apply();
  expect(await listIds(second)).not.toContain('ahead');
});

test('a clock that leaps ahead names no file, and what follows is dropped as ever', async () => {
  const store = await place.open({ retentionDays: 5 });
  await recordDays(store, 1, 1);
  place.wallLeadMs = YEAR_MS;
  await record(store, 'ahead');
  place.wallLeadMs = 0;
  expect((await place.logs()).join()).not.toContain('2027');
  await recordDays(store, 2, 12);
  await store.retention?.changes?.apply();
  expect(await listIds(store)).toEqual(idsOf(8, 12));
});

test('what is recorded after a month of rest, before the clock is believed, is not dropped with the month', async () => {
  const first = await place.open({ retentionDays: 5 });
  await recordDays(first, 1, 2);
  await first.close();
  place.wallLeadMs = 30 * DAY_MS;
  const store = await place.open({ retentionDays: 5 });
  await record(store, 'back');
  place.nowMs += 25 * HOUR_MS;
  await record(store, 'next');
  await store.retention?.changes?.apply();
  expect(store.retention?.isHeld()).toBe(false);
  expect(await listIds(store)).toEqual(['next', 'back']);
});

/** An hour of running each day, for two weeks after two days off: the clock is not believed in all that time. */
async function recordWhileHeld(runs: (day: number, run: () => Promise<void>) => Promise<void>): Promise<void> {
  place.nowMs = Date.parse('2026-06-05T10:00:00Z');
  for (let day = 5; day <= 19; day += 1) {
    if (day === 6) continue;
    await runs(day, async () => void (place.nowMs += HOUR_MS));
    place.wallLeadMs += (day === 5 ? 2 : 1) * DAY_MS - HOUR_MS;
  }
}

const heldIds = (from: number): string[] => idsOf(from, 19).filter((id) => id !== 'day-6');

async function listAfterHold(): Promise<string[]> {
  place.nowMs = Date.parse('2026-07-10T12:00:00Z');
  place.wallLeadMs = 0;
  const store = await place.open({ retentionDays: 30, trustsClock: true });
  await store.retention?.changes?.apply();
  return listIds(store);
}

test('what is recorded while the clock is held is kept as long as its own day, with a start each day', async () => {
  await recordWhileHeld(async (day, run) => {
    const store = await place.open({ retentionDays: 30 });
    await record(store, `day-${day}`);
    await run();
    expect(store.retention?.isHeld()).toBe(day > 5);
    await store.close();
  });
  expect(await listAfterHold()).toEqual(heldIds(10));
});

test('what is recorded while the clock is held is kept as long as its own day, in a process that slept', async () => {
  const store = await place.open({ retentionDays: 30 });
  await recordWhileHeld(async (day, run) => {
    await record(store, `day-${day}`);
    await run();
  });
  await store.close();
  expect(await listAfterHold()).toEqual(heldIds(10));
});

test('a clock that is corrected by a minute around midnight leaves a file a day', async () => {
  place.nowMs = Date.parse('2026-06-05T23:59:00Z');
  const store = await place.open();
  await record(store, 'before');
  for (const [index, lead] of [2, 0, 2, 0].entries()) {
    place.wallLeadMs = lead * 60_000;
    await record(store, `at-${index}`);
  }
  await store.close();
  expect((await place.logs()).filter((name) => name.startsWith('generations-'))).toHaveLength(2);
});

test('starts with a clock that was ahead before leave no more files than days', async () => {
  place.wallLeadMs = 4 * YEAR_MS;
  await (await place.open()).close();
  place.wallLeadMs = 0;
  for (let start = 0; start < 3; start += 1) await (await place.open()).close();
  expect((await place.logs()).filter((name) => name.startsWith('generations-'))).toHaveLength(1);
});

test('starts after calls were recorded by a clock that was ahead leave a file each day, not each start', async () => {
  place.wallLeadMs = 4 * YEAR_MS;
  const first = await place.open();
  await record(first, 'ahead');
  await first.close();
  place.wallLeadMs = 0;
  for (let start = 1; start <= 3; start += 1) {
    const store = await place.open();
    await record(store, `day-${start}`);
    await store.close();
  }
  expect((await place.logs()).filter((name) => name.startsWith('generations-'))).toHaveLength(2);
});

test('what a clock that was ahead has spent is not part of the budget of each day with a start', async () => {
  const first = await place.open();
  await record(first, 'day-1');
  place.wallLeadMs = 4 * YEAR_MS;
  await record(first, 'ahead');
  place.wallLeadMs = 0;
  await first.close();
  for (const day of ['2026-03-02', '2026-03-03']) {
    place.nowMs += DAY_MS;
    const store = await place.open();
    expect(await store.generations.spent({ since: day })).toMatchObject({ creditsNanoUsd: 0 });
    expect(await store.generations.spent({ since: '2026-03-01' })).toMatchObject({ creditsNanoUsd: 2000 });
    await store.close();
  }
});
