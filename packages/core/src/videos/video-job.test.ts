import { expect, test } from 'vitest';

import { toVideoJob } from '../../testing/rows.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import type { VideoJobPage, VideoJobQuery, VideoJobRepository } from '../stores/store.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
import { pageVideoJobs } from './video-job.ts';

const announced = (state: 'waiting' | 'delivered', body: string | null): Partial<VideoJob> => ({
  delivery: { url: 'https://a.example', state, body, attempts: 0, nextAttemptAt: 0, lastResult: null },
});

async function createJobs(): Promise<VideoJobRepository> {
  const { videoJobs } = createMemoryStore();
  await videoJobs.insert(toVideoJob('last', { createdAt: 3000, status: 'failed' }));
  await videoJobs.insert(toVideoJob('first', { createdAt: 1000, ...announced('waiting', null) }));
  await videoJobs.insert(toVideoJob('told', { createdAt: 2000, status: 'completed', ...announced('delivered', '{}') }));
  await videoJobs.insert(toVideoJob('due', { createdAt: 2000, status: 'completed', ...announced('waiting', '{}') }));
  return videoJobs;
}

const idsOf = ({ jobs, totalCount }: VideoJobPage): unknown => [jobs.map(({ id }) => id), totalCount];

test.each<[VideoJobQuery, ids: readonly string[], count: number]>([
  [{ limit: 10 }, ['last', 'due', 'told', 'first'], 4],
  [{ limit: 2 }, ['last', 'due'], 4],
  [{ limit: 1, status: 'completed' }, ['due'], 2],
  [{ limit: 10, announcement: 'any' }, ['due', 'told'], 2],
  [{ limit: 10, announcement: 'waiting' }, ['due'], 1],
  [{ limit: 10, announcement: 'failed' }, [], 0],
])('pages through all that a store lists, by %j', async (query, ids, count) => {
  expect(idsOf(await pageVideoJobs(await createJobs(), query))).toEqual([ids, count]);
});

test('does not list what a store pages through itself', async () => {
  const jobs = await createJobs();
  const list = (): never => {
    throw new Error('too many');
  };
  const page = (query: VideoJobQuery): Promise<VideoJobPage> => pageVideoJobs(jobs, query);
  expect(idsOf(await pageVideoJobs({ ...jobs, list, page }, { limit: 1 }))).toEqual([['last'], 4]);
});
