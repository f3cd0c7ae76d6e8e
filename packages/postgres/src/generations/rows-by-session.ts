import type { HistogramQuery } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { isAnyOf, isWithin, toFilterSql } from './filters.ts';
import { type ReadParts, type Span, walkSpans } from './reader.ts';
import { type SketchedRow, sketchRows } from './sums.ts';

const LIMIT_MS = 5000;
/** The slot of all calls that have a session. */
const SOME_SESSION = 'session';

interface SessionSums {
  readonly value: string;
  readonly requests: number;
  readonly cost_nano: number;
}

interface RowsBySession {
  /** Rows of all calls, with an empty value for calls without a session. */
  readonly rows: readonly SketchedRow[];
  /** In no order; a session may come several times. */
  readonly ranks: readonly SessionSums[];
  readonly searchedFromMs: number;
}

/**
 * Adds up calls in steps of time, newest first, and the calls and costs of each session: measurements are counted for the
 * few sessions alone that come first, as to count those of all sessions takes ten times as long.
 */
export async function addUpSessions(
  query: HistogramQuery,
  walk: { readonly span: Span; readonly budgetMs: number },
  { snapshot, monotonicNow }: ReadParts,
): Promise<RowsBySession> {
  const rows: SketchedRow[] = [];
  const ranks: SessionSums[] = [];
  const { matches } = toFilterSql(query.filter);
  const searchedFromMs = await walkSpans({ ...walk, monotonicNow }, async ({ fromMs, toMs }, limitMs) => {
    const where = sql`${isWithin(fromMs, toMs)} and ${matches}`;
    const value = sql`case when g.session_id is null then '' else ${SOME_SESSION}::text end`;
    const found = await snapshot(limitMs, async (read) => ({
      ranks: await read(toRanks(where)),
      rows: await read(sketchRows(toMeasured(query, { value, where }))),
    }));
    for (const { sessions, requests, costs } of found.ranks)
      for (const [at, value] of sessions.entries())
        ranks.push({ value, requests: requests[at] ?? 0, cost_nano: costs[at] ?? 0 });
    rows.push(...found.rows);
    return false;
  });
  for (const { value, requests, cost_nano: cost } of rows)
    if (value === '') ranks.push({ value, requests, cost_nano: cost });
  return { rows, ranks, searchedFromMs };
}

/** The calls of the sessions that come first, by session; those without one are among the rows already. */
export async function addUpFirstSessions(
  query: HistogramQuery,
  { fromMs, toMs }: Span,
  {
    first,
    rows,
    parts,
  }: { readonly first: readonly string[]; readonly rows: readonly SketchedRow[]; readonly parts: ReadParts },
): Promise<readonly SketchedRow[]> {
  const sessions = new Set(first.filter((value) => value !== ''));
  const without = first.includes('') ? rows.filter(({ value }) => value === '') : [];
  if (sessions.size === 0) return without;
  const { matches } = toFilterSql(query.filter);
  const where = sql`${isWithin(fromMs, toMs)} and ${isAnyOf('session_id', sessions)} and ${matches}`;
  const chosen = sketchRows(toMeasured(query, { value: sql`g.session_id`, where }));
  return [...without, ...(await parts.snapshot(LIMIT_MS, (read) => read(chosen)))];
}

interface Ranks {
  readonly sessions: readonly string[];
  readonly requests: readonly number[];
  readonly costs: readonly number[];
}

/** In three lists, because a row a session takes as long to read as to count. */
const toRanks = (where: RawBuilder<unknown>): RawBuilder<Ranks> => sql<Ranks>`
  select coalesce(json_agg(value), '[]') as sessions, coalesce(json_agg(requests), '[]') as requests,
    coalesce(json_agg(cost_nano), '[]') as costs from (
    select g.session_id as value, count(*) as requests, sum(g.cost_nano)::bigint as cost_nano
    from gateway.generations g where ${where} and g.session_id is not null group by 1) as summed`;

interface Chosen {
  readonly value: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
}

/** Rows with their buckets, and with what is counted of them. */
export const toMeasured = ({ startMs, bucketMs }: HistogramQuery, { value, where }: Chosen): RawBuilder<unknown> =>
  sql`(select floor((g.created_at_ms - ${startMs}::double precision) / ${bucketMs})::integer as bucket,
    1 as sign, ${value} as value, g.status, g.cost_nano, g.prompt_tokens, g.cached_tokens, g.saved_nano, g.first_token_ms,
    g.duration_ms, g.tokens_per_second, g.attempts
    from gateway.generations g where ${where})`;
