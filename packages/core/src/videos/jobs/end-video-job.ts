import type { Endpoint } from '../../catalog/catalog.ts';
import { toNanoUsd } from '../../catalog/nano-usd.ts';
import type { Recorder } from '../../dispatch/recorder.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Ledger } from '../../limits/ledger.ts';
import type { VideoProgress } from '../../providers/video-contract.ts';
import type { Store } from '../../stores/store.ts';
import { hasEnded, type VideoJob } from '../../stores/video-jobs.ts';
import type { MediaInput } from '../../wire/generation.ts';
import { toVideoContent, toVideoGeneration } from '../to-video-generation.ts';
import { videoCostNanoUsd } from '../video-cost.ts';
import { toWebhookBody } from '../webhooks/webhook-body.ts';
import type { OwnedJobs } from './video-lease.ts';

/** The end of a job. */
export type Ended = VideoProgress & { readonly status: 'completed' | 'failed' | 'cancelled' | 'expired' };

/** The end of a job according to upstream; undefined while it has not ended. */
export function endOf(progress: VideoProgress): Ended | undefined {
  switch (progress.status) {
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'expired':
      return { ...progress, status: progress.status };
    case 'pending':
    case 'in_progress':
    case 'unknown':
      return undefined;
  }
}

export interface EndingContext {
  readonly store: Pick<Store, 'generations'>;
  readonly jobs: OwnedJobs;
  readonly platform: Platform;
  readonly ledger: Pick<Ledger, 'release' | 'untilCounted'>;
  readonly recorder: Pick<Recorder, 'append'>;
  /** Undefined when it has gone from the configuration. */
  readonly endpoint: Endpoint | undefined;
  readonly storesContent: boolean;
  /** What went in with the prompt. */
  readonly media: readonly MediaInput[];
  /** Whether its videos are to be fetched into the archive. */
  readonly keepsContent: boolean;
}

/**
 * Ends a job, once: records its generation, and stores its end and its webhook in one write. The generation comes first
 * and is recorded only once, so a crash in between leads back here. Resolves with the ended job; undefined when it has
 * another owner by now.
 */
export async function endVideoJob(
  job: VideoJob,
  progress: Ended,
  { store, jobs, platform, ledger, recorder, endpoint, storesContent, media, keepsContent }: EndingContext,
): Promise<VideoJob | undefined> {
  const now = platform.now();
  const costNanoUsd = costOf(job, progress, endpoint);
  const ended: VideoJob = {
    ...job,
    status: progress.status,
    updatedAt: now,
    error: progress.status === 'completed' ? null : (progress.error ?? 'The video could not be made'),
    outputs: progress.outputs ?? [],
    costNanoUsd,
    reservedNanoUsd: 0,
    content: keepsContent && progress.status === 'completed' ? 'due' : 'upstream',
  };
  if (!(await jobs.isOurs(job))) return undefined;
  if ((await store.generations.get(job.generationId)) === undefined) {
    const counted = ledger.untilCounted(job.generationId);
    await recorder.append(
      toVideoGeneration(ended, endpoint, storesContent),
      storesContent ? toVideoContent(ended, media) : null,
    );
    // The row of the job holds its cost until then.
    await counted;
  } else ledger.release(job.generationId);
  return jobs.update(job, (latest) => {
    if (hasEnded(latest)) return latest;
    const { delivery } = latest;
    const body = delivery === null ? null : toWebhookBody(ended, `${job.baseUrl}/api/v1/videos/${job.id}`, now);
    return { ...ended, delivery: delivery && { ...delivery, body, nextAttemptAt: now } };
  });
}

/** Only what was made is charged. */
function costOf(job: VideoJob, progress: Ended, endpoint: Endpoint | undefined): number | null {
  if (progress.status !== 'completed') return 0;
  if (progress.costUsd !== undefined) return toNanoUsd(progress.costUsd);
  if (endpoint === undefined) return null;
  return videoCostNanoUsd(endpoint.prices, {
    durationSeconds: progress.durationSeconds ?? job.order.durationSeconds,
    videos: progress.outputs?.length ?? 1,
    tokens: progress.tokens,
  });
}
