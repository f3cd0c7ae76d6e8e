import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';
import {
  createSharedStore,
  createVideoProcess,
  type VideoProcess,
} from '../../../../test/support/videos/video-processes.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { VideoProgress } from '../providers/video-contract.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import type { Store } from '../stores/store.ts';
import type { VideoJob } from '../stores/video-jobs.ts';

const MINUTE_MS = 60_000;
const ABANDONED_MS = 6 * MINUTE_MS;
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const FAILED: VideoProgress = { status: 'failed', error: 'Film could not' };

test('195: a job has one owner while its lease is renewed, and another after it expires', async () => {
  const store = createSharedStore();
  const progress = (_: string, number: number): VideoProgress =>
    number % 10 === 5 ? { status: 'in_progress', retryAfterMs: 290_000 } : { status: 'in_progress' };
  const working = { progress };
  const [one, other] = [createVideoProcess(store, working), createVideoProcess(store, working)];
  await Promise.all([one.gateway.start(), other.gateway.start()]);
  await one.submit();
  for (let minute = 0; minute < 30; minute += 1) {
    await one.platform.advance(MINUTE_MS);
    await other.platform.advance(MINUTE_MS);
  }
  expect([one.polls.length > 20, other.polls.length]).toEqual([true, 0]);
  // The first stands still from here on.
  await other.platform.advance(ABANDONED_MS);
  expect(other.polls.length).toBeGreaterThan(0);
});

test.each<[VideoProgress, VideoProgress]>([
  [{ status: 'completed', outputs: [{}] }, FAILED],
  [{ status: 'pending' }, { status: 'in_progress' }],
  [{ status: 'pending' }, FAILED],
])('195: once an owner has found %o, a former one that still finds %o changes nothing', async (found, late) => {
  const store = createSharedStore();
  const look = createDeferred<VideoProgress>();
  const one = createVideoProcess(store, { progress: () => look.promise });
  const other = createVideoProcess(store, { progress: () => found });
  await one.gateway.start();
  const id = await one.submit();
  await one.platform.advance(30_000);
  expect(one.polls).toHaveLength(1);
  // The process is suspended in the middle of a poll, and continues much later.
  await other.gateway.start();
  await other.platform.advance(ABANDONED_MS);
  const job = await store.videoJobs.get(id);
  expect(job).toMatchObject({ status: found.status, lease: { token: 2 } });
  look.resolve(late);
  await one.platform.advance(MINUTE_MS);
  expect(await store.videoJobs.get(id)).toEqual(job);
  expect((await store.generations.page({ limit: 10 })).records).toHaveLength(found.outputs?.length ?? 0);
});

test('what one process has set aside for a job is free again there when another has ended the job', async () => {
  const store = createSharedStore();
  const one = createVideoProcess(store);
  const other = createVideoProcess(store, { progress: () => FAILED });
  await one.gateway.start();
  await one.submit();
  await expect(one.submit()).rejects.toThrow(/^402 /);
  await other.gateway.start();
  await other.platform.advance(ABANDONED_MS);
  expect((await store.videoJobs.list()).map(({ status }) => status)).toEqual(['failed']);
  await one.platform.advance(MINUTE_MS);
  await one.submit();
});

test.each([
  ['did not store', false],
  ['stored', true],
])('what is held for a job that a failing store %s is free once that is known, and not before', async (_, isStored) => {
  const memory = createMemoryStore();
  let isAway = true;
  const away = () => new GatewayError('provider_overloaded', 'The store is away');
  const whileThere = <Result>(ask: () => Result): Result => {
    if (isAway) throw away();
    return ask();
  };
  const videoJobs: Store['videoJobs'] = {
    ...memory.videoJobs,
    get: async (id) => whileThere(() => memory.videoJobs.get(id)),
    update: async (id, change) => whileThere(() => memory.videoJobs.update(id, change)),
    async insert(job) {
      if (isStored || !isAway) await memory.videoJobs.insert(job);
      if (isAway) throw away();
    },
  };
  const process = createVideoProcess({ ...memory, videoJobs }, {}, { logger: SILENT });
  await process.gateway.start();
  await expect(process.submit()).rejects.toThrow(/^503 /);
  await process.platform.advance(MINUTE_MS);
  await expect(process.submit()).rejects.toThrow(/^402 /);
  isAway = false;
  await process.platform.advance(ABANDONED_MS);
  expect((await memory.videoJobs.list()).map(({ status }) => status)).toEqual(isStored ? ['failed'] : []);
  await process.submit();
});

test('a job ends though a restart has left its model out of the configuration, or has not discovered it yet', async () => {
  const store = createSharedStore();
  const before = createVideoProcess(store);
  const id = await before.submit();
  const after = createVideoProcess(store, {}, { models: [] });
  await after.gateway.start();
  await after.platform.advance(ABANDONED_MS);
  expect(await store.videoJobs.get(id)).toMatchObject({ status: 'completed', costNanoUsd: null });
});

test('an embedder waits for the end of a job, wherever it is looked after, and hears of each change', async () => {
  const store = createSharedStore();
  const progress = (_: string, number: number): VideoProgress =>
    number < 2 ? { status: 'in_progress' } : { status: 'completed', outputs: [{}] };
  const [one, other] = [createVideoProcess(store, { progress }), createVideoProcess(store)];
  await one.gateway.start();
  const changes: string[] = [];
  const stopListening = one.gateway.onVideoChange(({ status }: VideoJob) => {
    changes.push(status);
    throw new Error('a listener that fails');
  });
  const id = await one.submit();
  const here = one.gateway.waitForVideo(id);
  const elsewhere = other.gateway.waitForVideo(id);
  await one.platform.advance(5 * MINUTE_MS);
  await other.platform.advance(MINUTE_MS);
  const expected = { id, status: 'completed', polling_url: `/api/v1/videos/${id}`, usage: { cost: 0.4 } };
  expect(await here).toMatchObject(expected);
  expect(await elsewhere).toMatchObject(expected);
  expect(changes).toEqual(['pending', 'in_progress', 'completed']);

  stopListening();
  expect(await one.gateway.waitForVideo(id)).toMatchObject({ status: 'completed' });
  await expect(one.gateway.waitForVideo('no-such-job')).rejects.toMatchObject({ code: 'not_found' });
});

test('waiting for a job ends when the one who waits gives up, or the gateway closes', async () => {
  const store = createSharedStore();
  const one = createVideoProcess(store, { progress: () => ({ status: 'in_progress' }) });
  const id = await one.submit();
  const giveUp = new AbortController();
  const given = one.gateway.waitForVideo(id, giveUp.signal);
  giveUp.abort(new Error('long enough'));
  await expect(given).rejects.toThrow('long enough');
  const waiting = one.gateway.waitForVideo(id);
  await Promise.all([
    expect(waiting).rejects.toThrow('shutting down'),
    one.gateway.close(),
    one.platform.advance(MINUTE_MS),
  ]);
});

/** Lets a second pass in each of them, again and again. */
async function advanceAll(processes: readonly VideoProcess[], ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) {
    for (const { platform } of processes) await platform.advance(1000);
  }
}

test('195: the jobs of a process that dies are polled by the others within 75 seconds, each by one', async () => {
  const store = createSharedMemoryStore(() => VIRTUAL_EPOCH_MS);
  const working = { progress: (): VideoProgress => ({ status: 'in_progress' }) };
  const [dead, one, other] = [
    createVideoProcess(store, working),
    createVideoProcess(store, working),
    createVideoProcess(store, working),
  ];
  await Promise.all([dead, one, other].map(({ gateway }) => gateway.start()));
  const principal = { kind: 'api', id: 'rich', name: 'rich' } as const;
  for (let count = 0; count < 8; count += 1) await dead.submit({}, principal);
  await advanceAll([dead, one, other], 20_000);
  const jobs = await store.videoJobs.list();
  expect([dead.polls.length > 0, one.polls, other.polls]).toEqual([true, [], []]);
  await advanceAll([one, other], 75_000);
  const [ones, others] = [new Set(one.polls), new Set(other.polls)];
  expect([...ones].filter((id) => others.has(id))).toEqual([]);
  expect(ones.size + others.size).toBe(jobs.length);
});

test('195: clocks that differ by ten seconds give no job a second poller, however seldom it is polled', async () => {
  const store = createSharedMemoryStore(() => VIRTUAL_EPOCH_MS);
  const waits = [undefined, 36_000, 44_000, 46_000, 58_000, 61_000, 120_000];
  const progress = (_: string, number: number): VideoProgress => ({
    status: 'in_progress',
    retryAfterMs: waits[number % waits.length],
  });
  const [owner, ahead] = [createVideoProcess(store, { progress }), createVideoProcess(store, { progress })];
  ahead.platform.setWallClock(10_000);
  await Promise.all([owner.gateway.start(), ahead.gateway.start()]);
  await owner.submit();
  await advanceAll([owner, ahead], 30 * MINUTE_MS);
  expect([owner.polls.length > 20, ahead.polls]).toEqual([true, []]);
});

test('a process reads neither the jobs of others nor those that have ended to find what it has to do', async () => {
  const store = createSharedMemoryStore(() => VIRTUAL_EPOCH_MS);
  const working = { progress: (): VideoProgress => ({ status: 'in_progress' }) };
  const one = createVideoProcess(store, working);
  await one.gateway.start();
  await one.submit();
  const reads: string[] = [];
  const { videoJobs } = store;
  const watched: Store = {
    ...store,
    videoJobs: {
      ...videoJobs,
      list: () => {
        reads.push('list');
        return videoJobs.list();
      },
      get: (id) => {
        reads.push('get');
        return videoJobs.get(id);
      },
    },
  };
  const other = createVideoProcess(watched, working);
  await other.gateway.start();
  await advanceAll([one, other], 5 * MINUTE_MS);
  expect(reads).toEqual([]);
});

test('a process that is closed leaves its jobs to the others at once', async () => {
  const store = createSharedMemoryStore(() => VIRTUAL_EPOCH_MS);
  const working = { progress: (): VideoProgress => ({ status: 'in_progress' }) };
  const [one, other] = [createVideoProcess(store, working), createVideoProcess(store, working)];
  await Promise.all([one.gateway.start(), other.gateway.start()]);
  await one.submit();
  await advanceAll([one, other], 20_000);
  const polled = one.polls.length;
  await Promise.all([one.gateway.close(), one.platform.advance(10_000)]);
  await other.platform.advance(20_000);
  expect([one.polls.length, other.polls.length > 0]).toEqual([polled, true]);
});

test('a process takes up jobs once a store is back that was away when it started', async () => {
  const store = createSharedMemoryStore(() => VIRTUAL_EPOCH_MS);
  const before = createVideoProcess(store);
  const id = await before.submit();
  let isAway = true;
  const { videoJobs } = store;
  const listWorking: NonNullable<typeof videoJobs.listWorking> = async (query) => {
    if (isAway) throw new Error('the store is away');
    return (await videoJobs.listWorking?.(query)) ?? [];
  };
  const after = createVideoProcess({ ...store, videoJobs: { ...videoJobs, listWorking } });
  await after.gateway.start();
  await after.platform.advance(MINUTE_MS);
  isAway = false;
  await after.platform.advance(MINUTE_MS);
  expect(await store.videoJobs.get(id)).toMatchObject({ status: 'completed' });
});
