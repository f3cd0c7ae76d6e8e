import type { VideoJobQuery } from '../../stores/store.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';
import { expectEqual } from '../assertions.ts';
import { toVideoJob } from '../rows/video-jobs.ts';
import { storeCase, type StoreCase } from './store-case.ts';

export const videoJobCases: readonly StoreCase[] = [
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
      const page = async (query: Omit<VideoJobQuery, 'limit'>, limit = 10) => {
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
