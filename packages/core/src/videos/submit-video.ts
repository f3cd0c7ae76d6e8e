import { withFlaggedInput } from '../calls/attempt.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { askWithSomeKey, type KeyUse } from '../dispatch/ask-by-keys.ts';
import { toCallError } from '../dispatch/ask-endpoint.ts';
import { type ErrorCode, GatewayError, isCallersMistake, isTransient } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { toProviderResponse } from '../generations/to-generation.ts';
import type { VideoOrder, VideoStarted } from '../providers/video-contract.ts';
import type { Store } from '../stores/store.ts';
import { type VideoJob, type VideoLease, timelineOf } from '../stores/video-jobs.ts';
import type { ProviderResponse } from '../wire/generation.ts';
import { type ConfirmOrder, toUnderWayError } from './idempotency.ts';
import { withAccepted, withAttempt, withoutData } from './video-job.ts';
import { CLOCKS_MS, LEASE_MS } from './video-lease.ts';

/** Fields of a job that depend on the endpoint. */
type Chosen =
  | 'endpointTag'
  | 'providerSlug'
  | 'providerName'
  | 'providerModel'
  | 'order'
  | 'modelId'
  | 'isByok'
  | 'ownKeyId'
  | 'feeMillionths'
  | 'reservedFeeNanoUsd';

export interface Submission {
  /** Best first; each can make videos. */
  readonly endpoints: readonly Endpoint[];
  readonly orderFor: (endpoint: Endpoint) => VideoOrder;
  /** The fee that is reserved for a job with an own key; undefined without any. */
  readonly reservedFeeOf: (endpoint: Endpoint) => number | undefined;
  /** The job before an endpoint has been chosen. */
  readonly draft: Omit<VideoJob, Chosen>;
  readonly store: Pick<Store, 'videoJobs'>;
  readonly platform: Platform;
  readonly timeoutMs: number;
  /** The ownership of the job for at least this time; undefined where no other process could take it over. */
  readonly leaseFor: (ms: number) => VideoLease | undefined;
  /** Asked once the job is stored; undefined where no other process could have ordered the same. */
  readonly confirm: ConfirmOrder | undefined;
  readonly pools: KeyUse;
  /** Which of the keys of an endpoint's provider it is to be sent with, where there are several. */
  readonly keyWishOf: (endpoint: Endpoint) => {
    readonly stickyKey: string | null;
    readonly keyName?: string | undefined;
  };
  /** Whether prompts may be stored beyond the submission. */
  readonly storesContent: boolean;
}

interface Submitted {
  readonly job: VideoJob;
  readonly started: VideoStarted;
  /** As upstream has it, while the job has no data any more. */
  readonly order: VideoOrder;
}

/** Statuses that mean that the gateway's own account is not in order. */
const OPERATORS_OWN: ReadonlySet<number> = new Set([401, 402, 403]);
const DEFAULT_RETRY_AFTER_SECONDS = 30;
/** No further endpoint is called after this, because the caller waits. */
const LAST_START_MS = 150_000;

/**
 * Submits a job to the first endpoint that accepts it. The job is stored before upstream is called, so that a crash
 * leaves a trace, and again with upstream's id after; nothing remains when no endpoint accepts it. Throws the caller's
 * own mistake and the limit of a rate unchanged, any other failure as `submission_failed`, with a retry time where that
 * may help. An error of the store after upstream has accepted the job is thrown unchanged, and leaves the job as after a
 * crash.
 */
export async function submitVideo(submission: Submission): Promise<Submitted> {
  const { draft, store, platform, endpoints } = submission;
  let lastFailure: GatewayError | undefined;
  let lastTimeline: ReturnType<typeof timelineOf> = timelineOf(draft);
  let refusals: readonly ProviderResponse[] = [];
  const noneAfter = platform.monotonicNow() + LAST_START_MS;
  for (const endpoint of endpoints) {
    if (platform.monotonicNow() > noneAfter) break;
    const timeline = withAttempt(lastTimeline, draft, platform.now());
    lastTimeline = timeline;
    const lease = submission.leaseFor(submission.timeoutMs);
    const asked = { ...draft, timeline, lease, ...(refusals.length > 0 && { refusals }) };
    const job = toJob(asked, endpoint, submission);
    if (lastFailure === undefined) await insertConfirmed(job, submission);
    else await store.videoJobs.update(job.id, () => job);
    const result = await startByKeys(job, endpoint, submission);
    if ('error' in result) {
      lastFailure = result.error;
      ({ refusals, timeline: lastTimeline } = result);
      if (isSameEverywhere(lastFailure.code)) break;
      continue;
    }
    return {
      job: await noteSent(result.job, endpoint, result.started, submission),
      started: result.started,
      order: job.order,
    };
  }
  await store.videoJobs.remove(draft.id);
  throw toSubmissionError(lastFailure);
}

type StartResult =
  | { readonly job: VideoJob; readonly started: VideoStarted }
  | {
      readonly error: GatewayError;
      readonly refusals: readonly ProviderResponse[];
      readonly timeline: ReturnType<typeof timelineOf>;
    };

/**
 * Starts a job at an endpoint with one key of its provider after the other, while it refuses the key. The name of the key
 * is stored before upstream is called with it: whoever looks for the job after a crash has to ask with the same.
 */
async function startByKeys(draft: VideoJob, endpoint: Endpoint, submission: Submission): Promise<StartResult> {
  const { store, platform, pools, keyWishOf, storesContent } = submission;
  const isContentStored = storesContent && draft.region === undefined;
  let refusals = draft.refusals ?? [];
  let timeline = timelineOf(draft);
  let isFirst = true;
  const note = (thrown: unknown, startedAt: number, key?: string): GatewayError => {
    const textOf = (): string => draft.order.prompt ?? '';
    const error = withFlaggedInput(toCallError(thrown, endpoint.provider.name), { model: draft.modelId, textOf });
    const latencyMs = platform.monotonicNow() - startedAt;
    refusals = [
      ...refusals,
      toProviderResponse({ endpoint, latencyMs, error, key: key ?? draft.providerKey }, isContentStored),
    ];
    return error;
  };
  const begunAt = platform.monotonicNow();
  // The job continues when the client disconnects.
  const request = { provider: endpoint.provider, ...keyWishOf(endpoint), signal: new AbortController().signal };
  try {
    return await askWithSomeKey(request, pools, async (provider, key) => {
      // Each key is an attempt of its own.
      if (!isFirst) timeline = withAttempt(timeline, draft, platform.now());
      isFirst = false;
      const job =
        key === undefined ? draft : { ...draft, providerKey: key, timeline, ...(refusals.length > 0 && { refusals }) };
      const startedAt = platform.monotonicNow();
      if (key !== undefined) await store.videoJobs.update(job.id, () => job);
      try {
        return { job, started: await start(job, { ...endpoint, provider }, submission) };
      } catch (thrown) {
        throw note(thrown, startedAt, key);
      }
    });
  } catch (thrown) {
    const wasNoted = refusals.length > (draft.refusals?.length ?? 0);
    return {
      error: wasNoted ? toCallError(thrown, endpoint.provider.name) : note(thrown, begunAt),
      refusals,
      timeline,
    };
  }
}

/** Stores the job; it goes again where it is not confirmed, as upstream has not heard of it. */
async function insertConfirmed(job: VideoJob, { store, confirm }: Submission): Promise<void> {
  await store.videoJobs.insert(job);
  if (confirm === undefined) return;
  const isConfirmed = await confirm(job.id).catch(async (error: unknown) => {
    await store.videoJobs.remove(job.id);
    throw error;
  });
  if (isConfirmed) return;
  await store.videoJobs.remove(job.id);
  throw toUnderWayError();
}

/** Whether another endpoint would return the same error. Another model may accept a prompt that is too long. */
function isSameEverywhere(code: ErrorCode): boolean {
  return isCallersMistake(code) && code !== 'context_length_exceeded';
}

function toJob(
  draft: Submission['draft'],
  endpoint: Endpoint,
  { orderFor, reservedFeeOf }: Pick<Submission, 'orderFor' | 'reservedFeeOf'>,
): VideoJob {
  return {
    ...draft,
    modelId: endpoint.modelId,
    endpointTag: endpoint.tag,
    providerSlug: endpoint.provider.slug,
    providerName: endpoint.provider.name,
    providerModel: endpoint.providerModel,
    isByok: endpoint.provider.byok ?? false,
    order: orderFor(endpoint),
    ...(endpoint.ownKeyId !== undefined && {
      ownKeyId: endpoint.ownKeyId,
      providerKey: endpoint.keyName,
      feeMillionths: endpoint.feeMillionths,
      reservedFeeNanoUsd: reservedFeeOf(endpoint),
    }),
  };
}

async function start(job: VideoJob, endpoint: Endpoint, { timeoutMs }: Submission): Promise<VideoStarted> {
  const { video } = endpoint.provider;
  if (video === undefined) throw new GatewayError('not_found', `${endpoint.provider.name} does not offer videos`);
  return video.start({
    providerModel: endpoint.providerModel,
    order: job.order,
    idempotencyKey: job.id,
    signal: new AbortController().signal,
    timeoutMs,
  });
}

async function noteSent(
  job: VideoJob,
  { providerModel }: Endpoint,
  { upstreamId }: VideoStarted,
  { store, platform, storesContent, leaseFor }: Submission,
): Promise<VideoJob> {
  const order = withoutData(job.order, storesContent && job.region === undefined);
  const timeline = withAccepted(timelineOf(job), job, platform.now());
  const upstream = { upstreamId, providerModel };
  const sent: VideoJob = {
    ...job,
    order,
    timeline,
    submission: 'sent',
    upstream,
    lease: leaseFor(LEASE_MS - CLOCKS_MS),
  };
  // Another process has taken over a job that took longer to submit than it was owned for.
  const isOurs = ({ lease }: VideoJob): boolean => lease?.token === job.lease?.token;
  return (await store.videoJobs.update(job.id, (latest) => (isOurs(latest) ? sent : latest))) ?? sent;
}

function toSubmissionError(failure: GatewayError | undefined): GatewayError {
  if (failure === undefined) return new GatewayError('not_found', 'No endpoint can make this video');
  if (isSameEverywhere(failure.code)) return failure;
  const retryAfterSeconds = failure.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS;
  if (failure.code === 'rate_limit_exceeded') {
    const { cause, metadata, upstreamStatus } = failure;
    return new GatewayError(failure.code, failure.message, { cause, metadata, retryAfterSeconds, upstreamStatus });
  }
  const mayPass = isTransient(failure.code) && !OPERATORS_OWN.has(failure.upstreamStatus ?? 0);
  return new GatewayError('submission_failed', `The video could not be submitted: ${failure.message}`, {
    cause: failure,
    metadata: failure.metadata,
    ...(mayPass && { retryAfterSeconds }),
    upstreamStatus: failure.upstreamStatus,
  });
}
