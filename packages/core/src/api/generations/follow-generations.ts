import { GatewayError } from '../../foundation/errors.ts';
import { followFeed } from '../../generations/feed.ts';
import { operation } from '../../http/operation.ts';
import { type GatewayRequest, firstValue } from '../../http/request.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';
import { toVideoResponse } from '../../videos/video-job.ts';
import { generationFeedEventSchema, type VideoEvent } from '../../wire/generation-feed.ts';
import { generationFeedQuerySchema } from '../../wire/generation-list.ts';
import type { GenerationParts } from './generation-parts.ts';

const MAX_FOLLOWERS = 64;

/** `GET /admin/v1/generations/feed`: what ends from now on, or after the event in `Last-Event-ID`. */
export const followGenerations = operation<GenerationParts>()({
  query: generationFeedQuerySchema,
  headers: { 'last-event-id': 'Id of the last event that was received: the feed goes on after it' },
  response: { mediaTypes: { 'text/event-stream': generationFeedEventSchema } },
  run({ request, parts, query: { fields } }) {
    if (request.method === 'HEAD') return { status: 200, headers: HEADERS, body: null };
    if (parts.generationFeed.followers() >= MAX_FOLLOWERS) {
      throw new GatewayError('rate_limit_exceeded', `${MAX_FOLLOWERS} follow already; close one of them`);
    }
    const body = followFeed({
      parts,
      epoch: parts.instanceId(),
      lastEventId: firstValue(request.headers['last-event-id']),
      fields,
      toVideoEvent,
      isAllowed: () => isStillAllowed(request, parts),
      signal: AbortSignal.any([request.signal, parts.closing.signal()]),
    });
    return { status: 200, headers: HEADERS, body };
  },
});

const toVideoEvent = (job: VideoJob): VideoEvent => ({
  ...toVideoResponse(job, job.baseUrl),
  model: job.modelId,
  key_hash: job.principalId,
});

async function isStillAllowed(request: GatewayRequest, parts: Pick<GenerationParts, 'authenticate'>): Promise<boolean> {
  try {
    return (await parts.authenticate(request)).kind === 'management';
  } catch {
    return false;
  }
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
