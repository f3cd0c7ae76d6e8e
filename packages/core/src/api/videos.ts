import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { takesNullCost } from '../calls/attempt.ts';
import { CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../calls/call-headers.ts';
import { kindOfModel } from '../calls/call-kind.ts';
import { receiveCall } from '../calls/model-call.ts';
import type { RegionOf } from '../calls/regions.ts';
import { amendRequest, type HookParts } from '../calls/request-hook.ts';
import type { CatalogModel } from '../catalog/catalog.ts';
import { type EndpointParts, findShownEndpoints } from '../dispatch/usable-endpoints.ts';
import { GatewayError } from '../foundation/errors.ts';
import { parseWith } from '../foundation/parse.ts';
import { operation } from '../http/operation.ts';
import { firstValue, type GatewayRequest, type Principal, type RequestContext } from '../http/request.ts';
import type { Store } from '../stores/store.ts';
import { chargedNanoUsdOf, hasEnded, type VideoDelivery, type VideoJob, timelineOf } from '../stores/video-jobs.ts';
import type { ConfirmOrder, IdempotencyGuard } from '../videos/idempotency.ts';
import { orderVideo, type VideoOrderParts } from '../videos/order-video.ts';
import type { VideoArchive } from '../videos/video-archive.ts';
import { pageVideoJobs, toInputs, toVideoResponse, type VideoProviders, withPolls } from '../videos/video-job.ts';
import { videoKind } from '../videos/video-kind.ts';
import type { VideoRunner } from '../videos/video-runner.ts';
import type { WebhookOptions } from '../webhooks/webhooks.ts';
import { refuseField } from '../wire/fields.ts';
import type { MediaInput } from '../wire/generation.ts';
import {
  type VideoDetail,
  videoDetailResponseSchema,
  videoInputsResponseSchema,
  videoListQuerySchema,
  videoListSchema,
  type VideoModel,
  videoModelListSchema,
  type VideoRequest,
  videoRequestSchema,
  type VideoResponse,
  videoResponseSchema,
  type VideoRow,
} from '../wire/videos.ts';
import { refuseCallbackUrl } from './webhooks.ts';

/** What operations on video jobs use of a gateway. */
export interface VideoParts extends EndpointParts, VideoProviders {
  readonly store: Pick<Store, 'videoJobs'>;
  readonly videos: {
    readonly archive: VideoArchive | undefined;
    readonly runner: Pick<VideoRunner, 'inputsOf' | 'lookAt' | 'pollsOf'>;
  };
  readonly logging: { readonly inputOutput: boolean };
}

/** What is used to start one. */
export interface CreateVideoParts extends VideoOrderParts, HookParts {
  readonly store: Pick<Store, 'videoJobs' | 'workspaces'>;
  readonly videos: VideoOrderParts['videos'] & { readonly idempotency: IdempotencyGuard };
  readonly regionOf: RegionOf;
  /** Undefined: no webhooks are sent. */
  readonly webhooks: WebhookOptions | undefined;
}

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

type VideoContext = Pick<RequestContext<CreateVideoParts>, 'parts' | 'principal' | 'request' | 'responseHeaders'>;

/** `POST /videos` */
export const createVideo = operation<CreateVideoParts>()({
  headers: {
    ...CALL_HEADERS,
    'idempotency-key': 'A request that is repeated with the same key and body receives the job of the first one',
  },
  body: videoRequestSchema,
  response: videoResponseSchema,
  responseHeaders: CALL_RESPONSE_HEADERS,
  status: 202,
  errors: ['conflict', 'submission_failed'],
  run: ({ body, ...context }) => makeVideo(body, context),
});

async function makeVideo(request: VideoRequest, context: VideoContext): Promise<VideoResponse> {
  const { parts, principal, request: client } = context;
  const { baseUrl } = client;
  const key = readIdempotencyKey(client);
  const make = async (idempotency: VideoJob['idempotency'], confirm?: ConfirmOrder): Promise<VideoJob> => {
    const check = (value: unknown): VideoRequest => parseWith(videoRequestSchema, value);
    const amended = await amendRequest({ kind: 'video', request }, check, context);
    const delivery = toDelivery(await findCallbackUrl(amended, principal, parts));
    const call = receiveCall(videoKind, amended, context);
    return orderVideo(call, { delivery, idempotency, confirm }, context);
  };
  let job: VideoJob;
  if (key === null) job = await make(null);
  else {
    const bodyHash = await parts.platform.sha256(JSON.stringify(request));
    const idempotentCall = { principalId: principal.id, key, bodyHash };
    job = await parts.videos.idempotency.once(idempotentCall, (confirm) => make({ key, bodyHash }, confirm));
  }
  return toVideoResponse(job, baseUrl);
}

function readIdempotencyKey({ headers }: GatewayRequest): string | null {
  const key = firstValue(headers['idempotency-key']);
  if (key === undefined) return null;
  if (key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY_LENGTH) return key;
  throw refuseField('idempotency-key', `must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
}

function toDelivery(url: string | null): VideoDelivery | null {
  return url === null ? null : { url, state: 'waiting', body: null, attempts: 0, nextAttemptAt: 0, lastResult: null };
}

/** The address that hears of the end of the job: the request's own, else its workspace's, else the gateway's. */
async function findCallbackUrl(
  { callback_url: asked }: VideoRequest,
  { workspaceId = DEFAULT_WORKSPACE_ID }: Principal,
  { store, webhooks }: CreateVideoParts,
): Promise<string | null> {
  refuseCallbackUrl('callback_url', asked, webhooks);
  if (asked != null) return asked;
  if (webhooks === undefined) return null;
  const record = await store.workspaces.get(workspaceId);
  return record?.workspace.default_callback_url ?? webhooks.defaultCallbackUrl ?? null;
}

/** `GET /videos/{jobId}` */
export const getVideo = operation<VideoParts>()({
  params: ['jobId'],
  headers: { 'user-agent': 'Clients that take no unknown cost receive none' },
  response: videoResponseSchema,
  async run(context) {
    const { request, params, parts } = context;
    const job = await parts.videos.runner.lookAt(await findReadableJob(params.jobId, context));
    const video = toVideoResponse(job, request.baseUrl);
    if (video.usage?.cost !== null || takesNullCost(firstValue(request.headers['user-agent']))) return video;
    return { ...video, usage: { is_byok: video.usage.is_byok } };
  },
});

/** `GET /admin/v1/videos`: the store's jobs, newest first. The request's content is read with the generation. */
export const listVideos = operation<VideoParts>()({
  query: videoListQuerySchema,
  response: videoListSchema,
  async run({ parts, query: { status, limit } }) {
    const { jobs, totalCount } = await pageVideoJobs(parts.store.videoJobs, { status, limit });
    return { data: jobs.map(toVideoRow), total_count: totalCount };
  },
});

// The row omits the prompt: it must not remain readable here after the content of the generation was deleted.
function toVideoRow(job: VideoJob): VideoRow {
  const { order } = job;
  const chargedNanoUsd = chargedNanoUsdOf(job);
  const isCompleted = job.status === 'completed';
  return {
    id: job.id,
    status: job.status,
    model: job.modelId,
    provider_name: job.providerName,
    key_hash: job.principalId,
    generation_id: job.generationId,
    created_at: new Date(job.createdAt).toISOString(),
    ended_at: hasEnded(job) ? new Date(job.updatedAt).toISOString() : null,
    duration: order.durationSeconds ?? null,
    size: order.size ?? null,
    resolution: order.resolution ?? null,
    aspect_ratio: order.aspectRatio ?? null,
    videos: isCompleted ? job.outputs.length : 0,
    cost: isCompleted && chargedNanoUsd !== null ? chargedNanoUsd / 1e9 : null,
    error: job.error,
  };
}

/**
 * `GET /admin/v1/videos/{jobId}`: the timeline of a job, and its prompt while it is open. Later the prompt is
 * read with the generation alone, so that deleting it there is enough.
 */
export const getVideoDetail = operation<VideoParts>()({
  params: ['jobId'],
  response: videoDetailResponseSchema,
  async run(context) {
    const { videos, logging } = context.parts;
    const job = await findReadableJob(context.params.jobId, context);
    const isShown = !hasEnded(job) && logging.inputOutput && job.region === undefined;
    const stored = timelineOf(job);
    const timeline = stored === undefined ? null : withPolls(stored, videos.runner.pollsOf(job.id));
    return {
      data: {
        id: job.id,
        timeline,
        course: timeline,
        prompt: isShown ? (job.order.prompt ?? null) : null,
        inputs: isShown ? toInputs(job.order).map(cut) : [],
      },
    };
  },
});

const SHOWN_LENGTH = 200;

const cut = ({ url, ...input }: MediaInput): VideoDetail['inputs'][number] => ({
  ...input,
  origin: url.length > SHOWN_LENGTH ? `${url.slice(0, SHOWN_LENGTH)}…` : url,
});

/**
 * `GET /admin/v1/videos/{jobId}/inputs`: the media of an open job, in full. Later it is read with the
 * generation alone, as the prompt.
 */
export const getVideoInputs = operation<VideoParts>()({
  params: ['jobId'],
  response: videoInputsResponseSchema,
  async run(context) {
    const { videos, logging } = context.parts;
    const job = await findReadableJob(context.params.jobId, context);
    const isShown = !hasEnded(job) && logging.inputOutput && job.region === undefined;
    return { data: isShown ? videos.runner.inputsOf(job) : [] };
  },
});

const SKUS = ['video', 'video_second', 'video_token'] as const;

/** `GET /videos/models`: models that make videos, with what each can do; callers of models see those they may use. */
export const listVideoModels = operation<VideoParts>()({
  response: videoModelListSchema,
  async run(context) {
    const shown = await findShownEndpoints(context);
    const models = context.parts.catalog.list().filter((model) => kindOfModel(model) === 'video');
    return { data: models.filter((model) => shown(model).length > 0).map(toVideoModel) };
  },
});

/** Unknown values are null, because the wire requires every field (wire.md 15.5). */
function toVideoModel({ id, definition, endpoints }: CatalogModel): VideoModel {
  const { video = {} } = definition;
  const pricing = endpoints[0]?.pricing;
  return {
    id,
    canonical_slug: definition.canonical_slug ?? id,
    name: definition.name ?? id,
    created: definition.created ?? 0,
    description: definition.description ?? '',
    hugging_face_id: null,
    supported_resolutions: video.supported_resolutions ?? null,
    supported_aspect_ratios: video.supported_aspect_ratios ?? null,
    supported_sizes: video.supported_sizes ?? null,
    supported_durations: video.supported_durations ?? null,
    supported_frame_images: video.supported_frame_images ?? null,
    generate_audio: video.generate_audio ?? null,
    seed: video.seed ?? null,
    creativity: toLevels(video.creativity),
    upscale_factor: video.upscale_factor ?? null,
    pricing_skus: Object.fromEntries(
      SKUS.flatMap((sku) => (pricing?.[sku] === undefined ? [] : [[sku, pricing[sku]]])),
    ),
    allowed_passthrough_parameters: video.allowed_passthrough_parameters ?? [],
  };
}

/** The wire knows lists of levels alone. */
function toLevels(creativity: boolean | number[] | undefined): number[] | null {
  if (creativity === false) return [];
  return creativity === undefined || creativity === true ? null : creativity;
}

interface Reader {
  readonly principal: Principal;
  readonly parts: Pick<VideoParts, 'store'>;
}

/** Finds a job for the key that started it or for management. Throws `not_found` for every other caller. */
export async function findReadableJob(id: string, { principal, parts }: Reader): Promise<VideoJob> {
  const job = await parts.store.videoJobs.get(id);
  const isReadable = job !== undefined && (principal.kind === 'management' || job.principalId === principal.id);
  if (!isReadable) throw new GatewayError('not_found', `There is no video job ${id.slice(0, 100)}`);
  return job;
}
