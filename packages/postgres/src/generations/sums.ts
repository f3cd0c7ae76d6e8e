import type { GenerationSplit, GenerationStatus } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { isWithin } from './filters.ts';
import type { Read, Span } from './reader.ts';
import type { Cells } from './sketches.ts';
import type { Slot } from './slots.ts';

/** What sums are kept for, with the column of it; the empty one is all generations together. */
const DIMENSIONS = {
  '': null,
  model: 'model',
  provider: 'provider_name',
  key: 'principal_id',
  member: 'user_id',
  app: 'app',
} as const;
export type Dimension = keyof typeof DIMENSIONS;

export const isDimension = (split: GenerationSplit): split is Exclude<GenerationSplit, 'session'> =>
  split !== 'session';

/** Generations of one bucket and value. */
export interface SumRow {
  readonly bucket: number;
  /** Empty for none. */
  readonly value: string;
  /** With those that did not end well. */
  readonly requests: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly interrupted: number;
  readonly cost_nano: number;
}

export interface SketchedRow extends SumRow {
  readonly retries: number;
  /** Tokens of calls whose cached tokens are known. */
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly saved_nano: number;
  readonly first_tokens: Cells | null;
  readonly speeds: Cells | null;
  /** Durations of calls that ended well. */
  readonly durations: Cells | null;
}

interface SumQuery {
  readonly dimension: Dimension;
  /** As columns have them; default: all. */
  readonly values?: readonly string[] | undefined;
  /** Default: all. */
  readonly statuses?: readonly GenerationStatus[] | undefined;
  readonly slots: readonly Slot[];
}

/** The sums of what generations of some buckets have in common. What is not in the sums yet is read from rows. */
export const readSums = (read: Read, query: SumQuery): Promise<SumRow[]> =>
  read(sql<SumRow>`with slots as (${toSlotRows(query.slots)}), parts as (
      select r.bucket, h.value, ${sumsOf(query)}
        from slots r, lateral ${toSlotRowsOf('generation_sums', query)} as h
      union all
      select g.bucket, ${toDimensionValue(query)}, g.sign, ${ENDS_OF_ROW}, g.sign * g.cost_nano from ${toQueryRows(query)}
    )
    select bucket, value, ${ADDED_UP} from parts group by bucket, value having sum(requests) <> 0`);

/** The same with what percentiles are taken of. A bucket and value may come in several rows. */
export const readSketches = (read: Read, query: SumQuery): Promise<SketchedRow[]> =>
  read(sql<SketchedRow>`with slots as (${toSlotRows(query.slots)})
    select bucket, value, ${ADDED_UP}, 0::bigint as retries, 0::bigint as prompt_tokens, 0::bigint as cached_tokens,
      0::bigint as saved_nano, null::text as first_tokens, null::text as speeds, null::text as durations
    from (select r.bucket, h.value, ${sumsOf(query)}
      from slots r, lateral ${toSlotRowsOf('generation_sums', query)} as h) as parts
    group by bucket, value
    union all
    select r.bucket, h.value, 0, 0, 0, 0, 0, ${MEASURED_SUMS_OF_SKETCHES},
      ${toRuns('first_tokens')}, ${toRuns('speeds')}, ${toRuns('durations')}
    from slots r, lateral ${toSlotRowsOf('generation_sketches', query)} as h
    group by r.bucket, h.value
    union all
    select * from (${sketchRows(sql`(select g.bucket, g.sign, ${toDimensionValue(query)} as value, g.status, g.cost_nano,
      g.prompt_tokens, g.cached_tokens, g.saved_nano, g.first_token_ms, g.duration_ms, g.tokens_per_second, g.attempts
      from ${toQueryRows(query)})`)}) as counted`);

/** Adds up rows with bucket, sign, value, status, cost and measurements. */
export const sketchRows = (rows: RawBuilder<unknown>): RawBuilder<SketchedRow> => sql`
  select bucket, value, ${sql.join([...SUM_NAMES, ...MEASURED_SUMS].map(sumOfRows))},
    ${toRunsOfOne('first_token')} as first_tokens, ${toRunsOfOne('speed')} as speeds, ${toRunsOfOne('duration')} as durations
  from (
    select bucket, value, first_token, speed, duration, ${ADDED_UP}, ${MEASURED_ADDED_UP},
      grouping(first_token, speed, duration) = 7 as is_sum
    from (select bucket, value, sign as requests, ${ENDS_OF_ROW}, sign * cost_nano as cost_nano,
      sign * greatest(attempts - 1, 0) as retries,
      case when cached_tokens is null then 0 else sign * coalesce(prompt_tokens, 0) end as prompt_tokens,
      sign * coalesce(cached_tokens, 0) as cached_tokens, sign * saved_nano as saved_nano,
      gateway.cell_of(first_token_ms) as first_token, gateway.cell_of(tokens_per_second) as speed,
      gateway.cell_of(case when g.status = 'ok' then duration_ms end) as duration
      from ${rows} as g) as measured
    group by bucket, value, grouping sets ((), (first_token), (speed), (duration))
  ) as cells
  group by bucket, value`;

const ENDS = ['failed', 'cancelled', 'interrupted'] as const satisfies readonly GenerationStatus[];
const STATUSES: readonly GenerationStatus[] = ['ok', ...ENDS];
const SUM_NAMES = ['requests', ...ENDS, 'cost_nano'];
/** What sketches have beside what percentiles are taken of. */
const MEASURED_SUMS = ['retries', 'prompt_tokens', 'cached_tokens', 'saved_nano'];
const addUp = (names: readonly string[]): RawBuilder<unknown> =>
  sql.raw(names.map((name) => `sum(${name})::bigint as ${name}`).join(', '));
const ADDED_UP = addUp(SUM_NAMES);
const MEASURED_ADDED_UP = addUp(MEASURED_SUMS);
const MEASURED_SUMS_OF_SKETCHES = sql.raw(MEASURED_SUMS.map((name) => `sum(h.${name})::bigint`).join(', '));
/** What a row counts for those that did not end well. */
const ENDS_OF_ROW = sql.raw(
  ENDS.map((status) => `case when g.status = '${status}' then g.sign else 0 end as ${status}`).join(', '),
);

/** The counts of several rows, each behind its first cell. As text: `json` takes half as long again. */
const toRuns = (column: string): RawBuilder<unknown> =>
  sql.raw(
    `'[[' || string_agg(array_lower(h.${column}, 1) || ',' || array_to_string(h.${column}, ',', '0'), '],[') || ']]'`,
  );

/** Counts that are in rows of their own, by cell. */
const toRunsOfOne = (cell: string): RawBuilder<unknown> =>
  sql.raw(`'[[' || string_agg(${cell} || ',' || requests, '],[') || ']]'`);

const sumOfRows = (name: string): RawBuilder<unknown> =>
  sql.raw(`coalesce(sum(${name}) filter (where is_sum), 0)::bigint as ${name}`);

/** The sums of some statuses, each of which has columns of its own. */
function sumsOf({ statuses = STATUSES }: SumQuery): RawBuilder<unknown> {
  const chosen = STATUSES.filter((status) => statuses.includes(status));
  const add = (columns: readonly string[]): string => columns.map((column) => `h.${column}`).join(' + ') || '0::bigint';
  return sql.raw(`${add(chosen)} as requests,
    ${ENDS.map((end) => `${add(chosen.filter((status) => status === end))} as ${end}`).join(', ')},
    ${add(chosen.map((status) => `${status}_nano`))} as cost_nano`);
}

function toSlotRows(slots: readonly Slot[]): RawBuilder<unknown> {
  return sql`select * from unnest(${slots.map(({ bucket }) => bucket)}::integer[],
    ${slots.map(({ grainMs }) => grainMs)}::integer[], ${slots.map(({ fromMs }) => fromMs)}::bigint[],
    ${slots.map(({ toMs }) => toMs)}::bigint[]) as slot (bucket, grain_ms, from_ms, to_ms)`;
}

/** The sums of a slot: by the index, which the planner takes for more work than a look at all. */
const toSlotRowsOf = (
  table: 'generation_sums' | 'generation_sketches',
  { dimension, values, statuses }: SumQuery,
): RawBuilder<unknown> =>
  sql`(select h.* from ${sql.raw(`gateway.${table}`)} h where ${sql.join(
    [
      sql`h.dimension = ${sql.lit(dimension)} and h.grain_ms = r.grain_ms`,
      sql`h.start_ms >= r.from_ms and h.start_ms < r.to_ms`,
      ...(values === undefined ? [] : [sql`h.value = any (${values}::text[])`]),
      ...(statuses === undefined || table === 'generation_sums' ? [] : [sql`h.status = any (${statuses}::text[])`]),
    ],
    sql` and `,
  )} offset 0)`;

function toDimensionValue({ dimension }: SumQuery): RawBuilder<unknown> {
  const column = DIMENSIONS[dimension];
  return column === null ? sql`''` : sql.raw(`coalesce(g.${column}, '')`);
}

/** The rows that no sum has: those of slots without a grain, and those that were written a moment ago. */
function toQueryRows(query: SumQuery): RawBuilder<unknown> {
  const { values, statuses, slots } = query;
  const chosen = sql.join(
    [
      sql`r.bucket is not null`,
      ...(values === undefined ? [] : [sql`${toDimensionValue(query)} = any (${values}::text[])`]),
      ...(statuses === undefined ? [] : [sql`g.status = any (${statuses}::text[])`]),
    ],
    sql` and `,
  );
  const changed = sql`select r.bucket, g.sign, ${ROW_COLUMNS} from slots r join gateway.generation_changes g
    on r.grain_ms is not null and g.created_at_ms >= r.from_ms and g.created_at_ms < r.to_ms where ${chosen}`;
  const edges = toEdges(slots).map(
    ({ fromMs, toMs }) => sql`select r.bucket, 1 as sign, ${ROW_COLUMNS} from slots r join gateway.generations g
      on r.grain_ms is null and g.created_at_ms >= r.from_ms and g.created_at_ms < r.to_ms
      where ${isWithin(fromMs, toMs)} and ${chosen}`,
  );
  return sql`(${sql.join([changed, ...edges], sql` union all `)}) as g`;
}

/** So far apart, rows are in partitions that are asked for one by one. */
const APART_MS = 24 * 60 * 60 * 1000;

/** Spans that hold all slots without a grain, without the days between them. */
function toEdges(slots: readonly Slot[]): Span[] {
  const edges: { fromMs: number; toMs: number }[] = [];
  for (const { grainMs, fromMs, toMs } of slots) {
    if (grainMs !== null) continue;
    const last = edges.at(-1);
    if (last !== undefined && fromMs - last.toMs < APART_MS) last.toMs = toMs;
    else edges.push({ fromMs, toMs });
  }
  return edges;
}

const ROW_COLUMNS = sql.raw(
  [
    'model',
    'provider_name',
    'principal_id',
    'user_id',
    'app',
    'status',
    'cost_nano',
    'prompt_tokens',
    'cached_tokens',
    'saved_nano',
    'first_token_ms',
    'duration_ms',
    'tokens_per_second',
    'attempts',
  ]
    .map((column) => `g.${column}`)
    .join(', '),
);
