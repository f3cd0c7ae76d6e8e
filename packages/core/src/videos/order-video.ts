import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { CostBound } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { KeyUse } from '../dispatch/ask-by-keys.ts';
import {
  type CallContext,
  type Caller,
  type CallSteps,
  guardByFilters,
  type Planned,
  prepareCall,
  type PreparedCall,
  type PrepareParts,
  routingFor,
} from '../dispatch/prepare-call.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createRandomId, type Platform } from '../foundation/platform.ts';
import type { GuardedCall } from '../guardrails/guard-call.ts';
import type { GatewayRequest } from '../http/request.ts';
import { type Payer, spendersOf } from '../limits/budgets.ts';
import type { Hold, Ledger } from '../limits/ledger.ts';
import { ownWorstCase, reserveCall, worstCaseNanoUsd } from '../limits/reserve-call.ts';
import type { VideoOrder } from '../providers/video-contract.ts';
import { keyStickinessOf } from '../routing/key-pools.ts';
import { type CallPlan, planCall, type RoutingParts } from '../routing/plan-call.ts';
import type { Store, VideoJobRepository } from '../stores/store.ts';
import { hasEnded, type VideoDelivery, type VideoJob } from '../stores/video-jobs.ts';
import { refuseField } from '../wire/fields.ts';
import type { VideoAbilities, VideoCapabilities } from '../wire/video-capabilities.ts';
import type { VideoRequest } from '../wire/videos.ts';
import type { ConfirmOrder } from './idempotency.ts';
import { type Submission, submitVideo } from './submit-video.ts';
import type { VideoChanges } from './video-changes.ts';
import { beginTimeline, endpointOf, listWorkingJobs } from './video-job.ts';
import { boundOfVideo, refuseImpossible, toVideoOrder } from './video-kind.ts';
import type { VideoRunner } from './video-runner.ts';

/** Upstreams take minutes; what has not ended after this long never will. */
const DEADLINE_MS = 6 * 60 * 60 * 1000;
const SUBMIT_TIMEOUT_MS = 120_000;

export interface VideoOrderParts extends PrepareParts {
  readonly store: Pick<Store, 'videoJobs'>;
  readonly ledger: Ledger;
  readonly attempts: { readonly pools: KeyUse };
  readonly videos: { readonly runner: VideoRunner; readonly changes: VideoChanges };
}

interface NewVideo {
  readonly delivery: VideoDelivery | null;
  readonly idempotency: VideoJob['idempotency'];
  /** For a call with an idempotency key. */
  readonly confirm?: ConfirmOrder | undefined;
}

type VideoContext = CallContext<VideoOrderParts> & { readonly request: Pick<GatewayRequest, 'baseUrl'> };

/** Prepares a call as every call is prepared, and submits its video; from then on the runner polls the job. */
export async function orderVideo(
  received: ModelCall<VideoRequest>,
  order: NewVideo,
  context: VideoContext,
): Promise<VideoJob> {
  const { parts } = context;
  const { platform } = parts;
  const prepared = await prepareCall(received, VIDEO_STEPS, context);
  const { call, caller, pipeline, capabilities, previous, stepTimes, decision } = prepared;
  const { endpoints, reservedNanoUsd } = await reserveVideo(prepared, parts.ledger);
  const orderFor = (endpoint: Endpoint): VideoOrder =>
    toVideoOrder(call.request, endpoint, capabilities, previous?.upstream?.upstreamId);
  const draft = {
    ...toDraft(call, { ...order, baseUrl: context.request.baseUrl }, platform),
    reservedNanoUsd,
    timeline: beginTimeline({ stepTimes, startedAt: platform.monotonicNow(), decision }),
    ...(call.region !== null && { region: call.region.name, dataRegion: call.region.dataRegion }),
    ...(pipeline.stages.length > 0 && { pipeline: [...pipeline.stages] }),
    ...(pipeline.narrowedBy !== null && { narrowedBy: pipeline.narrowedBy }),
  };
  const storesContent = parts.logging.inputOutput && caller.workspace?.is_observability_io_logging_enabled !== false;
  const keyWishOf = (endpoint: Endpoint) => ({
    stickyKey: keyStickinessOf(call, endpoint),
    // Another account does not know the job that this one goes on from.
    keyName: previous?.providerKey,
  });
  const reservedFeeOf = (endpoint: Endpoint): number | undefined =>
    ownWorstCase(worstCaseNanoUsd(endpoint, prepared.bound) ?? 0, endpoint).creditsNanoUsd ?? undefined;
  const { confirm } = order;
  return submit({ endpoints, orderFor, reservedFeeOf, keyWishOf, draft, confirm, storesContent }, parts);
}

async function submit(
  {
    draft,
    ...rest
  }: Pick<Submission, 'endpoints' | 'orderFor' | 'reservedFeeOf' | 'keyWishOf' | 'draft' | 'confirm' | 'storesContent'>,
  { platform, store, videos, ledger, attempts }: VideoOrderParts,
): Promise<VideoJob> {
  const { leaseFor, release } = videos.runner.hold(draft.id);
  const timeoutMs = SUBMIT_TIMEOUT_MS;
  try {
    const { pools } = attempts;
    const submission = { ...rest, draft, pools, leaseFor, store, platform, timeoutMs };
    const { job, started, order } = await submitVideo(submission);
    ledger.handOver(job.generationId);
    videos.runner.holdInputs(job, order);
    videos.runner.add(job, started.retryAfterMs);
    videos.changes.emit(job);
    return job;
  } catch (error) {
    // A row remains when upstream may have the job and the store could not record it.
    const left = await Promise.resolve()
      .then(() => store.videoJobs.get(draft.id))
      .catch(() => null);
    // Its amount stays held while it is not known whether there is a job that may cost it.
    if (left === null) videos.runner.findOut(draft);
    else if (left === undefined) ledger.release(draft.generationId);
    else {
      ledger.handOver(draft.generationId);
      videos.runner.add(left, undefined);
    }
    throw error;
  } finally {
    release();
  }
}

/** The initial job, with only the request and its caller. */
function toDraft(
  { id: generationId, request, principal, session, labels }: ModelCall<VideoRequest>,
  { baseUrl, delivery, idempotency }: NewVideo & { readonly baseUrl: string },
  platform: Platform,
): Omit<Submission['draft'], 'reservedNanoUsd'> {
  const now = platform.now();
  return {
    id: createRandomId(platform),
    generationId,
    principalId: principal.id,
    createdAt: now,
    updatedAt: now,
    deadlineAt: now + DEADLINE_MS,
    baseUrl,
    model: request.model,
    userId: principal.userId ?? null,
    workspaceId: principal.workspaceId ?? DEFAULT_WORKSPACE_ID,
    sessionId: session,
    user: labels.externalUser,
    status: 'pending',
    submission: 'sending',
    upstream: null,
    error: null,
    outputs: [],
    costNanoUsd: null,
    idempotency,
    delivery,
  };
}

/** The job to go on from must be the caller's own and completed. */
async function findPrevious(
  { request, principal }: ModelCall<VideoRequest>,
  { store }: VideoOrderParts,
): Promise<VideoJob | null> {
  const id = request.previous_job_id;
  if (id == null) return null;
  const job = await store.videoJobs.get(id);
  if (job === undefined || job.principalId !== principal.id) {
    throw new GatewayError('not_found', 'previous_job_id: there is no such job');
  }
  if (job.status !== 'completed') throw refuseField('previous_job_id', `must be a completed job; it is ${job.status}`);
  return job;
}

/** A job goes on where it was made, if that is still allowed; to go on is no fallback. */
function endpointOfPrevious(
  previous: VideoJob,
  { endpoints, excluded }: CallPlan,
  { catalog }: Pick<RoutingParts, 'catalog'>,
): Endpoint {
  if (previous.ownKeyId !== undefined) return ownEndpointOf(previous, [...endpoints, ...notFirst(excluded)]);
  const endpoint = endpointOf(previous, catalog);
  if (endpoint === undefined) {
    throw new GatewayError('not_found', 'previous_job_id: the endpoint that made this job is no longer served');
  }
  const forbidding = excluded.find((one) => one.endpoint === endpoint && one.rule !== 'allow_fallbacks');
  if (forbidding === undefined) return endpoint;
  throw new GatewayError(
    'not_found',
    `previous_job_id: the endpoint that made this job may not be used (${forbidding.rule})`,
  );
}

const notFirst = (excluded: CallPlan['excluded']): readonly Endpoint[] =>
  excluded.flatMap(({ endpoint, rule }) => (rule === 'allow_fallbacks' ? [endpoint] : []));

/** No other key knows the job. */
function ownEndpointOf({ ownKeyId, endpointTag }: VideoJob, usable: readonly Endpoint[]): Endpoint {
  const endpoint = usable.find((one) => one.ownKeyId === ownKeyId && one.tag === endpointTag);
  if (endpoint !== undefined) return endpoint;
  throw new GatewayError('not_found', 'previous_job_id: the own key that made this job may not be used any more');
}

interface PlannedVideo extends Planned {
  readonly bound: CostBound;
  readonly capabilities: VideoAbilities;
  /** The job that the video goes on from; null for none. */
  readonly previous: VideoJob | null;
}

const VIDEO_STEPS: CallSteps<GuardedCall<VideoRequest>, PlannedVideo, VideoOrderParts> = {
  isRecorded: true,
  isReported: false,
  guard: guardByFilters,
  plan: planVideo,
};

/**
 * Plans a video, at the endpoint of the job that it goes on from, if it does. Throws `invalid_request` for a model that
 * makes no videos, or none like this. An endpoint without a price is refused later: only a budget needs one.
 */
async function planVideo(
  { call }: GuardedCall<VideoRequest>,
  { policy, workspace, ownKeys }: Caller,
  parts: VideoOrderParts,
): Promise<PlannedVideo> {
  const { request } = call;
  const { catalog } = parts.routing;
  const previous = await findPrevious(call, parts);
  const constraints = policy?.constraints ?? [];
  const plan = planCall(call, { constraints, ownKeys }, routingFor(workspace, parts.routing));
  const { architecture, video } = catalog.find(plan.models[0] ?? '')?.definition ?? {};
  if (architecture?.output_modalities?.includes('video') !== true) {
    throw refuseField('model', `${request.model} does not make videos; GET /api/v1/videos/models lists models that do`);
  }
  const capabilities = { ...video, inputModalities: architecture.input_modalities };
  refuseImpossible(request, capabilities);
  if (previous !== null && previous.modelId !== plan.models[0]) {
    throw refuseField('previous_job_id', `is a job of ${previous.modelId}, and can only be continued with that model`);
  }
  const endpoints = previous === null ? plan.endpoints : [endpointOfPrevious(previous, plan, parts.routing)];
  return { plan, endpoints, bound: boundOf(request, capabilities), capabilities, previous };
}

/** Jobs with work left at the start. */
const MAX_HOLDS = 100_000;

interface ReservedVideo {
  /** The endpoints at which the job may be made: within a budget only those with a price for it. */
  readonly endpoints: readonly Endpoint[];
  /** The amount held for it, in billionths of a dollar, until its generation is recorded. */
  readonly reservedNanoUsd: number;
}

/**
 * Holds what a job may cost at most. Throws `payment_required` or `permission_denied` when that does not fit into a
 * budget beside what was spent and is held, and `not_found` when there is a budget, but no price.
 */
async function reserveVideo(
  { call, caller: { budgets }, endpoints: possible, bound }: PreparedCall<VideoRequest> & PlannedVideo,
  ledger: Pick<Ledger, 'reserve'>,
): Promise<ReservedVideo> {
  const endpoints =
    budgets.length === 0 ? possible : possible.filter((endpoint) => worstCaseNanoUsd(endpoint, bound) !== null);
  if (endpoints.length === 0) {
    const message = `model: ${call.request.model} has no price for this video, so budgets cannot be checked`;
    throw new GatewayError('not_found', message);
  }
  const { anyNanoUsd } = await reserveCall(call, { budgets, endpoints, bound }, ledger);
  return { endpoints, reservedNanoUsd: anyNanoUsd };
}

/** A request without a duration may get the longest video of the model. */
function boundOf({ duration }: VideoRequest, { supported_durations: durations }: VideoCapabilities): CostBound {
  return boundOfVideo(duration ?? (durations === undefined ? undefined : Math.max(...durations)));
}

/** The amounts held for the jobs that were open when the process started. */
export function findVideoHolds(jobs: VideoJobRepository): Awaitable<readonly Hold[]> {
  return whenKnown(listWorkingJobs(jobs, { limit: MAX_HOLDS }), toHolds);
}

function toHolds(jobs: readonly VideoJob[]): readonly Hold[] {
  return jobs.flatMap((job) => (hasEnded(job) ? [] : [toHold(job)]));
}

function toHold(job: VideoJob): Hold {
  const { generationId, principalId, userId, workspaceId, isByok, reservedNanoUsd, reservedFeeNanoUsd = null } = job;
  const payer: Payer = { principalId, userId: userId ?? null, workspaceId: workspaceId ?? '' };
  return {
    id: generationId,
    spenders: spendersOf(payer),
    creditsNanoUsd: isByok ? reservedFeeNanoUsd : reservedNanoUsd,
    anyNanoUsd: reservedNanoUsd,
  };
}
