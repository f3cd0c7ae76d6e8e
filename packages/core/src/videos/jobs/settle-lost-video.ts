import { GatewayError, isTransient } from '../../foundation/errors.ts';
import { TransportError } from '../../foundation/transport.ts';
import type { VideoProvider } from '../../providers/video-contract.ts';
import type { VideoJobRepository } from '../../stores/store.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';

export interface LostVideoContext {
  readonly jobs: Pick<VideoJobRepository, 'list' | 'listOrdered'>;
  /** Milliseconds since the job was ordered. */
  readonly ageMs: () => number;
  /** Undefined when it has gone from the configuration. */
  readonly video: VideoProvider | undefined;
}

/** The result of a submission that was interrupted. */
export type LostVideo =
  | { readonly type: 'sent'; readonly upstreamId: string; readonly retryAfterMs?: number | undefined }
  /** The result cannot be determined yet. */
  | { readonly type: 'again'; readonly delayMs: number }
  | { readonly type: 'failed'; readonly error: string };

const TIMEOUT_MS = 120_000;
const AGAIN_MS = 10_000;
const FIND_TIMEOUT_MS = 30_000;
/** Tolerance between upstream's clock and this one. */
const CLOCKS_MS = 60_000;
/** A job that upstream made at about this time was ordered no longer before or after: submissions take minutes. */
const AROUND_MS = 60 * 60_000;
/** Time after which upstream's list contains a submitted job. */
const LISTED_AFTER_MS = 20_000;

/**
 * Determines the state of a job whose process crashed between the call to upstream and the record of its response.
 * Upstream with idempotency keys is called again, and returns the same job. Elsewhere another submission might make,
 * and charge, two videos: only upstream's own list can show it, and only if it contains exactly one job that this order
 * may have made and that no other job of the gateway has.
 */
export async function settleLostVideo(job: VideoJob, context: LostVideoContext): Promise<LostVideo> {
  const { video, ageMs } = context;
  if (video === undefined) return unknown(job);
  try {
    if (video.honoursIdempotencyKey) return await submitAgain(job, video);
    if (video.find === undefined) return unknown(job);
    const found = await findUpstream(job, video.find, context);
    if (found.length === 1) return { type: 'sent', upstreamId: found[0] as string };
    const mayComeYet = found.length === 0 && ageMs() < LISTED_AFTER_MS;
    return mayComeYet ? { type: 'again', delayMs: AGAIN_MS / 2 } : unknown(job);
  } catch (error) {
    const mayPass = error instanceof TransportError || (error instanceof GatewayError && isTransient(error.code));
    if (!mayPass) {
      return error instanceof GatewayError ? { type: 'failed', error: error.message } : unknown(job);
    }
    const waitMs = error instanceof GatewayError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    return { type: 'again', delayMs: Math.max(waitMs, AGAIN_MS) };
  }
}

async function submitAgain(job: VideoJob, video: VideoProvider): Promise<LostVideo> {
  const { upstreamId, retryAfterMs } = await video.start({
    providerModel: job.providerModel,
    order: job.order,
    idempotencyKey: job.id,
    signal: new AbortController().signal,
    timeoutMs: TIMEOUT_MS,
  });
  return { type: 'sent', upstreamId, retryAfterMs };
}

async function findUpstream(
  job: VideoJob,
  find: NonNullable<VideoProvider['find']>,
  { jobs }: LostVideoContext,
): Promise<readonly string[]> {
  const ids = await find({
    providerModel: job.providerModel,
    order: job.order,
    sinceMs: job.createdAt - CLOCKS_MS,
    untilMs: job.createdAt + TIMEOUT_MS + CLOCKS_MS,
    signal: new AbortController().signal,
    timeoutMs: FIND_TIMEOUT_MS,
  });
  const known = new Set<string>();
  const span = { sinceMs: job.createdAt - AROUND_MS, untilMs: job.createdAt + AROUND_MS };
  for (const other of (await jobs.listOrdered?.(span)) ?? (await jobs.list())) {
    if (other.providerSlug === job.providerSlug && other.upstream !== null) known.add(other.upstream.upstreamId);
  }
  return ids.filter((id) => !known.has(id));
}

const unknown = ({ providerName }: VideoJob): LostVideo => ({
  type: 'failed',
  error: `submission_unknown: the gateway stopped while it submitted the job to ${providerName}`,
});
