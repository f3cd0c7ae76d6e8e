import type { ActivityQuery, ActivitySum } from '@model-gateway/core';
import { sql } from 'kysely';

import { fromColumnId, toColumnId } from '../../connection/column-text.ts';
import type { ReadParts } from './read-parts.ts';

const LIMIT_MS = 5000;

interface ActivityRow {
  readonly day_ms: number;
  readonly model: string;
  readonly provider_name: string;
  readonly endpoint_id: string;
  readonly workspace_id: string;
  readonly requests: number;
  readonly credits_nano: number;
  readonly byok_nano: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly reasoning_tokens: number;
}

/** Adds up by day, model, provider, endpoint and workspace, from the sums of days and what is not in them yet. */
export async function addUpActivity(
  { since, principalIds }: ActivityQuery,
  { snapshot }: ReadParts,
): Promise<readonly ActivitySum[]> {
  const sinceMs = Date.parse(`${since}T00:00:00Z`);
  const isChosen =
    principalIds === undefined ? sql`true` : sql`principal_id = any (${[...principalIds].map(toColumnId)}::text[])`;
  const rows = await snapshot(LIMIT_MS, (read) =>
    read(sql<ActivityRow>`select day_ms, model, provider_name, endpoint_id, workspace_id,
        sum(requests)::bigint as requests, sum(credits_nano)::bigint as credits_nano,
        sum(byok_nano)::bigint as byok_nano, sum(prompt_tokens)::bigint as prompt_tokens,
        sum(completion_tokens)::bigint as completion_tokens, sum(reasoning_tokens)::bigint as reasoning_tokens
      from (
        select day_ms, model, provider_name, endpoint_id, workspace_id, requests, credits_nano, byok_nano,
          prompt_tokens, completion_tokens, reasoning_tokens
        from ${principalIds === undefined ? sql`gateway.generation_activity` : sql`gateway.generation_days`}
        where day_ms >= ${sinceMs}::bigint and ${isChosen}
        union all
        select created_at_ms - created_at_ms % 86400000, model, coalesce(provider_name, ''), endpoint_id,
          coalesce(workspace_id, ''), sign, case when is_byok then 0 else sign * cost_nano end,
          case when is_byok then sign * cost_nano else 0 end, sign * coalesce(prompt_tokens, 0),
          sign * coalesce(completion_tokens, 0), sign * coalesce(reasoning_tokens, 0)
        from gateway.generation_changes where created_at_ms >= ${sinceMs}::bigint and ${isChosen}
      ) as sums
      group by day_ms, model, provider_name, endpoint_id, workspace_id having sum(requests) <> 0
      order by day_ms desc, model, provider_name, endpoint_id, workspace_id`),
  );
  return rows.map((row) => ({
    date: new Date(row.day_ms).toISOString().slice(0, 10),
    model: row.model,
    providerName: row.provider_name === '' ? null : row.provider_name,
    endpointId: row.endpoint_id,
    workspaceId: fromColumnId(row.workspace_id),
    requests: row.requests,
    creditsNanoUsd: row.credits_nano,
    byokNanoUsd: row.byok_nano,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    reasoningTokens: row.reasoning_tokens,
  }));
}
