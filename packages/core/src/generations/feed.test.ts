import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
import { createFeedOfAll, createGenerationFeed, type GenerationFeed } from './feed.ts';

const toJob = (status: VideoJob['status']): VideoJob =>
  ({ id: 'job', status, createdAt: 1, delivery: null }) as VideoJob;

function createFeed() {
  const platform = createVirtualPlatform();
  const store = createSharedMemoryStore(() => platform.monotonicNow());
  const asked: (string | null)[] = [];
  const { follow } = store.generations;
  const generations = {
    ...store.generations,
    follow: async (place: string | null, limit: number) => {
      asked.push(place);
      return (await follow?.(place, limit)) ?? { records: [], place: '' };
    },
  };
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const logger = { info: log, warn: log, error: log };
  const feed = createFeedOfAll(createGenerationFeed(), { store: { ...store, generations }, platform, logger });
  const record = async (id: string): Promise<void> => store.generations.append(toRecord(id), null);
  return { platform, store, feed, asked, record, lines };
}

const eventsOf = (feed: GenerationFeed): string[] =>
  Array.from({ length: feed.end() }, (_, position) => {
    const event = feed.at(position);
    return event?.type === 'generation' ? event.id : `${event?.job.id} ${event?.job.status}`;
  });

test('generations of other processes appear within a second to those who follow, own ones at once, each once', async () => {
  const { platform, feed, record } = createFeed();
  await record('before');
  feed.subscribe(() => undefined);
  await platform.advance(0);
  await record('other');
  await record('own');
  feed.publish({ type: 'generation', id: 'own' });
  expect(eventsOf(feed)).toEqual(['own']);
  await platform.advance(1000);
  expect(eventsOf(feed)).toEqual(['own', 'other']);
  await record('later');
  await platform.advance(3000);
  expect(eventsOf(feed)).toEqual(['own', 'other', 'later']);
});

test('the store is asked only while somebody follows', async () => {
  const { platform, feed, record, asked } = createFeed();
  await platform.advance(10_000);
  expect(asked).toEqual([]);
  const leave = [feed.subscribe(() => undefined), feed.subscribe(() => undefined)];
  await platform.advance(3000);
  const before = asked.length;
  expect(before).toBe(4);
  for (const end of leave) end();
  await record('unseen');
  await platform.advance(60_000);
  expect([asked.length, platform.pendingTimers]).toEqual([before, 0]);
  feed.subscribe(() => undefined);
  await platform.advance(2000);
  expect(eventsOf(feed)).toEqual([]);
});

test('video jobs appear when they are made or change elsewhere, and not again when that was here', async () => {
  const { platform, store, feed } = createFeed();
  await store.videoJobs.insert({ ...toJob('pending'), id: 'old' });
  feed.subscribe(() => undefined);
  await platform.advance(1000);
  await store.videoJobs.insert(toJob('pending'));
  await platform.advance(1000);
  await store.videoJobs.update('job', () => toJob('in_progress'));
  feed.publish({ type: 'video', job: toJob('in_progress') });
  await platform.advance(1000);
  await store.videoJobs.update('job', () => toJob('completed'));
  await platform.advance(1000);
  expect(eventsOf(feed)).toEqual(['job pending', 'job in_progress', 'job completed']);
});

test('that a store is away is said once, and it is followed again when it is back', async () => {
  const { platform, store, feed, record, lines } = createFeed();
  feed.subscribe(() => undefined);
  await platform.advance(1000);
  const { videoJobs } = store;
  const { listNewest } = videoJobs;
  Object.assign(videoJobs, { listNewest: () => Promise.reject(new Error('away')) });
  await platform.advance(2000);
  Object.assign(videoJobs, { listNewest });
  await record('later');
  await platform.advance(2000);
  expect([lines.length, eventsOf(feed)]).toEqual([1, ['later']]);
});

test('where more comes than can be shown, the newest goes on', async () => {
  const { platform, feed, record } = createFeed();
  feed.subscribe(() => undefined);
  await platform.advance(0);
  for (let count = 0; count < 700; count += 1) await record(`n${count}`);
  await platform.advance(2000);
  await record('last');
  await platform.advance(1000);
  expect(eventsOf(feed).at(-1)).toBe('last');
  expect(feed.end()).toBeLessThanOrEqual(252);
});
