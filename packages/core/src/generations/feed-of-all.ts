import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Store } from '../stores/store.ts';
import type { VideoJobStatus } from '../wire/videos.ts';
import type { FeedEvent, GenerationFeed } from './generation-feed.ts';

export interface FeedOfAllParts {
  readonly store: Pick<Store, 'generations' | 'videoJobs'>;
  readonly platform: Pick<Platform, 'setTimer'>;
  readonly logger: Logger;
}

const LOOK_EVERY_MS = 1000;
const PAGE = 250;
/** Own generations that may come again from the store: those of some seconds. */
const MAX_OWN = 5000;
const JOBS_LOOKED_AT = 50;

/**
 * Adds what other processes at the store record and change to the feed of this one, while somebody follows. Where more
 * comes than a feed holds, the oldest of it is left out.
 */
export function createFeedOfAll(feed: GenerationFeed, { store, platform, logger }: FeedOfAllParts): GenerationFeed {
  const own = new Set<string>();
  /** The jobs that were looked at, and how they stood. */
  let known: Map<string, VideoJobStatus> | undefined;
  let place: string | null = null;
  let cancelTimer: (() => void) | undefined;
  /** Rises when the last who follows leaves. */
  let turn = 0;
  let hasFailed = false;

  const note = (event: FeedEvent): void => {
    if (event.type === 'video') return void known?.set(event.job.id, event.job.status);
    own.add(event.id);
    if (own.size > MAX_OWN) own.delete(own.values().next().value ?? '');
  };
  const readGenerations = async (): Promise<void> => {
    const found = await store.generations.follow?.(place, PAGE);
    if (found === undefined) return;
    const isFirst = place === null;
    ({ place } = found);
    for (const { generation } of isFirst ? [] : found.records) {
      if (!own.delete(generation.id)) feed.publish({ type: 'generation', id: generation.id });
    }
    if (found.records.length === PAGE) place = null;
  };
  const readJobs = async (): Promise<void> => {
    const jobs = (await store.videoJobs.listNewest?.(JOBS_LOOKED_AT)) ?? [];
    const before = known;
    known = new Map(jobs.map(({ id, status }) => [id, status]));
    if (before === undefined) return;
    for (const job of jobs.toReversed()) if (before.get(job.id) !== job.status) feed.publish({ type: 'video', job });
  };
  const look = async (begun: number): Promise<void> => {
    try {
      await Promise.all([readGenerations(), readJobs()]);
      hasFailed = false;
    } catch (error) {
      // Logged once, because it is tried again every second.
      if (!hasFailed) {
        logger.warn('what other processes record could not be read for the feed', { reason: String(error) });
      }
      hasFailed = true;
    }
    if (begun === turn) cancelTimer = platform.setTimer(() => void look(begun), LOOK_EVERY_MS);
  };
  const end = (): void => {
    turn += 1;
    cancelTimer?.();
    cancelTimer = undefined;
    place = null;
    known = undefined;
  };

  return {
    ...feed,
    publish(event) {
      note(event);
      feed.publish(event);
    },
    subscribe(listener) {
      const unsubscribe = feed.subscribe(listener);
      if (cancelTimer === undefined) {
        cancelTimer = () => undefined;
        void look(turn);
      }
      return () => {
        unsubscribe();
        if (feed.followers() === 0) end();
      };
    },
  };
}
