import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import { amendRequest, CALL_HEADERS, CALL_RESPONSE_HEADERS, receiveCall } from '../../calls/model-call.ts';
import { parseWith } from '../../foundation/parse.ts';
import { operation } from '../../http/operation.ts';
import { firstValue, type GatewayRequest, type Principal, type RequestContext } from '../../http/request.ts';
import type { VideoDelivery, VideoJob } from '../../stores/video-jobs.ts';
import type { ConfirmOrder } from '../../videos/idempotency.ts';
import { orderVideo } from '../../videos/order-video.ts';
import { toVideoResponse } from '../../videos/video-job.ts';
import { videoKind } from '../../videos/video-kind.ts';
import { refuseField } from '../../wire/fields.ts';
import { type VideoRequest, videoRequestSchema, type VideoResponse, videoResponseSchema } from '../../wire/videos.ts';
import { refuseCallbackUrl } from '../webhooks.ts';
import type { CreateVideoParts } from './video-parts.ts';

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
