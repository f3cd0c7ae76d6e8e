import type { VideoJob } from '../videos/video-job.ts';

/**
 * Something that followers are told of. Of a generation its id alone: five hundred records that live for a moment are
 * more work for the garbage collector than all that a call leaves behind otherwise, and mostly nobody follows.
 */
export type FeedEvent =
  | { readonly type: 'generation'; readonly id: string }
  | { readonly type: 'video'; readonly job: VideoJob };

/** What this process has seen end, for those who follow it. */
export interface GenerationFeed {
  publish(event: FeedEvent): void;
  /** The number of the next event; the first one has 0. */
  end(): number;
  /** The number of the oldest event that is kept. */
  start(): number;
  /** Undefined when it is not kept any more, or has not come yet. */
  at(position: number): FeedEvent | undefined;
  /** Calls back after every event; the returned function ends that. */
  subscribe(listener: () => void): () => void;
  /** How many follow. */
  followers(): number;
}

/** How many events are kept for those who read slowly or come back; nobody has a queue of their own. */
const KEPT = 500;

/** Creates a feed that has seen nothing. */
export function createGenerationFeed(): GenerationFeed {
  const events: (FeedEvent | undefined)[] = Array.from({ length: KEPT });
  const listeners = new Set<() => void>();
  let end = 0;
  return {
    publish(event) {
      events[end % KEPT] = event;
      end += 1;
      for (const listener of listeners) listener();
    },
    end: () => end,
    start: () => Math.max(0, end - KEPT),
    at: (position) => (position < end - KEPT || position >= end ? undefined : events[position % KEPT]),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    followers: () => listeners.size,
  };
}
