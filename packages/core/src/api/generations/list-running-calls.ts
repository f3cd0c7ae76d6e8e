import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import { CALL_KINDS } from '../../calls/call-kind.ts';
import type { CallState } from '../../generations/observer.ts';
import { operation } from '../../http/operation.ts';
import { type RunningCallRow, runningCallListSchema } from '../../wire/generation-feed.ts';
import type { GenerationParts } from './generation-parts.ts';

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
    cost: figures?.costKnown === true ? figures.costUsd : null,
  };
}
