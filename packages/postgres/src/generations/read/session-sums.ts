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
  /** Those of most calls first. */
  readonly models: string[];
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
  const rows = await read(sql<SumRow>`with calls as materialized (
      select g.session_id, g.id, g.created_at_ms, g.duration_ms, g.status, g.cost_nano, g.is_cost_known, g.principal_id,
        g.model, ${matches} as is_matching
      from gateway.generations g where g.session_id = any (${ids}::text[])
    ), by_model as (
      select session_id, array_agg(model order by requests desc, model) as models
      from (select session_id, model, count(*) as requests from calls group by 1, 2) as counted group by 1
    ), sums as (
      select session_id, (array_agg(id order by created_at_ms, id))[1] as first_id,
        min(created_at_ms) as first_at_ms, max(created_at_ms) as last_at_ms,
        max(created_at_ms + coalesce(duration_ms, 0)) as end_ms, count(*) as requests,
        count(*) filter (where is_matching) as matching,
        count(*) filter (where status = 'failed') as failed,
        count(*) filter (where status = 'cancelled') as cancelled,
        count(*) filter (where status = 'interrupted') as interrupted,
        sum(cost_nano)::bigint as cost_nano, bool_and(is_cost_known) as is_cost_known,
        array_agg(distinct principal_id) as principal_ids
      from calls group by 1
    )
    select sums.*, by_model.models from sums join by_model using (session_id)`);
  return new Map(rows.map((row) => [row.session_id, toSum(row)]));
}

const toSum = (row: SumRow): SessionSum => ({
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
  models: row.models,
  principalIds: row.principal_ids.map(fromColumnId).toSorted(),
});
