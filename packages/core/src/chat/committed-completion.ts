import type { Endpoint } from '../catalog/catalog.ts';
import type { ChatChunk } from '../wire/chat/chat-chunk.ts';

/** A completion that has begun. From here on the call cannot change to another endpoint. */
export interface CommittedCompletion {
  readonly endpoint: Endpoint;
  /** Time at which this endpoint was called, on the monotonic clock. */
  readonly startedAt: number;
  /** Everything up to and including the first batch with a choice. */
  readonly first: readonly ChatChunk[];
  /** `NOTHING_MORE` for an unstreamed completion. */
  readonly rest: AsyncIterator<readonly ChatChunk[]>;
  /** The endpoint's health has been updated already, or is not affected. */
  readonly isAccountedFor?: boolean;
}

/** Compared by identity, so that an unstreamed completion does not cost a wait. */
export const NOTHING_MORE: AsyncIterator<readonly ChatChunk[]> = {
  next: () => Promise.resolve({ done: true, value: undefined }),
};
