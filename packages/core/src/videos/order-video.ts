import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { CostBound } from '../calls/call-kind.ts';
import { createPipeline, type ModelCall } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { type CallerParts, findCaller, noteEffects, refuseWithoutRoom } from '../dispatch/prepare-call.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { createRandomId } from '../foundation/random-id.ts';
import { guardCall } from '../guardrails/guard-call.ts';
import { effectsOfStages } from '../guardrails/hits.ts';
import type { Policy } from '../guardrails/policy.ts';
import { type Budget, type Payer, spendersOf } from '../limits/budgets.ts';
import type { Hold, Ledger } from '../limits/ledger.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { reserveCall, worstCaseNanoUsd } from '../limits/reserve-call.ts';
import type { VideoOrder } from '../providers/video-contract.ts';
import { toRoutingDecision } from '../routing/explain.ts';
import { type CallPlan, noEndpointLeft, planCall, type RoutingParts } from '../routing/plan-call.ts';
import type { Store, VideoJobRepository } from '../stores/store.ts';
import { hasEnded, type VideoDelivery, type VideoJob } from '../stores/video-jobs.ts';
import { refuseField } from '../wire/fields.ts';
import type { VideoAbilities, VideoCapabilities, VideoRequest } from '../wire/videos.ts';
import type { ConfirmOrder } from './idempotency.ts';
import { type Submission, submitVideo } from './submit-video.ts';
import type { VideoChanges } from './video-changes.ts';
import { beginCourse, endpointOf, listWorkingJobs } from './video-job.ts';
import { boundOfVideo, refuseImpossible, toVideoOrder } from './video-kind.ts';
import type { VideoRunner } from './video-runner.ts';

/** Upstreams take minutes; what has not ended after this long never will. */
const DEADLINE_MS = 6 * 60 * 60 * 1000;
const SUBMIT_TIMEOUT_MS = 120_000;

export interface VideoOrderParts {
  readonly callers: CallerParts;
  readonly routing: RoutingParts;
  readonly platform: Platform;
  readonly store: Pick<Store, 'videoJobs'>;
  readonly ledger: Ledger;
  /** Null without any. */
  readonly rateLimits: RateLimits | null;
  readonly logger: Logger;
  readonly videos: { readonly runner: VideoRunner; readonly changes: VideoChanges };
  readonly logging: { readonly inputOutput: boolean };
}

interface NewVideo {
  /** The address of the gateway, as its callers see it. */
  readonly baseUrl: string;
  readonly delivery: VideoDelivery | null;
  readonly idempotency: VideoJob['idempotency'];
  /** For a call with an idempotency key. */
  readonly confirm?: ConfirmOrder | undefined;
  /** Headers of the response; a rate limit adds to them. */
  readonly responseHeaders: Record<string, string>;
}

/** Guards, plans, admits, reserves and submits a video; from then on the runner polls the job. */
export async function orderVideo(
  received: ModelCall<VideoRequest>,
  order: NewVideo,
  parts: VideoOrderParts,
): Promise<VideoJob> {
  const { principal } = received;
  const { logger, platform, logging, routing } = parts;
  const receivedAt = platform.monotonicNow();
  refuseWithoutRoom(parts.callers);
  const caller = await findCaller(principal, parts.callers);
  const { policy, budgets } = caller;
  const pipeline = createPipeline();
  const { call, refusal } = await guardCall(received, { policy, pipeline, logger, platform });
  if (refusal !== null) {
    const refused = { principalId: principal.id, model: received.request.model };
    caller.hits.noteRefused(effectsOfStages(pipeline.stages), refused);
    throw refusal;
  }
  const guardedAt = platform.monotonicNow();

  const { request } = call;
  const previous = await findPrevious(call, parts);
  const { plan, capabilities } = planVideo(call, policy, parts.routing);
  refuseImpossible(request, capabilities);
  if (previous !== null && previous.modelId !== plan.models[0]) {
    throw refuseField('previous_job_id', `is a job of ${previous.modelId}, and goes on with that model only`);
  }
  const possible = previous === null ? plan.endpoints : [endpointOfPrevious(previous, plan, parts.routing)];
  if (policy !== null)
    noteEffects({ call, pipeline, plan: { ...plan, endpoints: possible }, isRefused: false }, caller);
  if (possible.length === 0) throw noEndpointLeft(plan);

  const plannedAt = platform.monotonicNow();
  await parts.rateLimits?.admit(principal, possible[0]?.modelId ?? '', order.responseHeaders);
  const { endpoints, reservedNanoUsd } = await reserveVideo(
    { call, budgets, endpoints: possible, capabilities },
    parts.ledger,
  );
  const orderFor = (endpoint: Endpoint): VideoOrder =>
    toVideoOrder(request, endpoint, capabilities, previous?.upstream?.upstreamId);
  const draft = {
    ...toDraft(call, order, parts.platform),
    reservedNanoUsd,
    course: beginCourse({
      marks: { receivedAt, readAt: receivedAt, guardedAt, plannedAt },
      startedAt: platform.monotonicNow(),
      decision: logging.inputOutput && call.region === null ? toRoutingDecision(plan, routing.health) : null,
    }),
    ...(call.region !== null && { region: call.region.name, dataRegion: call.region.dataRegion }),
    ...(pipeline.stages.length > 0 && { pipeline: [...pipeline.stages] }),
    ...(pipeline.narrowedBy !== null && { narrowedBy: pipeline.narrowedBy }),
  };
  return submit({ endpoints, orderFor, draft, confirm: order.confirm }, parts);
}

async function submit(
  { draft, ...rest }: Pick<Submission, 'endpoints' | 'orderFor' | 'draft' | 'confirm'>,
  { platform, store, videos, ledger, logging }: VideoOrderParts,
): Promise<VideoJob> {
  const { leaseFor, release } = videos.runner.hold(draft.id);
  const storesContent = logging.inputOutput;
  const timeoutMs = SUBMIT_TIMEOUT_MS;
  try {
    const submission = { ...rest, draft, leaseFor, store, platform, timeoutMs, storesContent };
    const { job, started, order } = await submitVideo(submission);
    ledger.handOver(job.generationId);
    videos.runner.holdInputs(job, order);
    videos.runner.add(job, started.retryAfterMs);
    videos.changes.emit(job);
    return job;
  } catch (error) {
    // A row remains when upstream may have the job and the store could not record it.
    const left = await store.videoJobs.get(draft.id);
    if (left === undefined) ledger.release(draft.generationId);
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
  { baseUrl, delivery, idempotency }: NewVideo,
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
  { excluded }: CallPlan,
  { catalog }: Pick<RoutingParts, 'catalog'>,
): Endpoint {
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

interface VideoPlan {
  readonly plan: CallPlan;
  readonly capabilities: VideoAbilities;
}

/** Plans the endpoints of a video. Throws `invalid_request` for a model that makes no videos. */
function planVideo(call: ModelCall<VideoRequest>, policy: Policy | null, parts: RoutingParts): VideoPlan {
  const { request } = call;
  const plan = planCall(call, { narrowings: policy?.narrowings ?? [] }, parts);
  const model = parts.catalog.find(plan.models[0] ?? '');
  const { architecture, video } = model?.definition ?? {};
  if (architecture?.output_modalities?.includes('video') !== true) {
    throw refuseField('model', `${request.model} makes no videos; GET /api/v1/videos/models lists those that do`);
  }
  return { plan, capabilities: { ...video, inputModalities: architecture.input_modalities } };
}

/** Jobs with work left at the start. */
const MAX_HOLDS = 100_000;

interface VideoReservation {
  readonly call: ModelCall<VideoRequest>;
  readonly budgets: readonly Budget[];
  readonly endpoints: readonly Endpoint[];
  readonly capabilities: VideoCapabilities;
}

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
async function reserveVideo(reservation: VideoReservation, ledger: Pick<Ledger, 'reserve'>): Promise<ReservedVideo> {
  const { call, budgets } = reservation;
  const bound = boundOf(reservation);
  const endpoints =
    budgets.length === 0
      ? reservation.endpoints
      : reservation.endpoints.filter((endpoint) => worstCaseNanoUsd(endpoint, bound) !== null);
  if (endpoints.length === 0) {
    const message = `model: ${call.request.model} has no price for this video, so no budget can allow for it`;
    throw new GatewayError('not_found', message);
  }
  const { anyNanoUsd } = await reserveCall(call, { budgets, endpoints, bound }, ledger);
  return { endpoints, reservedNanoUsd: anyNanoUsd };
}

/** A request without a duration may get the longest video of the model. */
function boundOf({ call: { request }, capabilities }: VideoReservation): CostBound {
  const durations = capabilities.supported_durations;
  return boundOfVideo(request.duration ?? (durations === undefined ? undefined : Math.max(...durations)));
}

/** The amounts held for the jobs that were open when the process started. */
export function findVideoHolds(jobs: VideoJobRepository): Awaitable<readonly Hold[]> {
  return whenKnown(listWorkingJobs(jobs, { limit: MAX_HOLDS }), toHolds);
}

function toHolds(jobs: readonly VideoJob[]): readonly Hold[] {
  return jobs.flatMap((job) => (hasEnded(job) ? [] : [toHold(job)]));
}

function toHold({ generationId, principalId, userId, workspaceId, isByok, reservedNanoUsd }: VideoJob): Hold {
  const payer: Payer = { principalId, userId: userId ?? null, workspaceId: workspaceId ?? '' };
  return {
    id: generationId,
    spenders: spendersOf(payer),
    creditsNanoUsd: isByok ? null : reservedNanoUsd,
    anyNanoUsd: reservedNanoUsd,
  };
}
