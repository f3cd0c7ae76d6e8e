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
      const find = async (principalId: string, key: string) =>
        (await videoJobs.findByIdempotencyKey?.(principalId, key))?.id;
      expectEqual(await find('key-1', 'odd \u0000 "key"'), 'second');
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
];
