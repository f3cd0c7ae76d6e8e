import type { Timeouts } from '../../calls/attempt.ts';
import type { TimerWheel } from '../../foundation/timers.ts';
import type { Store } from '../../stores/store.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';
import type { VideoEvent } from '../../wire/generation-feed.ts';
import type { RowFields } from '../../wire/generation-list.ts';
import type { FeedEvent, GenerationFeed } from '../generation-feed.ts';
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

export interface FollowOptions {
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
