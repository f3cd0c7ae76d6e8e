import { DEFAULT_WORKSPACE_ID } from '../auth/api-key.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { RequestContext } from '../context.ts';
import { GatewayError } from '../errors.ts';
import { refuseField } from '../schemas/refuse-field.ts';
import { createGenerationId, createRandomId } from '../random-id.ts';
import { readJsonBody } from '../read-json-body.ts';
import { headerOf } from '../request.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { noEndpointLeft } from '../routing/plan-route.ts';
import { parseWith } from '../schemas/parse-with.ts';
import { type VideoRequest, videoRequestSchema } from '../schemas/video-request.ts';
import { planVideoRoute } from '../videos/plan-video-route.ts';
import { reserveVideo } from '../videos/reserve-video.ts';
import { type Submission, submitVideo } from '../videos/submit-video.ts';
import { refuseImpossible, toVideoOrder } from '../videos/to-video-order.ts';
import { toVideoAnswer } from '../videos/to-video-answer.ts';
import { endpointOf } from '../videos/endpoint-of.ts';
import type { VideoDelivery, VideoJob } from '../videos/video-job.ts';

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
/** Upstreams take minutes; what has not ended after this long never will. */
const DEADLINE_MS = 6 * 60 * 60 * 1000;
const SUBMIT_TIMEOUT_MS = 120_000;

/** `POST /videos` */
export async function createVideo(context: RequestContext): Promise<GatewayResponse> {
  const { runtime, principal, request: httpRequest } = context;
  const request = parseWith(videoRequestSchema, await readJsonBody(httpRequest));
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
  return toJsonResponse(202, toVideoAnswer(job, httpRequest.baseUrl));
}

interface NewJob {
  readonly context: RequestContext;
  readonly delivery: VideoDelivery | null;
  readonly idempotency: VideoJob['idempotency'];
}

async function submit(request: VideoRequest, { context, delivery, idempotency }: NewJob): Promise<VideoJob> {
  const { runtime, principal, request: httpRequest } = context;
  const { platform } = runtime;
  const previous = await findPrevious(request, context);
  const { plan, capabilities } = planVideoRoute(request, context);
  refuseImpossible(request, capabilities);
  const possible = previous === null ? plan.endpoints : [endpointOfPrevious(previous, context)];
  if (possible.length === 0) throw noEndpointLeft(plan);
  const generationId = createGenerationId(platform);
  const { endpoints, reservedNanoUsd } = await reserveVideo(
    { request, endpoints: possible, capabilities, principal, generationId },
    runtime,
  );
  const now = platform.now();
  const id = createRandomId(platform);
  const { lease, release } = runtime.videos.runner.hold(id);
  const submission: Submission = {
    endpoints,
    orderFor: (endpoint) => toVideoOrder(request, endpoint, capabilities, previous?.upstream?.upstreamId),
    draft: {
      id,
      principalId: principal.id,
      createdAt: now,
      updatedAt: now,
      deadlineAt: now + DEADLINE_MS,
      baseUrl: httpRequest.baseUrl,
      model: request.model,
      userId: principal.userId ?? null,
      workspaceId: principal.workspaceId ?? DEFAULT_WORKSPACE_ID,
      sessionId: request.session_id ?? headerOf(httpRequest.headers, 'x-session-id')?.slice(0, 256) ?? null,
      user: request.user ?? null,
      status: 'pending',
      submission: 'sending',
      upstream: null,
      polls: 0,
      error: null,
      generationId,
      outputs: [],
      costNanoUsd: null,
      reservedNanoUsd,
      idempotency,
      delivery,
      lease,
    },
    store: runtime.store,
    platform,
    timeoutMs: SUBMIT_TIMEOUT_MS,
    storesContent: runtime.logging.inputOutput,
  };
  try {
    const { job, started } = await submitVideo(submission);
    runtime.videos.runner.add(job, started.retryAfterMs);
    return job;
  } catch (error) {
    // Left when upstream may have it and the store could not say so.
    const left = await runtime.store.videoJobs.get(id);
    if (left === undefined) runtime.ledger.release(generationId);
    else runtime.videos.runner.add(left, undefined);
    throw error;
  } finally {
    release();
  }
}

function readIdempotencyKey({ request }: RequestContext): string | null {
  const key = headerOf(request.headers, 'idempotency-key');
  if (key === undefined) return null;
  if (key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY_LENGTH) return key;
  throw refuseField('idempotency-key', `must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
}

/** Where the end of the job is announced: at the request's own address, else at the default one. */
function toDelivery({ callback_url: asked }: VideoRequest, { runtime }: RequestContext): VideoDelivery | null {
  const { webhooks } = runtime;
  if (asked != null) {
    if (webhooks === undefined) throw refuseField('callback_url', 'cannot be used: this gateway sends no webhooks');
    const objection = asked.startsWith('https://') ? webhooks.objectToUrl(asked) : 'must begin with https://';
    if (objection !== undefined) throw refuseField('callback_url', objection);
  }
  const url = asked ?? webhooks?.defaultCallbackUrl ?? null;
  return url === null ? null : { url, state: 'waiting', body: null, attempts: 0, nextAttemptAt: 0, lastResult: null };
}

/** The job to go on from must be the caller's own and completed. */
async function findPrevious(request: VideoRequest, { runtime, principal }: RequestContext): Promise<VideoJob | null> {
  const id = request.previous_job_id;
  if (id == null) return null;
  const job = await runtime.store.videoJobs.get(id);
  if (job === undefined || job.principalId !== principal.id) {
    throw new GatewayError('not_found', 'previous_job_id: there is no such job');
  }
  if (job.status !== 'completed') throw refuseField('previous_job_id', `must be a completed job; it is ${job.status}`);
  return job;
}

/** A job goes on where it was made. */
function endpointOfPrevious(previous: VideoJob, { runtime }: RequestContext): Endpoint {
  const endpoint = endpointOf(previous, runtime.catalog);
  if (endpoint !== undefined) return endpoint;
  throw new GatewayError('not_found', 'previous_job_id: the endpoint that made this job is no longer served');
}
