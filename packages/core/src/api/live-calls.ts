import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { CALL_KINDS } from '../calls/call-kind.ts';
import { GatewayError } from '../foundation/errors.ts';
import { NANO_PER_USD } from '../foundation/money.ts';
import { followFeed } from '../generations/feed.ts';
import { findReadableGeneration } from '../generations/list-generations.ts';
import type { CallState } from '../generations/observer.ts';
import { operation } from '../http/operation.ts';
import { firstValue, type GatewayRequest } from '../http/request.ts';
import type { RunningFigures } from '../stores/store.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
import { toVideoResponse } from '../videos/video-job.ts';
import {
  cancelledSchema,
  generationFeedEventSchema,
  runningCallListSchema,
  type RunningCallRow,
  type VideoEvent,
} from '../wire/generation-feed.ts';
import { generationFeedQuerySchema } from '../wire/generation-list.ts';
import type { GenerationParts } from './generations.ts';

const MAX_FOLLOWERS = 64;

/** `GET /admin/v1/generations/feed`: what ends from now on, or after the event in `Last-Event-ID`. */
export const followGenerations = operation<GenerationParts>()({
  query: generationFeedQuerySchema,
  headers: { 'last-event-id': 'Id of the last event that was received: the feed continues after it' },
  response: { mediaTypes: { 'text/event-stream': generationFeedEventSchema } },
  run({ request, parts, query: { fields } }) {
    if (request.method === 'HEAD') return { status: 200, headers: { ...HEADERS }, body: null };
    if (parts.generationFeed.followers() >= MAX_FOLLOWERS) {
      throw new GatewayError('rate_limit_exceeded', `There are ${MAX_FOLLOWERS} followers already; close one of them`);
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
    return { status: 200, headers: { ...HEADERS }, body };
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

const MAX_ROWS = 200;

/** `GET /admin/v1/generations/running`: the calls under way, those that have run longest first. */
export const listRunningCalls = operation<GenerationParts>()({
  response: runningCallListSchema,
  async run({ parts }) {
    const states = parts.openCalls.states();
    const data = states.slice(0, MAX_ROWS).map(toRow);
    return {
      data,
      total_count: states.length,
      key_names: await parts.findKeyNames(new Set(data.map(({ key_hash: hash }) => hash))),
    };
  },
});

function toRow({
  call,
  startedAt,
  durationMs,
  isStreamed,
  phase,
  endpoint,
  attempts,
  figures,
}: CallState): RunningCallRow {
  const { kind, principal, labels } = call;
  const { model, models } = kind.modelsOf(call.request);
  return {
    id: call.id,
    created_at: new Date(startedAt).toISOString(),
    elapsed_ms: Math.round(durationMs),
    model: endpoint?.modelId ?? model ?? models?.[0] ?? '',
    provider_name: endpoint?.provider.name ?? null,
    api_type: CALL_KINDS[kind.name].apiType,
    streamed: isStreamed,
    state: phase,
    attempts,
    key_hash: principal.id,
    user_id: principal.userId ?? null,
    workspace_id: principal.workspaceId ?? DEFAULT_WORKSPACE_ID,
    session_id: call.session,
    http_referer: labels.referer,
    user_agent: labels.userAgent,
    external_user: labels.externalUser,
    tokens_prompt: figures?.promptTokens ?? null,
    tokens_completion: figures?.completionTokens ?? null,
    cost: figures?.costKnown === true ? chargedUsdOf(figures) : null,
  };
}

/** With an own key the account is charged the fee alone, as the record will say. */
const chargedUsdOf = ({ costUsd, feeNanoUsd }: RunningFigures): number =>
  feeNanoUsd === undefined ? costUsd : feeNanoUsd / NANO_PER_USD;

/**
 * `POST /admin/v1/generations/{id}/cancel`: ends a call under way. Its client gets an error, the connection to its
 * provider is closed, and it is recorded with what it has cost so far.
 */
export const cancelGeneration = operation<GenerationParts>()({
  params: ['id'],
  response: cancelledSchema,
  errors: ['conflict'],
  async run(context) {
    const { id } = context.params;
    const { openCalls, logger } = context.parts;
    const error = new GatewayError('call_cancelled', 'The operator of the gateway cancelled this call', {
      metadata: { reason: 'cancelled_by_operator' },
    });
    if (openCalls.interrupt(id, error)) {
      logger.info('a call was cancelled by the operator', {
        requestId: context.request.id,
        id,
        by: context.principal.name,
      });
      return { cancelled: true as const };
    }
    if (!openCalls.has(id)) await findReadableGeneration(id, context);
    throw new GatewayError('conflict', `Generation ${id} has ended, so there is nothing to cancel`);
  },
});
