import type { Awaitable } from '../foundation/awaitable.ts';
import type { UpstreamJob, VideoOrder, VideoOutput } from '../providers/video-contract.ts';
import type { DataRegion } from '../wire/fields.ts';
import type { ProviderResponse } from '../wire/generation.ts';
import type { PipelineStage } from '../wire/routing.ts';
import { ENDED_STATUSES, type VideoJobStatus } from '../wire/statuses.ts';
import type { VideoTimeline } from '../wire/videos.ts';
import type { Repository } from './rows.ts';

/** Video jobs. The narrower questions are absent where one process is alone, and asks them of the whole list. */
export interface VideoJobRepository extends Repository<VideoJob> {
  /** Jobs with work left (`hasWork`), oldest first; with `freeAtMs`, without jobs whose lease lasts longer. */
  listWorking?(query: WorkingJobsQuery): Awaitable<readonly VideoJob[]>;
  /** The newest that a principal has ordered with this `Idempotency-Key`, but for the one with the last id. */
  findByIdempotencyKey?(principalId: string, key: string, exceptId?: string): Awaitable<VideoJob | undefined>;
  /** The newest first. */
  listNewest?(limit: number): Awaitable<readonly VideoJob[]>;
  /** The last ordered jobs that a query selects, and how many it selects in all. Reads no others. */
  page?(query: VideoJobQuery): Awaitable<VideoJobPage>;
  /** Jobs that were ordered within a span, in any order. */
  listOrdered?(span: OrderedSpan): Awaitable<readonly VideoJob[]>;
}

export interface VideoJobQuery {
  readonly status?: VideoJob['status'] | undefined;
  /** Jobs whose end is or was to be announced (`announcementOf`): all of them, or only in one state. */
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

/** How a job that has ended is announced. Part of the job, so that both are written in one piece. */
export interface VideoDelivery {
  readonly url: string;
  readonly state: 'waiting' | 'delivered' | 'failed';
  /** The exact body, the same for every attempt; null until the job has ended. */
  readonly body: string | null;
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly nextAttemptAt: number;
  /** Result of the last attempt, in a few words without addresses. */
  readonly lastResult: string | null;
}

/** The process that owns a job, where several processes share a store. */
export interface VideoLease {
  readonly ownerId: string;
  /** Rises with every change of owner: updates by a former owner are ignored. */
  readonly token: number;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
}

/** A video job as it is stored. Times are milliseconds since the epoch. */
export interface VideoJob {
  readonly id: string;
  readonly principalId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Looked at no longer than this. */
  readonly deadlineAt: number;
  /** The address of the gateway, as its callers see it. */
  readonly baseUrl: string;
  /** The slug as it was sent. */
  readonly model: string;
  readonly modelId: string;
  readonly endpointTag: string;
  readonly providerSlug: string;
  readonly providerName: string;
  /** The name of the provider's key that made it; absent where the provider has one alone. */
  readonly providerKey?: string | undefined;
  /** The id of the stored key of a workspace that made it, the name of which is its `providerKey`; absent for others. */
  readonly ownKeyId?: string | undefined;
  /** The share of the bill that it costs with that key, in millionths, as it was when it was ordered. */
  readonly feeMillionths?: number | undefined;
  /** The provider's own name of the model. */
  readonly providerModel: string;
  readonly order: VideoOrder;
  /** The member it counts for, where the caller had one. */
  readonly userId?: string | null | undefined;
  readonly workspaceId: string | null;
  readonly sessionId: string | null;
  readonly user: string | null;
  readonly status: VideoJobStatus;
  /** `sending` is stored before upstream is called and `sent` after; a crash in between leaves the former. */
  readonly submission: 'sending' | 'sent';
  readonly upstream: UpstreamJob | null;
  readonly error: string | null;
  /** The endpoints that refused the job before one took it; absent when there was none. */
  readonly refusals?: readonly ProviderResponse[] | undefined;
  readonly generationId: string;
  readonly outputs: readonly VideoOutput[];
  /** Where its videos are: at upstream, due to be fetched, or in the archive. Absent until it has ended. */
  readonly content?: 'upstream' | 'due' | 'kept' | undefined;
  /** Billionths of a dollar, with the fee for an own key; null when unknown. */
  readonly costNanoUsd: number | null;
  /** The fee in that, which is all that the account pays; absent until it has ended, and without an own key. */
  readonly feeNanoUsd?: number | undefined;
  /** Reserved while the job is open, so that a key cannot start more jobs than it can pay. */
  readonly reservedNanoUsd: number;
  /** The part of it that the account may pay for a job with an own key: the fee. Absent without one. */
  readonly reservedFeeNanoUsd?: number | undefined;
  readonly isByok: boolean;
  /** The caller's `Idempotency-Key`, with what it was sent with. */
  readonly idempotency: { readonly key: string; readonly bodyHash: string } | null;
  readonly delivery: VideoDelivery | null;
  /** The region of the host in the request; the content is not stored then. Absent for none. */
  readonly region?: string | undefined;
  /** Which of the regions of the public API that is; absent in jobs of former versions. */
  readonly dataRegion?: DataRegion | undefined;
  /** Effects of guardrails on the request; absent without any. */
  readonly pipeline?: readonly PipelineStage[] | undefined;
  /** Guardrails that kept it from some of its endpoints; absent without any. */
  readonly narrowedBy?: readonly string[] | undefined;
  /** Absent in jobs of former versions. */
  readonly timeline?: VideoTimeline | undefined;
  /** Former name of `timeline`; read only. */
  readonly course?: VideoTimeline | undefined;
  /** Absent where no other process shares the store. */
  readonly lease?: VideoLease | undefined;
}

/** The timeline of a job, under its name or its former one. */
export const timelineOf = ({ timeline, course }: Pick<VideoJob, 'timeline' | 'course'>): VideoTimeline | undefined =>
  timeline ?? course;

/** What a job costs the account, in billionths of a dollar; null when unknown. */
export const chargedNanoUsdOf = ({ costNanoUsd, feeNanoUsd }: Pick<VideoJob, 'costNanoUsd' | 'feeNanoUsd'>) =>
  costNanoUsd === null ? null : (feeNanoUsd ?? costNanoUsd);

export function hasEnded({ status }: Pick<VideoJob, 'status'>): boolean {
  return (ENDED_STATUSES as readonly string[]).includes(status);
}

/** Whether a process still has to look after it: to poll it, to announce its end or to fetch its videos. */
export function hasWork({ status, delivery, content }: VideoJob): boolean {
  const isAnnounced = delivery === null || delivery.state !== 'waiting';
  return !hasEnded({ status }) || !isAnnounced || content === 'due';
}

/** What became of the announcement of its end; undefined where there is none, or none yet. */
export function announcementOf({ delivery }: Pick<VideoJob, 'delivery'>): VideoDelivery['state'] | undefined {
  return delivery === null || delivery.body === null ? undefined : delivery.state;
}

const RANK: Readonly<Record<VideoJobStatus, number>> = {
  pending: 0,
  in_progress: 1,
  completed: 2,
  failed: 2,
  cancelled: 2,
  expired: 2,
};

/** The later of two statuses: a job never goes back, and what has ended stays as it ended. */
export function laterStatus(current: VideoJobStatus, seen: VideoJobStatus): VideoJobStatus {
  return RANK[seen] > RANK[current] ? seen : current;
}
