import type { Awaitable } from '../foundation/async/awaitable.ts';
import type { Repository } from './repository.ts';
import type { VideoDelivery, VideoJob } from './video-job.ts';

/** Video jobs. The narrower questions are absent where one process is alone, and asks them of the whole list. */
export interface VideoJobRepository extends Repository<VideoJob> {
  /** Those with work left (`hasWork`), oldest first; of these, where it is given, those without a lease that lasts longer. */
  listWorking?(query: WorkingJobsQuery): Awaitable<readonly VideoJob[]>;
  /** The newest that a principal has ordered with this `Idempotency-Key`, but for the one with the last id. */
  findByIdempotencyKey?(principalId: string, key: string, exceptId?: string): Awaitable<VideoJob | undefined>;
  /** The newest first. */
  listNewest?(limit: number): Awaitable<readonly VideoJob[]>;
  /** Of those that a query chooses, the last that were ordered, and how many there are in all. Reads no others. */
  page?(query: VideoJobQuery): Awaitable<VideoJobPage>;
  /** Those that were ordered within a span, in any order. */
  listOrdered?(span: OrderedSpan): Awaitable<readonly VideoJob[]>;
}

export interface VideoJobQuery {
  readonly status?: VideoJob['status'] | undefined;
  /** Those whose end is or was to be announced (`announcementOf`): all of them, or those in one state. */
  readonly announcement?: 'any' | VideoDelivery['state'] | undefined;
  readonly limit: number;
}

export interface VideoJobPage {
  /** The last ordered first; of those ordered at the same time, the last stored. */
  readonly jobs: readonly VideoJob[];
  readonly totalCount: number;
}

/** Milliseconds since the epoch, both ends included. */
export interface OrderedSpan {
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface WorkingJobsQuery {
  /** Milliseconds since the epoch. */
  readonly freeAtMs?: number | undefined;
  readonly limit: number;
}
