import type { VideoJob } from '../stores/video-job.ts';

/** Something that followers are told of. */
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
  /**
   * Of a generation its id alone, and no object around it: what lives for the next five hundred calls is soon taken for
   * what stays, made where only a full collection looks, and takes with it all it refers to. Mostly nobody follows.
   */
  const kept: (string | VideoJob | undefined)[] = Array.from({ length: KEPT });
  const listeners = new Set<() => void>();
  let end = 0;
  return {
    publish(event) {
      kept[end % KEPT] = event.type === 'generation' ? event.id : event.job;
      end += 1;
      for (const listener of listeners) listener();
    },
    end: () => end,
    start: () => Math.max(0, end - KEPT),
    at(position) {
      const event = position < end - KEPT || position >= end ? undefined : kept[position % KEPT];
      return typeof event === 'string' ? { type: 'generation', id: event } : event && { type: 'video', job: event };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    followers: () => listeners.size,
  };
}
