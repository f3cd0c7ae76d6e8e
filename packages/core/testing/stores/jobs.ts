import type { BroadcastRow, DeliveryAttempt, Store, VideoJob } from '@model-gateway/core';

import { expectEqual } from '../contract-case.ts';
import { toVideoJob } from '../rows.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

/** What a page of a table is chosen by. */
type QueryOf<Table extends 'broadcasts' | 'videoJobs'> = Omit<
  Parameters<NonNullable<Store[Table]['page']>>[0],
  'limit'
>;

const DELIVERY: BroadcastRow = {
  kind: 'delivery',
  id: 'row-1',
  destinationId: 'd',
  generationIds: ['gen-1', 'gen-2'],
  state: 'waiting',
  attempts: 1,
  nextAttemptAt: 5,
  lastResult: 'HTTP 503',
  createdAt: Date.now(),
};
const PROGRESS: BroadcastRow = { kind: 'progress', id: 'd', through: 'gen-2' };

export const broadcastCases: readonly StoreCase[] = [
  storeCase('A store keeps what is still to be broadcast, changes it, and lets go of it', async (store) => {
    const { broadcasts } = store;
    for (const row of [DELIVERY, PROGRESS]) expectEqual(await broadcasts.update(row.id, () => row, row), row);
    expectEqual(await broadcasts.list(), [DELIVERY, PROGRESS]);
    const moved = { ...PROGRESS, through: 'gen-3' };
    await broadcasts.update('d', () => moved, moved);
    expectEqual(await broadcasts.get('d'), moved);
    expectEqual(await broadcasts.remove('row-1'), true);
    expectEqual(await broadcasts.list(), [moved]);
  }),

  storeCase(
    'A store lists the deliveries to one destination, oldest first',
    async (store) => {
      const { broadcasts } = store;
      const again = { ...DELIVERY, id: 'row-2', state: 'failed' } as const;
      const odd = { ...DELIVERY, id: 'row-3', destinationId: 'odd \u0000 "d"' };
      for (const row of [DELIVERY, PROGRESS, odd, again]) await broadcasts.insert(row);
      expectEqual(await broadcasts.listOf?.('d'), [DELIVERY, again]);
      expectEqual(await broadcasts.listOf?.(odd.destinationId), [odd]);
      expectEqual(await broadcasts.listOf?.('of nobody'), []);
    },
    'broadcasts.listOf',
  ),

  storeCase(
    'A store pages through deliveries, the last stored first, and counts all that are chosen',
    async (store) => {
      const { broadcasts } = store;
      const failed = { ...DELIVERY, id: 'row-2', state: 'failed' } as const;
      const lastResult = 'odd \u0000 \\u0000 \ud800 "state":"failed"';
      const odd = { ...DELIVERY, id: 'row-3', destinationId: 'odd \u0000 "d"', lastResult };
      for (const row of [DELIVERY, PROGRESS, failed, odd]) await broadcasts.insert(row);
      const page = async (query: QueryOf<'broadcasts'>, limit = 10) => {
        const found = await broadcasts.page?.({ ...query, limit });
        return [found?.deliveries, found?.totalCount];
      };
      expectEqual(await page({}), [[odd, failed, DELIVERY], 3]);
      expectEqual(await page({}, 1), [[odd], 3]);
      expectEqual(await page({ destinationId: 'd' }, 1), [[failed], 2]);
      expectEqual(await page({ destinationId: odd.destinationId }), [[odd], 1]);
      expectEqual(await page({ state: 'waiting' }), [[odd, DELIVERY], 2]);
      expectEqual(await page({ destinationId: 'd', state: 'failed' }), [[failed], 1]);
      expectEqual(await page({ destinationId: 'of nobody' }), [[], 0]);
      const waiting = { ...failed, state: 'waiting' } as const;
      await broadcasts.update('row-2', () => waiting);
      expectEqual(await page({ state: 'failed' }), [[], 0]);
      expectEqual(await page({ destinationId: 'd', state: 'waiting' }), [[waiting, DELIVERY], 2]);
    },
    'broadcasts.page',
  ),

  durableStoreCase('A store finds what is still to be broadcast when it is opened again', async (store, reopen) => {
    const { broadcasts } = store;
    for (const row of [DELIVERY, { ...DELIVERY, id: 'row-2' }, PROGRESS]) await broadcasts.insert(row);
    await broadcasts.remove('row-2');
    store = await reopen();
    expectEqual(await store.broadcasts.list(), [DELIVERY, PROGRESS]);
  }),
];

const NOW = Date.now();
const HOUR_MS = 3_600_000;

const attempt = (ids: readonly string[], changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  destinationId: 'd-1',
  generationIds: ids,
  sentAt: NOW,
  tookMs: 12,
  hasArrived: true,
  result: 'HTTP 200',
  ...changes,
});

export const deliveryCases: readonly StoreCase[] = [
  storeCase('The deliveries of a store are those of each generation, oldest first, failed ones too', async (store) => {
    const failed = attempt(['a', 'b'], { hasArrived: false, result: 'HTTP 500', sentAt: NOW - 60_000 });
    const arrived = attempt(['a']);
    const elsewhere = attempt(['b', 'a'], { destinationId: 'd-2', sentAt: NOW - 30_000 });
    for (const one of [failed, elsewhere, arrived]) await store.deliveries.append(one);
    expectEqual(await store.deliveries.of('a', NOW - HOUR_MS), [failed, elsewhere, arrived]);
    expectEqual(await store.deliveries.of('b', NOW - HOUR_MS), [failed, elsewhere]);
    expectEqual(await store.deliveries.of('c', NOW - HOUR_MS), []);
  }),

  storeCase(
    'The deliveries of a store do not take one id for another that contains it, nor for other texts',
    async (store) => {
      await store.deliveries.append(attempt(['gen-10', 'x"gen-1"'], { result: 'gen-1' }));
      expectEqual(await store.deliveries.of('gen-1', NOW - HOUR_MS), []);
      expectEqual((await store.deliveries.of('x"gen-1"', NOW - HOUR_MS)).length, 1);
    },
  ),

  storeCase('The deliveries of a store are all there when many are noted at once', async (store) => {
    const ids = Array.from({ length: 200 }, (_, index) => `gen-${index}`);
    await Promise.all(ids.map((id) => store.deliveries.append(attempt([id]))));
    for (const id of ['gen-0', 'gen-99', 'gen-199'])
      expectEqual((await store.deliveries.of(id, NOW - HOUR_MS)).length, 1);
  }),

  durableStoreCase('The deliveries of a store outlive a restart', async (store, reopen) => {
    await store.deliveries.append(attempt(['a']));
    store = await reopen();
    await store.deliveries.append(attempt(['a'], { sentAt: NOW + 1 }));
    expectEqual(await store.deliveries.of('a', NOW - HOUR_MS), [attempt(['a']), attempt(['a'], { sentAt: NOW + 1 })]);
  }),
];

export const videoJobCases: readonly StoreCase[] = [
  durableStoreCase('What a video job with an own key reserves and costs outlives a restart', async (store, reopen) => {
    const own = { ownKeyId: 'own-1', providerKey: 'byok:mine', isByok: true, feeMillionths: 50_000 };
    const job = toVideoJob('own', { ...own, reservedFeeNanoUsd: 48 });
    await store.videoJobs.insert(job);
    store = await reopen();
    expectEqual(await store.videoJobs.get('own'), job);
    const { reservedFeeNanoUsd: _, ...rest } = job;
    const ended: VideoJob = { ...rest, status: 'completed', reservedNanoUsd: 0, costNanoUsd: 840, feeNanoUsd: 40 };
    await store.videoJobs.update('own', () => ended);
    store = await reopen();
    expectEqual(await store.videoJobs.get('own'), ended);
  }),

  storeCase(
    'A store finds the video jobs that have work left, oldest first, and those that nobody holds',
    async (store) => {
      const { videoJobs } = store;
      const lease = (untilMs: number) => ({ lease: { ownerId: 'o', token: 1, untilMs } });
      await videoJobs.insert(toVideoJob('free'));
      await videoJobs.insert(toVideoJob('ended', { status: 'failed' }));
      await videoJobs.insert(toVideoJob('held', lease(2000)));
      await videoJobs.insert(toVideoJob('over', lease(1000)));
      const list = async (freeAtMs: number | undefined, limit: number) =>
        (await videoJobs.listWorking?.({ freeAtMs, limit }))?.map(({ id }) => id);
      expectEqual(await list(undefined, 10), ['free', 'held', 'over']);
      expectEqual(await list(1000, 10), ['free', 'over']);
      expectEqual(await list(2000, 2), ['free', 'held']);
      await videoJobs.update('free', (job) => ({ ...job, status: 'failed' }));
      expectEqual(await list(1000, 10), ['over']);
    },
    'videoJobs.listWorking',
  ),

  storeCase(
    'A store finds the newest video job that a principal has ordered with a key',
    async (store) => {
      const { videoJobs } = store;
      const ordered = (key: string) => ({ idempotency: { key, bodyHash: 'h' } });
      await videoJobs.insert(toVideoJob('first', ordered('odd \u0000 "key"')));
      await videoJobs.insert(toVideoJob('second', ordered('odd \u0000 "key"')));
      await videoJobs.insert(toVideoJob('of another', { principalId: 'key-2', ...ordered('k') }));
      await videoJobs.insert(toVideoJob('without'));
      const find = async (principalId: string, key: string, exceptId?: string) =>
        (await videoJobs.findByIdempotencyKey?.(principalId, key, exceptId))?.id;
      expectEqual(await find('key-1', 'odd \u0000 "key"'), 'second');
      expectEqual(await find('key-1', 'odd \u0000 "key"', 'second'), 'first');
      expectEqual(await find('key-2', 'k', 'of another'), undefined);
      expectEqual(await find('key-2', 'k'), 'of another');
      expectEqual(await find('key-1', 'k'), undefined);
    },
    'videoJobs.findByIdempotencyKey',
  ),

  storeCase(
    'A store lists the newest video jobs first, up to a limit',
    async (store) => {
      const { videoJobs } = store;
      for (const id of ['a', 'b', 'c']) await videoJobs.insert(toVideoJob(id));
      await videoJobs.update('a', (job) => ({ ...job, status: 'failed' }));
      expectEqual(
        (await videoJobs.listNewest?.(2))?.map(({ id }) => id),
        ['c', 'b'],
      );
    },
    'videoJobs.listNewest',
  ),

  storeCase(
    'A store pages through video jobs by when they were ordered, and counts all that are chosen',
    async (store) => {
      const { videoJobs } = store;
      const createdAt = Date.now();
      const announced = (state: 'waiting' | 'delivered', body: string | null): Partial<VideoJob> => ({
        delivery: { url: 'https://a.example', state, body, attempts: 0, nextAttemptAt: 0, lastResult: null },
      });
      const prompt = 'odd \u0000 \\u0000 \ud800 "status":"pending"';
      const odd = { ...toVideoJob('odd').order, prompt, options: { status: 'failed' } };
      await videoJobs.insert(toVideoJob('last', { createdAt: createdAt + 1000, status: 'failed' }));
      await videoJobs.insert(toVideoJob('first', { createdAt: createdAt - 1000, ...announced('waiting', null) }));
      await videoJobs.insert(toVideoJob('told', { createdAt, status: 'completed', ...announced('delivered', '{}') }));
      await videoJobs.insert(
        toVideoJob('odd', { createdAt, status: 'completed', order: odd, ...announced('waiting', '') }),
      );
      const page = async (query: QueryOf<'videoJobs'>, limit = 10) => {
        const found = await videoJobs.page?.({ ...query, limit });
        return [found?.jobs.map(({ id }) => id), found?.totalCount];
      };
      expectEqual(await page({}), [['last', 'odd', 'told', 'first'], 4]);
      expectEqual(await page({}, 2), [['last', 'odd'], 4]);
      expectEqual(await page({ status: 'completed' }, 1), [['odd'], 2]);
      expectEqual(await page({ status: 'pending' }), [['first'], 1]);
      expectEqual(await page({ announcement: 'any' }), [['odd', 'told'], 2]);
      expectEqual(await page({ announcement: 'waiting' }), [['odd'], 1]);
      expectEqual(await page({ announcement: 'failed' }), [[], 0]);
      await videoJobs.update('first', (job) => ({ ...job, status: 'expired', ...announced('delivered', '{}') }));
      expectEqual(await page({ status: 'pending' }), [[], 0]);
      expectEqual(await page({ announcement: 'delivered' }), [['told', 'first'], 2]);
      expectEqual((await videoJobs.page?.({ limit: 3 }))?.jobs.at(1), await videoJobs.get('odd'));
    },
    'videoJobs.page',
  ),

  storeCase(
    'A store lists the video jobs that were ordered within a span',
    async (store) => {
      const { videoJobs } = store;
      for (const createdAt of [1000, 2000, 3000, 4000]) {
        await videoJobs.insert(toVideoJob(String(createdAt), { createdAt }));
      }
      const found = await videoJobs.listOrdered?.({ sinceMs: 2000, untilMs: 3000 });
      expectEqual(found?.map(({ id }) => id).toSorted(), ['2000', '3000']);
    },
    'videoJobs.listOrdered',
  ),
];
