import type { VideoJob } from '../stores/video-jobs.ts';

export type FeedEvent =
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
