import { expect, test } from 'vitest';

import { createScriptedVideos } from '../../../../test/support/videos/scripted-videos.ts';
import { toVideoJob } from '../../testing/rows.ts';
import type { VideoProvider } from '../providers/video-contract.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import type { VideoJobRepository } from '../stores/store.ts';
import { settleLostVideo } from './end-video.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test('tells the job of a lost submission from those ordered at about the same time, without a look at all others', async () => {
  const { videoJobs } = createMemoryStore();
  const now = Date.now();
  const lost = toVideoJob('lost', { createdAt: now, submission: 'sending', upstream: null });
  await videoJobs.insert(lost);
  const sent = (upstreamId: string) => ({ upstream: { upstreamId, providerModel: 'video' } });
  await videoJobs.insert(toVideoJob('before', { createdAt: now - 10 * 60_000, ...sent('u-before') }));
  await videoJobs.insert(toVideoJob('after', { createdAt: now + 60_000, ...sent('u-after') }));
  await videoJobs.insert(toVideoJob('long ago', { createdAt: now - DAY_MS, ...sent('u-long-ago') }));
  let looks = 0;
  const jobs: Pick<VideoJobRepository, 'list' | 'listOrdered'> = {
    list() {
      throw new Error('too many');
    },
    async listOrdered({ sinceMs, untilMs }) {
      const found = (await videoJobs.list()).filter(({ createdAt: at }) => at >= sinceMs && at <= untilMs);
      looks += found.length;
      return found;
    },
  };
  const video = {
    ...(createScriptedVideos().provider.video as VideoProvider),
    find: async () => ['u-before', 'u-lost', 'u-after'],
  };
  expect(await settleLostVideo(lost, { jobs, ageMs: () => 0, video })).toEqual({ type: 'sent', upstreamId: 'u-lost' });
  expect(looks).toBe(3);
});
