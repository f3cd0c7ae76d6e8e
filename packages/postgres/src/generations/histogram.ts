import {
  createHistogram,
  type GenerationFilter,
  type GenerationHistogram,
  type GenerationSplit,
  type HistogramFigures,
  type HistogramQuery,
  type HistogramSplit,
  toGenerationFacts,
} from '@model-gateway/core';
import { sql } from 'kysely';

import { fromColumnId, toColumnId, toFactText } from '../connection/column-text.ts';
import { isWithin, toFilterSql } from './filters.ts';
import { findBounds } from './list-rows.ts';
import {
  FACTS,
  type FactsRow,
  type Read,
  type ReadParts,
  SlowQueryError,
  type Span,
  toFacts,
  walkSpans,
} from './reader.ts';
import { addUpFirstSessions, addUpSessions, toMeasured } from './rows-by-session.ts';
import { searchRecords } from './search.ts';
import { createSketches, type Sketches } from './sketches.ts';
import { toSlots } from './slots.ts';
import { type Dimension, isDimension, readSketches, readSums, type SketchedRow, sketchRows } from './sums.ts';

const LIMIT_MS = 5000;
/** For what no sums are kept of. */
const WALK_MS = 400;
/** For percentiles, too. */
const ALL_MS = 450;
/** Up to so many, percentiles are those of the measurements themselves. */
const MAX_EXACT = 2000;

/**
 * Adds up by time: from the sums where the filter and the split are about one dimension, else from rows, as far back as
 * there is time for. Percentiles of few calls are exact where there is time to read them.
 */
export async function addUpByTime(query: HistogramQuery, parts: ReadParts): Promise<GenerationHistogram> {
  const startedAt = parts.monotonicNow();
  const span = await toSpan(query, parts);
  if (span === undefined) return createHistogram(query).read(() => Promise.resolve());
  const filter = toFilterSql(query.filter);
  if (filter.remaining.length > 0) {
    const histogram = createHistogram(query);
    const searchedFromMs = await searchRecords({ filter: query.filter, span, parts }, (record) =>
      histogram.add(toGenerationFacts(record), () => record),
    );
    return { ...(await histogram.read(() => Promise.resolve())), ...toCut(searchedFromMs, span) };
  }
  const dimension = toOneDimension(query.filter, query.split?.by);
  const found =
    dimension === undefined
      ? await addUpRows(query, span, parts)
      : await parts.snapshot(LIMIT_MS, (read) => addUpSums(read, query, { span, dimension }));
  if (found.total.requests > MAX_EXACT || found.searchedFromMs !== undefined) return found;
  const leftMs = startedAt + ALL_MS - parts.monotonicNow();
  try {
    return await parts.snapshot(leftMs, (read) => addUpExactly(read, query, span));
  } catch (error) {
    if (error instanceof SlowQueryError) return found;
    throw error;
  }
}

/** What is in the buckets, in the filter's span and in the database; undefined where there is nothing. */
async function toSpan(
  { filter, startMs, bucketMs, buckets }: HistogramQuery,
  parts: ReadParts,
): Promise<Span | undefined> {
  const bounds = await parts.snapshot(LIMIT_MS, findBounds);
  if (bounds === undefined) return undefined;
  const fromMs = Math.max(startMs, filter.createdFromMs ?? startMs, bounds.fromMs);
  const endMs = startMs + bucketMs * buckets;
  const toMs = Math.min(endMs, filter.createdBeforeMs ?? endMs, bounds.toMs);
  return fromMs >= toMs ? undefined : { fromMs, toMs };
}

export const toCut = (searchedFromMs: number, { fromMs }: Span): { searchedFromMs?: number } =>
  searchedFromMs <= fromMs ? {} : { searchedFromMs };

interface SumsOf {
  readonly span: Span;
  readonly dimension: Dimension;
}

async function addUpSums(read: Read, query: HistogramQuery, { span, dimension }: SumsOf): Promise<GenerationHistogram> {
  const { filter, split } = query;
  const statuses = filter.statuses && [...filter.statuses];
  const values = toValues(filter, dimension);
  const { fromMs, toMs } = span;
  const inAll = { startMs: fromMs, bucketMs: toMs - fromMs, buckets: 1 };
  const slots = toSlots(query, fromMs, toMs);
  const rows = await readSketches(read, { dimension: values === undefined ? '' : dimension, values, statuses, slots });
  if (split === undefined) return toHistogram(query, rows);
  const by = split.by as Dimension;
  const ranks = await readSums(read, { dimension: by, values, statuses, slots: toSlots(inAll, fromMs, toMs) });
  const ranked = rank(ranks, split.rank);
  const first = ranked.slice(0, split.limit);
  const partRows =
    first.length === 0 ? [] : await readSketches(read, { dimension: by, values: first, statuses, slots });
  return toHistogram(query, rows, { first, others: ranked.length - first.length, rows: partRows });
}

const SPLIT_VALUES = {
  '': () => undefined,
  model: ({ models }: GenerationFilter) => models,
  provider: ({ providerNames }: GenerationFilter) => providerNames,
  key: ({ principalIds }: GenerationFilter) => principalIds,
  member: ({ userIds }: GenerationFilter) => userIds,
  app: ({ apps }: GenerationFilter) => apps,
} as const;

/** The values of a dimension that a filter chooses, as columns have them. */
export const toValues = (filter: GenerationFilter, dimension: Dimension): string[] | undefined => {
  const values = SPLIT_VALUES[dimension](filter);
  return values && [...values].map(dimension === 'key' || dimension === 'member' ? toColumnId : toFactText);
};

/** The values, those with the most first. Ties are settled by the other figure, then by name. */
function rank(
  rows: readonly { readonly value: string; readonly requests: number; readonly cost_nano: number }[],
  by: 'requests' | 'cost',
): string[] {
  const sums = new Map<string, { requests: number; cost: number }>();
  for (const { value, requests, cost_nano: cost } of rows) {
    const sum = sums.get(value) ?? { requests: 0, cost: 0 };
    sums.set(value, { requests: sum.requests + requests, cost: sum.cost + cost });
  }
  const other = by === 'cost' ? 'requests' : 'cost';
  return [...sums]
    .toSorted(([a, one], [b, two]) => two[by] - one[by] || two[other] - one[other] || (a < b ? -1 : 1))
    .map(([value]) => value);
}

interface PartRows {
  readonly first: readonly string[];
  readonly others: number;
  readonly rows: readonly SketchedRow[];
}

/**
 * The rest of a split is what all have and its parts have not. The parts are added up one after the other in the same
 * place: cells of all of them at once are megabytes for the garbage collector.
 */
function toHistogram(
  { startMs, bucketMs, buckets, split }: HistogramQuery,
  rows: readonly SketchedRow[],
  found: PartRows = { first: [], others: 0, rows: [] },
): GenerationHistogram {
  const all = createTally(buckets);
  for (const row of rows) all.add(row);
  const { total, buckets: figures } = all.read();
  const part = createTally(buckets);
  const rowsOf = new Map<string, SketchedRow[]>(found.first.map((value) => [value, []]));
  for (const row of found.rows) rowsOf.get(row.value)?.push(row);
  const parts = found.first.map((value) => {
    part.clear();
    for (const row of rowsOf.get(value) ?? []) part.add(row);
    all.subtract(part);
    return { value: toSplitValue(split?.by, value), ...part.read() };
  });
  return {
    total,
    buckets: figures.map((bucket, index) => ({ startMs: startMs + index * bucketMs, ...bucket })),
    parts,
    rest: found.others === 0 ? null : { values: found.others, ...all.read() },
  };
}

function toSplitValue(by: GenerationSplit | undefined, value: string): string | null {
  if (value === '') return by === 'model' || by === 'key' ? '' : null;
  return by === 'key' || by === 'member' ? fromColumnId(value) : value;
}

/** Adds up in steps of time, newest first. */
async function addUpRows(query: HistogramQuery, span: Span, parts: ReadParts): Promise<GenerationHistogram> {
  const { split, filter } = query;
  if (split?.by === 'session') return addUpRowsBySession(query, { span, split, parts });
  const { matches } = toFilterSql(filter);
  const value = split === undefined ? sql`''` : sql.raw(`coalesce(g.${SPLIT_COLUMNS[split.by]}, '')`);
  const rows: SketchedRow[] = [];
  const walk = { span, budgetMs: WALK_MS, monotonicNow: parts.monotonicNow };
  const searchedFromMs = await walkSpans(walk, async ({ fromMs, toMs }, limitMs) => {
    const chosen = toMeasured(query, { value, where: sql`${isWithin(fromMs, toMs)} and ${matches}` });
    rows.push(...(await parts.snapshot(limitMs, (read) => read(sketchRows(chosen)))));
    return false;
  });
  const cut = toCut(searchedFromMs, span);
  if (split === undefined) return { ...toHistogram(query, rows), ...cut };
  const ranked = rank(rows, split.rank);
  const first = ranked.slice(0, split.limit);
  const partRows = rows.filter((row) => first.includes(row.value));
  return { ...toHistogram(query, rows, { first, others: ranked.length - first.length, rows: partRows }), ...cut };
}

interface SessionSplit {
  readonly span: Span;
  readonly split: HistogramSplit;
  readonly parts: ReadParts;
}

async function addUpRowsBySession(
  query: HistogramQuery,
  { span, split, parts }: SessionSplit,
): Promise<GenerationHistogram> {
  const { rows, ranks, searchedFromMs } = await addUpSessions(query, { span, budgetMs: WALK_MS }, parts);
  const ranked = rank(ranks, split.rank);
  const first = ranked.slice(0, split.limit);
  const looked = { fromMs: searchedFromMs, toMs: span.toMs };
  const found = { first, others: ranked.length - first.length };
  const partRows = await addUpFirstSessions(query, looked, { first, rows, parts });
  return { ...toHistogram(query, rows, { ...found, rows: partRows }), ...toCut(searchedFromMs, span) };
}

/** The rows match already. */
const NOT_ASKED = (): never => {
  throw new Error('A record is read that nothing asks for');
};

async function addUpExactly(read: Read, query: HistogramQuery, { fromMs, toMs }: Span): Promise<GenerationHistogram> {
  const histogram = createHistogram({ ...query, filter: {} });
  const rows = await read(sql<FactsRow>`select ${FACTS} from gateway.generations g
    where ${isWithin(fromMs, toMs)} and ${toFilterSql(query.filter).matches}`);
  for (const row of rows) histogram.add(toFacts(row), NOT_ASKED);
  return histogram.read(() => Promise.resolve());
}

/** Members of a filter of which sums are kept, with their dimension. */
const DIMENSION_OF = {
  models: 'model',
  providerNames: 'provider',
  principalIds: 'key',
  userIds: 'member',
  apps: 'app',
} as const;
/** What every sum tells apart. */
const ALWAYS_KNOWN = new Set(['createdFromMs', 'createdBeforeMs', 'statuses']);

/**
 * The one dimension that a filter and a split are about, `''` without any; undefined where they are about several, or
 * about something of which no sums are kept.
 */
export function toOneDimension(filter: GenerationFilter, split?: GenerationSplit): Dimension | undefined {
  if (split !== undefined && !isDimension(split)) return undefined;
  const dimensions = new Set<Dimension>(split === undefined ? [] : [split]);
  for (const [name, value] of Object.entries(filter)) {
    if (value === undefined || ALWAYS_KNOWN.has(name) || isEmptyFilter(name, value)) continue;
    if (!Object.hasOwn(DIMENSION_OF, name)) return undefined;
    dimensions.add(DIMENSION_OF[name as keyof typeof DIMENSION_OF]);
  }
  if (dimensions.size > 1) return undefined;
  return [...dimensions][0] ?? '';
}

const isEmptyFilter = (name: string, value: unknown): boolean =>
  (name === 'minCostNanoUsd' && value === 0) || (name === 'conditions' && Array.isArray(value) && value.length === 0);

/** The columns by whose values histograms can be split. */
const SPLIT_COLUMNS: Readonly<Record<GenerationSplit, string>> = {
  model: 'model',
  provider: 'provider_name',
  key: 'principal_id',
  member: 'user_id',
  app: 'app',
  session: 'session_id',
};

/** Figures that are added up, with their columns. */
const SUM_COLUMNS = {
  requests: 'requests',
  failed: 'failed',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
  costNanoUsd: 'cost_nano',
  retries: 'retries',
  promptTokens: 'prompt_tokens',
  cachedTokens: 'cached_tokens',
  cacheSavedNanoUsd: 'saved_nano',
} as const satisfies Partial<Record<keyof HistogramFigures, keyof SketchedRow>>;
const SUM_FIELDS = Object.keys(SUM_COLUMNS) as (keyof typeof SUM_COLUMNS)[];

type Sums = Record<keyof typeof SUM_COLUMNS, number>;

/** Figures of the buckets of a histogram, added up from sums. */
interface Tally {
  /** Adds a row to its bucket. */
  add(row: SketchedRow): void;
  /** Takes another one away, bucket by bucket. */
  subtract(other: Tally): void;
  /** Empties it for the next figures. */
  clear(): void;
  read(): { total: HistogramFigures; buckets: HistogramFigures[] };
  readonly sums: readonly Sums[];
  readonly firstTokens: Sketches;
  readonly speeds: Sketches;
  readonly durations: Sketches;
}

function createTally(count: number): Tally {
  const sums = Array.from({ length: count }, createSums);
  const firstTokens = createSketches(count);
  const speeds = createSketches(count);
  const durations = createSketches(count);
  return {
    sums,
    firstTokens,
    speeds,
    durations,
    add(row) {
      const bucket = sums[row.bucket];
      if (bucket === undefined) return;
      for (const name of SUM_FIELDS) bucket[name] += row[SUM_COLUMNS[name]];
      if (row.first_tokens !== null) firstTokens.add(row.bucket, row.first_tokens);
      if (row.speeds !== null) speeds.add(row.bucket, row.speeds);
      if (row.durations !== null) durations.add(row.bucket, row.durations);
    },
    subtract(other) {
      for (const [place, bucket] of other.sums.entries()) addToBucket(sums[place] as Sums, bucket, -1);
      firstTokens.subtract(other.firstTokens);
      speeds.subtract(other.speeds);
      durations.subtract(other.durations);
    },
    clear() {
      for (const bucket of sums) Object.assign(bucket, createSums());
      firstTokens.clear();
      speeds.clear();
      durations.clear();
    },
    read() {
      const total = createSums();
      for (const bucket of sums) addToBucket(total, bucket, 1);
      return {
        total: toFigures(total, 0, {
          firstTokens: firstTokens.toTotal(),
          speeds: speeds.toTotal(),
          durations: durations.toTotal(),
        }),
        buckets: sums.map((bucket, place) => toFigures(bucket, place, { firstTokens, speeds, durations })),
      };
    },
  };
}

const createSums = (): Sums => Object.fromEntries(SUM_FIELDS.map((name) => [name, 0])) as Sums;

function addToBucket(bucket: Sums, other: Sums, sign: 1 | -1): void {
  for (const name of SUM_FIELDS) bucket[name] += sign * other[name];
}

const toFigures = (
  sums: Sums,
  place: number,
  { firstTokens, speeds, durations }: Pick<Tally, 'firstTokens' | 'speeds' | 'durations'>,
): HistogramFigures => ({
  ...sums,
  firstTokenP50Ms: firstTokens.percentile(place, 0.5),
  firstTokenP95Ms: firstTokens.percentile(place, 0.95),
  tokensPerSecondP50: speeds.percentile(place, 0.5),
  durationP50Ms: durations.percentile(place, 0.5),
  durationP95Ms: durations.percentile(place, 0.95),
  durationP99Ms: durations.percentile(place, 0.99),
});
