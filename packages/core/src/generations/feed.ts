import type { Timeouts } from '../calls/attempt.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { TimerWheel } from '../foundation/timers.ts';
import type { Store } from '../stores/store.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
import type { VideoEvent } from '../wire/generation-feed.ts';
import type { RowFields } from '../wire/generation-list.ts';
import type { VideoJobStatus } from '../wire/statuses.ts';
import { toAskedRow } from './list-generations.ts';

const encoder = new TextEncoder();
const END: IteratorResult<Uint8Array> = { done: true, value: undefined };
const HEARTBEAT = ': still here\n\n';
/** Time after which a client reconnects, in milliseconds. */
const RETRY_MS = 3000;
/** Events that leave in one piece. */
const BATCH = 50;

interface FeedParts {
  readonly generationFeed: GenerationFeed;
  readonly store: Pick<Store, 'generations'>;
  readonly wheel: TimerWheel;
  readonly timeouts: Pick<Timeouts, 'keepAliveMs'>;
}

interface FollowOptions {
  readonly parts: FeedParts;
  /** Distinguishes this process's events from those of another. */
  readonly epoch: string;
  /** The last event that the client has seen, according to its header. */
  readonly lastEventId: string | undefined;
  /** The fields of a generation that are sent. */
  readonly fields: RowFields;
  readonly toVideoEvent: (job: VideoJob) => VideoEvent;
  /** Checked before every event: a key may be revoked, or a session may end, while a client follows. */
  readonly isAllowed: () => Promise<boolean>;
  /** Fires when the client has left or the gateway closes. */
  readonly signal: AbortSignal;
}

/**
 * Writes the feed as server-sent events, only as fast as they are read. A client that has missed events no longer held
 * receives `reset`, then the newest. No generator, because the reader may leave while no event arrives.
 */
export function followFeed(options: FollowOptions): AsyncIterable<Uint8Array> {
  const { parts, signal } = options;
  const take = createTake(options);
  let isOver = false;
  let wake: ((reason: 'event' | 'silence' | 'end') => void) | undefined;

  const heartbeat = parts.wheel.add(() => wake?.('silence'));
  const unsubscribe = parts.generationFeed.subscribe(() => wake?.('event'));
  const end = (): IteratorResult<Uint8Array> => {
    isOver = true;
    unsubscribe();
    heartbeat.clear();
    signal.removeEventListener('abort', end);
    wake?.('end');
    return END;
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });

  const tell = async (text: string): Promise<IteratorResult<Uint8Array>> =>
    (await options.isAllowed()) ? { done: false, value: encoder.encode(text) } : end();
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    while (!isOver) {
      const text = await take();
      if (isOver) break;
      if (text !== '') return tell(text);
      heartbeat.set(parts.timeouts.keepAliveMs);
      const reason = await new Promise<'event' | 'silence' | 'end'>((resolve) => (wake = resolve));
      heartbeat.clear();
      if (reason === 'silence') return tell(HEARTBEAT);
    }
    return END;
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => Promise.resolve(end()) }) };
}

/** Creates a function that returns the events since its last call, as text. */
function createTake(options: FollowOptions): () => Promise<string> {
  const { parts, epoch, lastEventId } = options;
  const feed = parts.generationFeed;
  const resumed = positionOf(lastEventId, epoch);
  let position = resumed ?? feed.end();
  let isLost = lastEventId !== undefined && resumed === undefined;
  let greeting = `retry: ${RETRY_MS}\n\n`;
  return async () => {
    let text = greeting;
    greeting = '';
    if (position < feed.start() || position > feed.end()) {
      isLost = true;
      position = feed.end();
    }
    if (isLost) text += `id: ${epoch}-${position}\nevent: reset\ndata: {}\n\n`;
    isLost = false;
    for (let count = 0; count < BATCH; count += 1) {
      const event = feed.at(position);
      if (event === undefined) break;
      position += 1;
      text += `id: ${epoch}-${position}\n${await toEventText(event, options)}\n\n`;
    }
    return text;
  };
}

async function toEventText(event: FeedEvent, { parts, fields, toVideoEvent }: FollowOptions): Promise<string> {
  if (event.type === 'generation') {
    const record = await parts.store.generations.get(event.id);
    // Retention may have dropped it; its number was used all the same.
    if (record === undefined) return 'data: {}';
    return `event: generation\ndata: ${JSON.stringify(await toAskedRow(record, fields, parts))}`;
  }
  return `event: video\ndata: ${JSON.stringify(toVideoEvent(event.job))}`;
}

/** The number of events that a client has seen; undefined when it is unknown. */
function positionOf(lastEventId: string | undefined, epoch: string): number | undefined {
  const [, known, seen] = /^([0-9a-f]+)-(\d{1,15})$/.exec(lastEventId ?? '') ?? [];
  return known === epoch ? Number(seen) : undefined;
}

type FeedEvent =
  | { readonly type: 'generation'; readonly id: string }
  | { readonly type: 'video'; readonly job: VideoJob };

/** The latest generations and video jobs of this process, for clients that follow them. */
export interface GenerationFeed {
  publish(event: FeedEvent): void;
  /** The number of the next event; the first one has 0. */
  end(): number;
  /** The number of the oldest event that is held. */
  start(): number;
  /** Undefined when it is no longer held, or does not exist yet. */
  at(position: number): FeedEvent | undefined;
  /** Calls back after every event; the returned function ends that. */
  subscribe(listener: () => void): () => void;
  followers(): number;
}

/** Number of events that are held for slow and returning readers; there is no queue per reader. */
const HELD = 500;

/** Creates an empty feed (docs/decisions/0022). */
export function createGenerationFeed(): GenerationFeed {
  /**
   * A generation is held as its id alone: an object that lives for 500 calls would move to the heap's old generation,
   * where only a full collection frees it and all it refers to.
   */
  const held: (string | VideoJob | undefined)[] = Array.from({ length: HELD });
  const listeners = new Set<() => void>();
  let end = 0;
  return {
    publish(event) {
      held[end % HELD] = event.type === 'generation' ? event.id : event.job;
      end += 1;
      for (const listener of listeners) listener();
    },
    end: () => end,
    start: () => Math.max(0, end - HELD),
    at(position) {
      const event = position < end - HELD || position >= end ? undefined : held[position % HELD];
      return typeof event === 'string' ? { type: 'generation', id: event } : event && { type: 'video', job: event };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    followers: () => listeners.size,
  };
}

interface FeedOfAllParts {
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
 * Adds what other processes at the store record and change to the feed of this one, while a client follows. Where more
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
