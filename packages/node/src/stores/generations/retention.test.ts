import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Store } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createFaultyFileSystem } from '../../../../../test/support/stores/faulty-file-system.ts';
import { toContent, toRecord } from '../../../../../test/support/stores/generation-records.ts';
import {
  append,
  DAY_MS,
  HOUR_MS,
  listIds,
  useJsonFilePlace,
} from '../../../../../test/support/stores/json-file-place.ts';
import { planRetention, type RetentionLimits, segmentLimits } from './retention.ts';

const LIMITS: RetentionLimits = { retentionDays: 30, maxGenerations: 100, maxContentBytes: 1_000 };
const NOW = Date.parse('2026-03-31T12:00:00Z');

const segment = (name: string, records = 10, contentBytes = 100) => ({
  name,
  records,
  contentBytes,
  lastDay: name.slice(0, 10),
});
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

test('does not read how old those are that have no contents left', () => {
  const segments = [segment('2026-03-29', 1, 0), segment('2026-03-29.2', 1, 0), segment('2026-03-31')];
  const read: string[] = [];
  const daysOf = (name: string): readonly string[] => {
    read.push(name);
    return [name.slice(0, 10)];
  };
  planRetention(segments, '2026-03-31', { limits: { ...LIMITS, contentDays: 1 }, nowMs: NOW, daysOf });
  // The first one, for its records.
  expect(read).toEqual(['2026-03-29']);
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

const place = useJsonFilePlace();

test('a day older than the retention is dropped at start, its cost stays counted', async () => {
  await place.fillDays(4);
  for (const round of [1, 2]) {
    const store = await place.open({ retentionDays: 2 });
    expect(await listIds(store), `round ${round}`).toEqual(['day-4', 'day-3', 'day-2']);
    expect(await store.generations.get('day-1')).toBeUndefined();
    expect(await store.generations.getContent('day-1')).toBeUndefined();
    expect(await store.generations.spentNanoUsd('key-1')).toBe(4_000);
    await store.close();
  }
  expect((await place.logs()).join()).not.toContain('2026-03-01');
});

test('the cost of what was dropped stays counted to its day and to who was paid, over and over', async () => {
  const store = await place.open();
  for (const [index, day] of ['2026-02-27', '2026-02-28', '2026-03-01'].entries()) {
    const generation = { created_at: `${day}T10:00:00.000Z`, is_byok: day === '2026-02-28' };
    await store.generations.append(toRecord(`gen-${index}`, { costNanoUsd: 10 ** index, generation }), null);
  }
  await store.close();
  for (const round of [1, 2, 3]) {
    place.nowMs += 3 * DAY_MS;
    const later = await place.open({ retentionDays: 1, trustsClock: true });
    expect(await listIds(later), `round ${round}`).toEqual([]);
    const sum = (since?: string) => later.generations.spent({ principalId: 'key-1', since });
    expect(await sum(), `round ${round}`).toEqual({ creditsNanoUsd: 101, byokNanoUsd: 10 });
    expect(await sum('2026-02-28'), `round ${round}`).toEqual({ creditsNanoUsd: 100, byokNanoUsd: 10 });
    await later.close();
  }
});

test('the store says from when on it is complete, after another start too', async () => {
  await place.fillDays(4);
  const whole = await place.open();
  expect(whole.generations.completeFromMs?.()).toBeUndefined();
  const [, , second] = (await whole.generations.page({ limit: 4 })).records;
  await whole.close();
  // The last that was dropped began a moment before.
  const dropped = Date.parse(second?.generation.created_at ?? '');
  for (const retentionDays of [1, 30]) {
    const store = await place.open({ retentionDays });
    expect(await listIds(store)).toEqual(['day-4', 'day-3']);
    expect(await store.generations.completeFromMs?.()).toBe(dropped + 1);
    await store.close();
  }
});

test('a day that ends while the store is open makes the oldest one go', async () => {
  await place.fillDays(2);
  const store = await place.open({ retentionDays: 1 });
  place.nowMs += DAY_MS;
  const dropped = place.nextMessage();
  await append(store, 'gen-a');
  expect(await dropped).toBe('Old generations were dropped');
  expect(await listIds(store)).toEqual(['gen-a', 'day-2']);
  expect((await place.logs()).join()).not.toContain('2026-03-01');
  await append(store, 'gen-b');
  await store.close();
  expect(await listIds(await place.open())).toEqual(['gen-b', 'gen-a', 'day-2']);
});

test('what is dropped stays counted even if power fails: the sums are synced before files are removed', async () => {
  await place.fillDays(3);
  place.files = createFaultyFileSystem();
  await place.open({ retentionDays: 1 });
  const beforeRemoval = place.files.names.slice(0, place.files.names.indexOf('unlink'));
  expect(beforeRemoval.slice(beforeRemoval.lastIndexOf('write'))).toContain('sync');
});

test('a store without writes drops its old days, too', async () => {
  const store = await place.open({ retentionDays: 1 });
  await append(store, 'gen-1');
  place.nowMs += 3 * DAY_MS;
  place.timers.fire(HOUR_MS);
  await store.close();
  place.timers.fire(HOUR_MS);
  const again = await place.open({ retentionDays: 1 });
  expect(await listIds(again)).toEqual([]);
  expect(await again.generations.spentNanoUsd('key-1')).toBe(1_000);
});

test('more generations than the limit make the oldest days go, their cost stays counted', async () => {
  await place.fillDays(10);
  const store = await place.open({ maxGenerations: 4 });
  expect(await listIds(store)).toEqual(['day-10', 'day-9', 'day-8', 'day-7']);
  expect(await store.generations.spentNanoUsd('key-1')).toBe(10_000);
});

test('in a rush the newest generations are kept, without a gap, and all of the cost', async () => {
  const store = await place.open({ maxGenerations: 50 });
  for (let index = 1; index <= 200; index += 1) await append(store, `gen-${index}`);
  await store.close();
  const again = await place.open({ maxGenerations: 50 });
  const kept = await listIds(again);
  expect(kept.length).toBeGreaterThanOrEqual(40);
  expect(kept).toEqual(Array.from(kept, (_, index) => `gen-${200 - index}`));
  for (const id of kept) expect(await again.generations.getContent(id)).toEqual(toContent(id));
  expect(await again.generations.spentNanoUsd('key-1')).toBe(200_000);
});

test('more content than the limit makes the oldest content go, its generations are kept', async () => {
  await place.fillDays(10);
  const bytesOfDay = (await place.readLog('content-2026-03-02.ndjson')).length;
  const [dropped, kept] = [
    ['day-1', 'day-6'],
    ['day-7', 'day-10'],
  ];
  for (const round of [1, 2]) {
    const store = await place.open({ maxContentBytes: bytesOfDay * 4.5 });
    expect(await listIds(store), `round ${round}`).toHaveLength(10);
    for (const id of dropped) expect(await store.generations.getContent(id)).toBeUndefined();
    for (const id of kept) expect(await store.generations.getContent(id)).toEqual(toContent(id));
    await store.close();
  }
  expect(await place.logs()).not.toContain('content-2026-03-06.ndjson');
  expect(await place.logs()).toContain('content-2026-03-07.ndjson');
  expect(place.warnings).toEqual([]);
});

test('a later version does not bring back a generation that was dropped', async () => {
  const first = await place.open();
  await append(first, 'gen-1');
  await first.close();
  place.nowMs += 2 * DAY_MS;
  const second = await place.open({ trustsClock: true });
  await second.generations.update(toRecord('gen-1', { costNanoUsd: 7 }));
  await append(second, 'gen-2');
  await second.close();
  for (const round of [1, 2]) {
    const third = await place.open({ retentionDays: 1 });
    expect(await listIds(third), `round ${round}`).toEqual(['gen-2']);
    expect(await third.generations.spentNanoUsd('key-1')).toBe(1_007);
    await third.close();
  }
});

test('damaged copies go with the day they are of', async () => {
  await place.fillDays(1);
  const path = join(place.dir, 'logs', 'generations-2026-03-01.ndjson');
  await writeFile(path, Buffer.concat([await readFile(path), Buffer.alloc(8)]));
  place.nowMs += 5 * DAY_MS;
  await (await place.open({ trustsClock: true })).close();
  expect((await place.logs()).join()).toContain('corrupt');
  await (await place.open({ retentionDays: 1 })).close();
  expect((await place.logs()).join()).not.toContain('2026-03-01');
});

test('a machine that stops at any call while dropping loses no cost and brings nothing back', async () => {
  const start = place.nowMs;
  const prepare = async (name: string): Promise<void> => {
    [place.dir, place.nowMs, place.files] = [join(place.root, name), start, createFaultyFileSystem()];
    await place.fillDays(3);
  };
  await prepare('counted');
  place.files = createFaultyFileSystem();
  await (await place.open({ retentionDays: 1 })).close();
  const calls = place.files.calls;
  for (let nth = 1; nth <= calls; nth += 1) {
    await prepare(`${nth}`);
    place.files.failFrom(nth, { code: 'EIO', writtenBytes: 30 });
    const store = await place.open({ retentionDays: 1 }).catch(() => undefined);
    await store?.close().catch(() => undefined);
    place.files.heal();
    const again = await place.open({ retentionDays: 1 });
    expect(await listIds(again), `call ${nth}`).toEqual(['day-3', 'day-2']);
    expect(await again.generations.spentNanoUsd('key-1'), `call ${nth}`).toBe(3_000);
    await again.close();
    expect((await place.logs()).join(), `call ${nth}`).not.toContain('2026-03-01');
  }
});

const keep = (store: Pick<Store, 'settings'>, days: number | null, contentDays: number | null) =>
  store.settings.update((settings) => ({ ...settings, retention: { days, content_days: contentDays } }));

const FAULTS = [
  ['write', 'ENOSPC'],
  ['sync', 'EIO'],
  ['unlink', 'EBUSY'],
] as const;

test.each(FAULTS)('a failed %s while dropping loses no cost once more is dropped', async (call, code) => {
  await place.fillDays(6);
  const store = await place.open();
  const drop = async (days: number, fault?: typeof code): Promise<void> => {
    await keep(store, days, null);
    if (fault !== undefined) place.files.failNth(1, { code: fault }, call);
    await store.retention?.changes?.apply();
  };
  await expect(drop(4, code)).rejects.toThrow(code);
  await drop(2);
  expect(await store.generations.spentNanoUsd('key-1')).toBe(6_000);
  await store.close();
  const again = await place.open();
  expect(await listIds(again)).toEqual(['day-6', 'day-5', 'day-4']);
  expect(await again.generations.spentNanoUsd('key-1')).toBe(6_000);
});

test.each(FAULTS)('what a failed %s has left on the disk is dropped by the next check', async (call, code) => {
  await place.fillDays(4);
  const store = await place.open();
  await keep(store, 2, null);
  place.files.failNth(1, { code }, call);
  await expect(store.retention?.changes?.apply()).rejects.toThrow(code);
  expect((await place.logs()).join()).toContain('2026-03-01');
  await store.retention?.changes?.apply();
  expect((await place.logs()).join()).not.toContain('2026-03-01');
  await store.close();
  expect(await (await place.open()).generations.spentNanoUsd('key-1')).toBe(4_000);
});

test('made-up generations are discarded with what they cost, and others stay', async () => {
  place.nowMs = Date.parse('2026-03-04T23:59:59.999Z');
  const before = await place.open();
  await before.generations.append(toRecord('made-up', { principalId: 'sample', costNanoUsd: 5_000 }), toContent('a'));
  await before.close();

  place.nowMs = Date.parse('2026-03-05T10:00:00Z');
  const store = await place.open();
  await append(store, 'real');
  await expect(store.discardThrough('2026-03-05')).rejects.toThrow('Segment 2026-03-05 is still written to');
  await store.discardThrough('2026-03-04');
  await store.discardThrough('2026-03-04');
  const facts = async (opened: typeof store) => ({
    ids: await listIds(opened),
    sample: await opened.generations.spentNanoUsd('sample'),
    total: await opened.generations.spent({}),
    completeFromMs: await opened.generations.completeFromMs?.(),
  });
  const expected = {
    ids: ['real'],
    sample: 0,
    total: { creditsNanoUsd: 1_000, byokNanoUsd: 0 },
    completeFromMs: 0,
  };
  expect(await facts(store)).toEqual(expected);
  await store.close();
  expect((await place.logs()).join()).not.toContain('2026-03-04');

  const again = await place.open();
  expect(await facts(again)).toEqual(expected);
  await again.close();
});

test('what is kept is changed while the store is open: first counted, then dropped', async () => {
  await place.fillDays(6);
  const store = await place.open();
  const { changes } = store.retention ?? {};
  expect(changes?.configuredDays).toBe(30);
  const bytesOfDay = (await place.readLog('content-2026-03-02.ndjson')).length;
  expect(await changes?.preview({ days: 4, contentDays: 2 })).toEqual({
    generations: 1,
    contents: 3,
    contentBytes: bytesOfDay * 3,
  });
  expect(await changes?.preview({ days: 30, contentDays: 30 })).toMatchObject({ generations: 0, contents: 0 });
  expect(await listIds(store)).toHaveLength(6);

  await keep(store, 4, 2);
  await changes?.apply();
  expect(await listIds(store)).toEqual(['day-6', 'day-5', 'day-4', 'day-3', 'day-2']);
  expect(await store.generations.getContent('day-3')).toBeUndefined();
  expect(await store.generations.getContent('day-4')).toEqual(toContent('day-4'));
  expect(await store.generations.spentNanoUsd('key-1')).toBe(6_000);
  await store.close();

  const again = await place.open();
  expect(await listIds(again)).toHaveLength(5);
  expect(await again.generations.getContent('day-3')).toBeUndefined();
  expect(place.warnings).toEqual([]);
});

test('a store that is opened to keep all keeps what its settings would drop', async () => {
  await place.fillDays(6);
  const store = await place.open();
  await keep(store, 2, null);
  await store.close();
  const whole = await place.open({ retentionDays: Infinity });
  expect(await listIds(whole)).toHaveLength(6);
  await whole.close();
  expect(await listIds(await place.open())).toHaveLength(3);
});
