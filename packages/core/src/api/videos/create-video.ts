import { receiveCall } from '../../calls/model-call.ts';
import { operation } from '../../http/operation.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { firstValue, type GatewayRequest } from '../../http/request.ts';
import type { VideoDelivery, VideoJob } from '../../stores/video-job.ts';
import { orderVideo } from '../../videos/orders/order-video.ts';
import { videoKind } from '../../videos/orders/video-kind.ts';
import { toVideoResponse } from '../../videos/to-video-response.ts';
import type { WebhookOptions } from '../../webhooks/webhook-options.ts';
import { refuseField } from '../../wire/refuse-field.ts';
import { type VideoRequest, videoRequestSchema } from '../../wire/videos/video-request.ts';
import { type VideoResponse, videoResponseSchema } from '../../wire/videos/video-response.ts';
import type { CreateVideoParts } from './video-parts.ts';

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

type VideoContext = Pick<RequestContext<CreateVideoParts>, 'parts' | 'principal' | 'request' | 'responseHeaders'>;

/** `POST /videos` */
export const createVideo = operation<CreateVideoParts>()({
  body: videoRequestSchema,
  response: videoResponseSchema,
  status: 202,
  run: ({ body, ...context }) => makeVideo(body, context),
});

async function makeVideo(request: VideoRequest, context: VideoContext): Promise<VideoResponse> {
  const { parts, principal, request: client, responseHeaders } = context;
  const { baseUrl } = client;
  const delivery = toDelivery(request, parts.webhooks);
  const key = readIdempotencyKey(client);
  const call = receiveCall(videoKind, request, context);
  const make = (idempotency: VideoJob['idempotency']): Promise<VideoJob> =>
    orderVideo(call, { baseUrl, delivery, idempotency, responseHeaders }, parts);
  let job: VideoJob;
  if (key === null) job = await make(null);
  else {
    const bodyHash = await parts.platform.sha256(JSON.stringify(request));
    const idempotentCall = { principalId: principal.id, key, bodyHash };
    job = await parts.videos.idempotency.once(idempotentCall, () => make({ key, bodyHash }));
  }
  return toVideoResponse(job, baseUrl);
}

function readIdempotencyKey({ headers }: GatewayRequest): string | null {
  const key = firstValue(headers['idempotency-key']);
  if (key === undefined) return null;
  if (key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY_LENGTH) return key;
  throw refuseField('idempotency-key', `must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
}

/** Returns the webhook address for the end of the job: the request's own address, else the default one. */
function toDelivery({ callback_url: asked }: VideoRequest, webhooks: WebhookOptions | undefined): VideoDelivery | null {
  if (asked != null) {
    if (webhooks === undefined) throw refuseField('callback_url', 'cannot be used: this gateway sends no webhooks');
    const isTaken = asked.startsWith('https://') || (webhooks.allowsHttp === true && asked.startsWith('http://'));
    const objection = isTaken ? webhooks.objectToUrl(asked) : 'must begin with https://';
    if (objection !== undefined) throw refuseField('callback_url', objection);
  }
  const url = asked ?? webhooks?.defaultCallbackUrl ?? null;
  return url === null ? null : { url, state: 'waiting', body: null, attempts: 0, nextAttemptAt: 0, lastResult: null };
}
