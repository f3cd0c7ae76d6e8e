import type { Endpoint } from '../catalog/catalog.ts';
import { feeOf } from '../catalog/own-keys.ts';
import type { Recorder } from '../dispatch/recorder.ts';
import { GatewayError, isTransient } from '../foundation/errors.ts';
import { toNanoUsd, toUsd } from '../foundation/money.ts';
import type { Platform } from '../foundation/platform.ts';
import { TransportError } from '../foundation/transport.ts';
import { UNKNOWN_GENERATION } from '../generations/to-generation.ts';
import type { Ledger } from '../limits/ledger.ts';
import type { VideoProgress, VideoProvider } from '../providers/video-contract.ts';
import type { GenerationRecord, Store, VideoJobRepository } from '../stores/store.ts';
import { chargedNanoUsdOf, hasEnded, type VideoJob } from '../stores/video-jobs.ts';
import { toDataRegion } from '../wire/fields.ts';
import type { GenerationContent, MediaInput, ProviderResponse } from '../wire/generation.ts';
import { videoCostNanoUsd } from './video-kind.ts';
import type { OwnedJobs } from './video-lease.ts';
import { toWebhookBody } from './video-outbox.ts';

interface LostVideoContext {
  readonly jobs: Pick<VideoJobRepository, 'list' | 'listOrdered'>;
  /** Milliseconds since the job was ordered. */
  readonly ageMs: () => number;
  /** Undefined when it has gone from the configuration. */
  readonly video: VideoProvider | undefined;
}

/** The result of a submission that was interrupted. */
type LostVideo =
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

interface EndingContext {
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
  const billNanoUsd = costOf(job, progress, endpoint);
  const feeNanoUsd = job.ownKeyId === undefined ? undefined : feeOf(billNanoUsd ?? 0, job);
  const ended: VideoJob = {
    ...job,
    status: progress.status,
    updatedAt: now,
    error: progress.status === 'completed' ? null : (progress.error ?? 'The video could not be made'),
    outputs: progress.outputs ?? [],
    costNanoUsd: billNanoUsd === null ? null : billNanoUsd + (feeNanoUsd ?? 0),
    feeNanoUsd,
    reservedNanoUsd: 0,
    reservedFeeNanoUsd: undefined,
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

/**
 * The record of a job that has ended, as `GET /generation` shows it. Tokens are no measure of a video. Without
 * `isContentStored`, it has no text from upstream.
 */
function toVideoGeneration(job: VideoJob, endpoint: Endpoint | undefined, isContentStored: boolean): GenerationRecord {
  const { costNanoUsd, feeNanoUsd } = job;
  const costUsd = toUsd(chargedNanoUsdOf(job) ?? 0);
  const isCompleted = job.status === 'completed';
  return {
    principalId: job.principalId,
    ...(job.userId != null && { userId: job.userId }),
    costNanoUsd: costNanoUsd ?? 0,
    generation: {
      ...UNKNOWN_GENERATION,
      id: job.generationId,
      request_id: job.id,
      upstream_id: job.upstream?.upstreamId ?? null,
      session_id: job.sessionId,
      created_at: new Date(job.createdAt).toISOString(),
      model: job.modelId,
      provider_name: job.providerName,
      api_type: 'video',
      external_user: job.user,
      workspace_id: job.workspaceId,
      data_region: job.region === undefined ? 'global' : (job.dataRegion ?? toDataRegion(job.region)),
      ...(job.region !== undefined && { called_region: job.region }),
      is_byok: job.isByok,
      cancelled: job.status === 'cancelled',
      finish_reason: isCompleted ? 'stop' : 'error',
      native_finish_reason: job.status,
      native_tokens_prompt: null,
      native_tokens_completion: null,
      num_media_prompt: job.order.frameImages.length + job.order.inputReferences.length,
      num_media_completion: job.outputs.length,
      num_input_audio_prompt: null,
      total_cost: costUsd,
      usage: costUsd,
      ...(feeNanoUsd !== undefined && {
        ...(feeNanoUsd > 0 && { byok_fee: toUsd(feeNanoUsd) }),
        upstream_inference_cost: costNanoUsd === null ? null : toUsd(costNanoUsd - feeNanoUsd),
      }),
      generation_time: job.updatedAt - job.createdAt,
      provider_responses: [...(job.refusals ?? []), toLastResponse(job, isContentStored)],
      ...(job.providerKey !== undefined && { provider_key: job.providerKey }),
      cost_known: costNanoUsd !== null,
      ...(job.pipeline !== undefined && { pipeline: [...job.pipeline] }),
      ...(job.narrowedBy !== undefined && { narrowed_by: [...job.narrowedBy] }),
    },
  };
}

/** The provider that took the job, or was asked last. One that makes no video has taken it all the same. */
function toLastResponse(job: VideoJob, isContentStored: boolean): ProviderResponse {
  const response: ProviderResponse = {
    endpoint_id: `${job.endpointTag}:${job.providerModel}`,
    ...(job.upstream !== null && { id: job.upstream.upstreamId }),
    is_byok: job.isByok,
    model_permaslug: job.modelId,
    provider_name: job.providerName,
    ...(job.providerKey !== undefined && { key: job.providerKey }),
    status: job.upstream === null ? null : 200,
  };
  if (job.status === 'completed') return response;
  const error =
    job.status === 'expired' ? { code: 408, error_type: 'timeout' } : { code: 502, error_type: 'provider_unavailable' };
  return { ...response, error: isContentStored && job.error !== null ? { ...error, message: job.error } : error };
}

function toVideoContent(
  { order, status, error, providerName }: VideoJob,
  inputs: readonly MediaInput[],
): GenerationContent {
  return {
    input: { prompt: order.prompt ?? '', ...(inputs.length > 0 && { media: [...inputs] }) },
    output: { completion: null, reasoning: null },
    error:
      status === 'completed'
        ? null
        : { message: error, status: null, provider_name: providerName, raw: null, previous_errors: [] },
  };
}
