import type { Endpoint } from '../catalog/catalog.ts';
import type { ChatChunk } from '../wire/chat/chat-chunk.ts';

/** A completion that has begun. From here on there is no going back to another endpoint. */
export interface CommittedCompletion {
  readonly endpoint: Endpoint;
  /** Time at which this endpoint was called, on the monotonic clock. */
  readonly startedAt: number;
  /** Everything up to and including the first batch that says something. */
  readonly first: readonly ChatChunk[];
  /** `NOTHING_MORE` for a completion that came whole. */
  readonly rest: AsyncIterator<readonly ChatChunk[]>;
  /** The endpoint's health has been updated already, or is not affected. */
  readonly isAccountedFor?: boolean;
}

/** Known by its identity, so that a completion that came whole need not be waited for. */
export const NOTHING_MORE: AsyncIterator<readonly ChatChunk[]> = {
  next: () => Promise.resolve({ done: true, value: undefined }),
};
