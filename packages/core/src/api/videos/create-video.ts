import { createModelCall } from '../../calls/model-call.ts';
import { createGenerationId } from '../../foundation/random-id.ts';
import type { Principal } from '../../http/principal.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { firstValue, type GatewayRequest } from '../../http/request.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import type { RegionOf } from '../../routing/region-of.ts';
import type { VideoDelivery, VideoJob } from '../../stores/video-job.ts';
import type { IdempotencyGuard } from '../../videos/idempotency.ts';
import { orderVideo, type VideoOrderParts } from '../../videos/order-video.ts';
import { toVideoAnswer } from '../../videos/to-video-answer.ts';
import { videoKind } from '../../videos/video-kind.ts';
import type { WebhookOptions } from '../../webhooks/webhook-options.ts';
import { parseWith } from '../../wire/parse-with.ts';
import { refuseField } from '../../wire/refuse-field.ts';
import { type VideoRequest, videoRequestSchema } from '../../wire/videos/video-request.ts';

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
const MAX_SESSION_ID_LENGTH = 256;

/** What ordering videos is made of. */
export interface CreateVideoParts extends VideoOrderParts {
  readonly videos: VideoOrderParts['videos'] & { readonly idempotency: IdempotencyGuard };
  readonly regionOf: RegionOf;
  /** Undefined: no webhooks are sent. */
  readonly webhooks: WebhookOptions | undefined;
}

interface VideoContext {
  readonly request: GatewayRequest;
  readonly principal: Principal;
  readonly runtime: CreateVideoParts;
  readonly responseHeaders: Record<string, string>;
}

/** `POST /videos` */
export async function createVideo(context: VideoContext): Promise<GatewayResponse> {
  const { runtime: parts, principal, request: client, responseHeaders } = context;
  const { headers, baseUrl } = client;
  const request = parseWith(videoRequestSchema, await readJsonBody(client));
  const delivery = toDelivery(request, parts.webhooks);
  const key = readIdempotencyKey(client);
  const call = createModelCall({
    id: createGenerationId(parts.platform),
    kind: videoKind,
    request,
    principal,
    region: parts.regionOf(client),
    headers,
    headerSession: firstValue(headers['x-session-id'])?.slice(0, MAX_SESSION_ID_LENGTH) ?? null,
  });
  const make = (idempotency: VideoJob['idempotency']): Promise<VideoJob> =>
    orderVideo(call, { baseUrl, delivery, idempotency, responseHeaders }, parts);
  let job: VideoJob;
  if (key === null) job = await make(null);
  else {
    const bodyHash = await parts.platform.sha256(JSON.stringify(request));
    const idempotentCall = { principalId: principal.id, key, bodyHash };
    job = await parts.videos.idempotency.once(idempotentCall, () => make({ key, bodyHash }));
  }
  return toJsonResponse(202, toVideoAnswer(job, baseUrl));
}

function readIdempotencyKey({ headers }: GatewayRequest): string | null {
  const key = firstValue(headers['idempotency-key']);
  if (key === undefined) return null;
  if (key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY_LENGTH) return key;
  throw refuseField('idempotency-key', `must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
}

/** Where the end of the job is announced: at the request's own address, else at the default one. */
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
