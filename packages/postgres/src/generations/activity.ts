import type { ActivityQuery, ActivitySum } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { fromColumnId, toColumnId } from '../connection/column-text.ts';
import { SPENT } from '../schema/sums.ts';
import type { Read, ReadParts } from './reader.ts';

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
  const changed = sql<ActivityRow>`select created_at_ms - created_at_ms % 86400000 as day_ms, model,
      coalesce(provider_name, '') as provider_name, endpoint_id, coalesce(workspace_id, '') as workspace_id,
      sum(sign)::bigint as requests, sum(sign * ${sql.raw(SPENT.credits)})::bigint as credits_nano,
      sum(sign * ${sql.raw(SPENT.byok)})::bigint as byok_nano,
      sum(sign * coalesce(prompt_tokens, 0))::bigint as prompt_tokens,
      sum(sign * coalesce(completion_tokens, 0))::bigint as completion_tokens,
      sum(sign * coalesce(reasoning_tokens, 0))::bigint as reasoning_tokens
    from gateway.generation_changes where created_at_ms >= ${sinceMs}::bigint and ${isChosen} group by 1, 2, 3, 4, 5`;
  // Rows of all keys are thousands, as they are wanted: grouping and sorting them takes ten times as long.
  const summed =
    principalIds === undefined
      ? sql<ActivityRow>`select ${COLUMNS} from gateway.generation_activity where day_ms >= ${sinceMs}::bigint`
      : sql<ActivityRow>`select ${GROUPS}, ${SUMS_OF_GROUPS} from gateway.generation_days
          where day_ms >= ${sinceMs}::bigint and ${isChosen} group by ${GROUPS}`;
  const rows = await snapshot(LIMIT_MS, async (read) => addUp(await readColumns(read, summed), await read(changed)));
  return rows.filter(({ requests }) => requests !== 0).map(toActivitySum);
}

const GROUP_NAMES = ['day_ms', 'model', 'provider_name', 'endpoint_id', 'workspace_id'] as const;
const SUM_NAMES = [
  'requests',
  'credits_nano',
  'byok_nano',
  'prompt_tokens',
  'completion_tokens',
  'reasoning_tokens',
] as const;
const NAMES = [...GROUP_NAMES, ...SUM_NAMES];
const COLUMNS = sql.raw(NAMES.join(', '));
const GROUPS = sql.raw(GROUP_NAMES.join(', '));
const SUMS_OF_GROUPS = sql.raw(SUM_NAMES.map((name) => `sum(${name})::bigint as ${name}`).join(', '));

/** Rows as a list a column: to take thousands of them one by one is most of the time of all. */
async function readColumns(read: Read, rows: RawBuilder<ActivityRow>): Promise<readonly ActivityRow[]> {
  const lists = sql.raw(NAMES.map((name) => `json_agg(${name}) as ${name}`).join(', '));
  const [columns] = await read(
    sql<Readonly<Record<keyof ActivityRow, readonly never[] | null>>>`select ${lists} from (${rows}) as summed`,
  );
  return (columns?.day_ms ?? []).map((_, at) => {
    const value = (name: keyof ActivityRow): never => columns?.[name]?.[at] as never;
    return {
      day_ms: value('day_ms'),
      model: value('model'),
      provider_name: value('provider_name'),
      endpoint_id: value('endpoint_id'),
      workspace_id: value('workspace_id'),
      requests: value('requests'),
      credits_nano: value('credits_nano'),
      byok_nano: value('byok_nano'),
      prompt_tokens: value('prompt_tokens'),
      completion_tokens: value('completion_tokens'),
      reasoning_tokens: value('reasoning_tokens'),
    };
  });
}

/** Rows of which each is alone in its group, and others of the same groups. */
function addUp(rows: readonly ActivityRow[], others: readonly ActivityRow[]): readonly ActivityRow[] {
  if (others.length === 0) return rows;
  const toGroup = (row: ActivityRow): string => JSON.stringify(GROUP_NAMES.map((name) => row[name]));
  const left = new Map(others.map((row) => [toGroup(row), row]));
  const added = rows.map((row) => {
    const group = toGroup(row);
    const other = left.get(group);
    left.delete(group);
    if (other === undefined) return row;
    return { ...row, ...Object.fromEntries(SUM_NAMES.map((name) => [name, row[name] + other[name]])) };
  });
  return [...added, ...left.values()];
}

const toActivitySum = (row: ActivityRow): ActivitySum => ({
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
});
