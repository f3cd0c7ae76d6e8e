import type { Snapshot } from './reader.ts';

/** What queries of generations are made of. */
export interface ReadParts {
  readonly snapshot: Snapshot;
  /** Milliseconds. */
  readonly monotonicNow: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
