import type { GenerationFilter, SessionSum } from '@model-gateway/core';
import { sql } from 'kysely';

import { fromColumnId } from '../../connection/column-text.ts';
import { isWithin, toFilterSql } from './filter-sql.ts';
import type { Read } from './reader.ts';

interface SumRow {
  readonly session_id: string;
  readonly first_id: string;
  readonly first_at_ms: number;
  readonly last_at_ms: number;
  readonly end_ms: number;
  readonly requests: number;
  readonly matching: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly interrupted: number;
  readonly cost_nano: number;
  readonly is_cost_known: boolean;
  readonly principal_ids: string[];
}

interface ModelRow {
  readonly session_id: string;
  readonly model: string;
}

/**
 * The sums of sessions by their ids, of all their calls, for a filter that columns tell alone. They are added up by the
 * database: a client may mark all of its calls, however many, as one session.
 */
export async function readSessionSums(
  read: Read,
  ids: readonly string[],
  filter: GenerationFilter = {},
): Promise<Map<string, SessionSum>> {
  const matches = sql`${isWithin(filter.createdFromMs, filter.createdBeforeMs)} and ${toFilterSql(filter).matches}`;
  const rows =
    await read(sql<SumRow>`select g.session_id, (array_agg(g.id order by g.created_at_ms, g.id))[1] as first_id,
      min(g.created_at_ms) as first_at_ms, max(g.created_at_ms) as last_at_ms,
      max(g.created_at_ms + coalesce(g.duration_ms, 0)) as end_ms, count(*) as requests,
      count(*) filter (where ${matches}) as matching,
      count(*) filter (where g.status = 'failed') as failed,
      count(*) filter (where g.status = 'cancelled') as cancelled,
      count(*) filter (where g.status = 'interrupted') as interrupted,
      sum(g.cost_nano)::bigint as cost_nano, bool_and(g.is_cost_known) as is_cost_known,
      array_agg(distinct g.principal_id) as principal_ids
    from gateway.generations g where g.session_id = any (${ids}::text[]) group by 1`);
  const models = await read(sql<ModelRow>`select g.session_id, g.model
    from gateway.generations g where g.session_id = any (${ids}::text[])
    group by 1, 2 order by count(*) desc, g.model`);
  const modelsOf = new Map<string, string[]>();
  for (const { session_id: id, model } of models) {
    const list = modelsOf.get(id);
    if (list === undefined) modelsOf.set(id, [model]);
    else list.push(model);
  }
  return new Map(rows.map((row) => [row.session_id, toSum(row, modelsOf.get(row.session_id) ?? [])]));
}

const toSum = (row: SumRow, models: readonly string[]): SessionSum => ({
  sessionId: row.session_id,
  firstId: fromColumnId(row.first_id),
  firstAtMs: row.first_at_ms,
  lastAtMs: row.last_at_ms,
  endMs: row.end_ms,
  requests: row.requests,
  matching: row.matching,
  failed: row.failed,
  cancelled: row.cancelled,
  interrupted: row.interrupted,
  costNanoUsd: row.cost_nano,
  isCostKnown: row.is_cost_known,
  models,
  principalIds: row.principal_ids.map(fromColumnId).toSorted(),
});
