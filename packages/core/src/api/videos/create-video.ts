import type { Narrowing } from '../../calls/narrowing.ts';
import { DEFAULT_WORKSPACE_ID } from '../../auth/api-key.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import { operation } from '../../http/operation.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { refuseField } from '../../wire/refuse-field.ts';
import { createGenerationId, createRandomId } from '../../foundation/random-id.ts';
import { guardRequest } from '../../guardrails/guard-request.ts';
import { mapVideoTexts } from '../../videos/map-video-texts.ts';
import { firstValue } from '../../http/request.ts';
import { noEndpointLeft } from '../../routing/no-endpoint-left.ts';
import type { VideoOrder } from '../../providers/video-contract.ts';
import { type VideoRequest, videoRequestSchema } from '../../wire/videos/video-request.ts';
import { planVideoRoute } from '../../videos/plan-video-route.ts';
import { reserveVideo } from '../../videos/reserve-video.ts';
import { type Submission, submitVideo } from '../../videos/submit-video.ts';
import { refuseImpossible, toVideoOrder } from '../../videos/to-video-order.ts';
import { toVideoResponse } from '../../videos/to-video-response.ts';
import { endpointOf } from '../../videos/endpoint-of.ts';
import { type VideoResponse, videoResponseSchema } from '../../wire/videos/video-response.ts';
import type { VideoDelivery, VideoJob } from '../../stores/video-job.ts';
import type { NewVideoParts } from './video-parts.ts';

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
/** Upstreams take minutes; what has not ended after this long never will. */
const DEADLINE_MS = 6 * 60 * 60 * 1000;
const SUBMIT_TIMEOUT_MS = 120_000;

type VideoContext = RequestContext<NewVideoParts>;

/** `POST /videos` */
export const createVideo = operation<NewVideoParts>()({
  body: videoRequestSchema,
  response: videoResponseSchema,
  status: 202,
  run: ({ body, ...context }) => makeVideo(body, context),
});

async function makeVideo(request: VideoRequest, context: VideoContext): Promise<VideoResponse> {
  const { parts: runtime, principal, request: httpRequest } = context;
  const delivery = toDelivery(request, context);
  const key = readIdempotencyKey(context);
  const make = (bodyHash: string | null): Promise<VideoJob> =>
    submit(request, { context, delivery, idempotency: key === null || bodyHash === null ? null : { key, bodyHash } });
  let job: VideoJob;
  if (key === null) job = await make(null);
  else {
    const bodyHash = await runtime.platform.sha256(JSON.stringify(request));
    job = await runtime.videos.idempotency.once({ principalId: principal.id, key, bodyHash }, () => make(bodyHash));
  }
  return toVideoResponse(job, httpRequest.baseUrl);
}

interface NewJob {
  readonly context: VideoContext;
  readonly delivery: VideoDelivery | null;
  readonly idempotency: VideoJob['idempotency'];
}

async function submit(received: VideoRequest, { context, delivery, idempotency }: NewJob): Promise<VideoJob> {
  const { parts: runtime, principal } = context;
  const policy = await runtime.policyOf(principal);
  const { request, stages, refusal } = guardRequest(received, { policy, map: mapVideoTexts, logger: runtime.logger });
  if (refusal !== null) throw refusal;
  const previous = await findPrevious(request, context);
  const { plan, capabilities, narrowings } = planVideoRoute(request, { context, policy });
  refuseImpossible(request, capabilities);
  if (previous !== null && previous.modelId !== plan.models[0]) {
    throw refuseField('previous_job_id', `is a job of ${previous.modelId}, and goes on with that model only`);
  }
  const possible = previous === null ? plan.endpoints : [endpointOfPrevious(previous, { context, narrowings })];
  if (possible.length === 0) throw noEndpointLeft(plan);
  await runtime.rateLimits?.admit(principal, possible[0]?.modelId ?? '', context.responseHeaders);
  const generationId = createGenerationId(runtime.platform);
  const { endpoints, reservedNanoUsd } = await reserveVideo(
    { request, endpoints: possible, capabilities, principal, policy, generationId },
    runtime,
  );
  const orderFor = (endpoint: Endpoint): VideoOrder =>
    toVideoOrder(request, endpoint, capabilities, previous?.upstream?.upstreamId);
  const draft = {
    ...toDraft(request, { context, delivery, idempotency }),
    generationId,
    reservedNanoUsd,
    ...(plan.region !== null && { region: plan.region }),
    ...(stages.length > 0 && { pipeline: stages }),
  };
  return run({ endpoints, orderFor, draft }, runtime);
}

/** Submits a job, and has it looked after from then on. */
async function run(
  { draft, ...rest }: Pick<Submission, 'endpoints' | 'orderFor' | 'draft'>,
  { platform, store, videos, ledger, logging }: NewVideoParts,
): Promise<VideoJob> {
  const { lease, release } = videos.runner.hold(draft.id);
  const storesContent = logging.inputOutput;
  const timeoutMs = SUBMIT_TIMEOUT_MS;
  try {
    const submission = { ...rest, draft: { ...draft, lease }, store, platform, timeoutMs, storesContent };
    const { job, started } = await submitVideo(submission);
    videos.runner.add(job, started.retryAfterMs);
    videos.changes.emit(job);
    return job;
  } catch (error) {
    // Left when upstream may have it and the store could not say so.
    const left = await store.videoJobs.get(draft.id);
    if (left === undefined) ledger.release(draft.generationId);
    else videos.runner.add(left, undefined);
    throw error;
  } finally {
    release();
  }
}

/** The job as it is before anything is known but who asks for what. */
function toDraft(
  request: VideoRequest,
  { context: { parts: runtime, principal, request: httpRequest }, delivery, idempotency }: NewJob,
): Omit<Submission['draft'], 'generationId' | 'reservedNanoUsd'> {
  const now = runtime.platform.now();
  return {
    id: createRandomId(runtime.platform),
    principalId: principal.id,
    createdAt: now,
    updatedAt: now,
    deadlineAt: now + DEADLINE_MS,
    baseUrl: httpRequest.baseUrl,
    model: request.model,
    userId: principal.userId ?? null,
    workspaceId: principal.workspaceId ?? DEFAULT_WORKSPACE_ID,
    sessionId: request.session_id ?? firstValue(httpRequest.headers['x-session-id'])?.slice(0, 256) ?? null,
    user: request.user ?? null,
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

function readIdempotencyKey({ request }: VideoContext): string | null {
  const key = firstValue(request.headers['idempotency-key']);
  if (key === undefined) return null;
  if (key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY_LENGTH) return key;
  throw refuseField('idempotency-key', `must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
}

/** Where the end of the job is announced: at the request's own address, else at the default one. */
function toDelivery({ callback_url: asked }: VideoRequest, { parts: runtime }: VideoContext): VideoDelivery | null {
  const { webhooks } = runtime;
  if (asked != null) {
    if (webhooks === undefined) throw refuseField('callback_url', 'cannot be used: this gateway sends no webhooks');
    const isTaken = asked.startsWith('https://') || (webhooks.allowsHttp === true && asked.startsWith('http://'));
    const objection = isTaken ? webhooks.objectToUrl(asked) : 'must begin with https://';
    if (objection !== undefined) throw refuseField('callback_url', objection);
  }
  const url = asked ?? webhooks?.defaultCallbackUrl ?? null;
  return url === null ? null : { url, state: 'waiting', body: null, attempts: 0, nextAttemptAt: 0, lastResult: null };
}

/** The job to go on from must be the caller's own and completed. */
async function findPrevious(
  request: VideoRequest,
  { parts: runtime, principal }: VideoContext,
): Promise<VideoJob | null> {
  const id = request.previous_job_id;
  if (id == null) return null;
  const job = await runtime.store.videoJobs.get(id);
  if (job === undefined || job.principalId !== principal.id) {
    throw new GatewayError('not_found', 'previous_job_id: there is no such job');
  }
  if (job.status !== 'completed') throw refuseField('previous_job_id', `must be a completed job; it is ${job.status}`);
  return job;
}

interface Bounds {
  readonly context: VideoContext;
  readonly narrowings: readonly Narrowing[];
}

/** A job goes on where it was made, if that is still allowed. */
function endpointOfPrevious(
  previous: VideoJob,
  { context: { parts: runtime, request }, narrowings }: Bounds,
): Endpoint {
  const endpoint = endpointOf(previous, runtime.catalog);
  if (endpoint === undefined) {
    throw new GatewayError('not_found', 'previous_job_id: the endpoint that made this job is no longer served');
  }
  const region = runtime.regionOf(request);
  const forbidding = narrowings.find(({ excludes }) => excludes(endpoint, region));
  if (forbidding === undefined) return endpoint;
  throw new GatewayError(
    'not_found',
    `previous_job_id: the endpoint that made this job may not be used (${forbidding.rule})`,
  );
}
