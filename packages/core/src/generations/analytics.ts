import type { Catalog } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { GenerationFacts } from '../stores/generation-queries.ts';
import type { ScannedGeneration, Store } from '../stores/store.ts';
import type { AnalyticsFilter, AnalyticsQuery, Dimension, Granularity, Metric } from '../wire/analytics.ts';
import type { Generation } from '../wire/generation.ts';
import { addGeneration, addSum, createMetricTally, METRIC_READERS, type MetricTally } from './analytics-metrics.ts';

interface AnalyticsParts {
  readonly store: Pick<Store, 'generations'>;
  readonly catalog: Pick<Catalog, 'find'>;
  readonly platform: Pick<Platform, 'now' | 'monotonicNow'>;
}

/** A query with its time range, in Unix milliseconds; the end is excluded. */
interface AnalyticsQuestion extends Omit<AnalyticsQuery, 'time_range'> {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The generations of one combination of values and one span. */
export interface AnalyticsRow {
  /** Beginning of the span; null without a granularity. */
  readonly startMs: number | null;
  /** In the order of the query's dimensions; null for generations without a value. */
  readonly values: readonly (string | null)[];
  /** In the order of the query's metrics; null where nothing was measured. */
  readonly figures: readonly (number | null)[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The days of which `/activity` has the sums in memory. */
const ACTIVITY_DAYS = 30;
const MAX_QUERY_MS = 10_000;
/** Generations between two looks at the clock. */
const LOOKS = 256;
const MAX_GROUPS = 100_000;
const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 10_000;

/**
 * Adds generations up by time and dimensions. Whole days of what the sums of `/activity` tell are taken from them, all
 * else from the generations one by one, with the same numbers. Throws `timeout` after ten seconds, and
 * `invalid_request` for more than 100,000 combinations of values.
 */
export async function addUpAnalytics(
  question: AnalyticsQuestion,
  parts: AnalyticsParts,
): Promise<{ readonly rows: readonly AnalyticsRow[]; readonly isTruncated: boolean }> {
  const tallies = isInSums(question, parts.platform.now())
    ? await readSums(question, parts)
    : await readGenerations(question, parts);
  return cut(sortRows(tallies, question), question);
}

/** What is known of a generation, or of many that have it in common. */
type Subject = Readonly<Record<Dimension, string | null>>;

interface Tally extends MetricTally {
  readonly startMs: number | null;
  readonly values: readonly (string | null)[];
}

const dimensionsOf = ({ dimensions, filters }: AnalyticsQuestion): readonly Dimension[] => [
  ...dimensions,
  ...filters.map(({ field }) => field),
];

const SUMMED: ReadonlySet<Dimension> = new Set(['model', 'provider', 'workspace']);

/** Keys are chosen before sums are made, so that a filter on them is no hindrance. */
const isOfKeys = ({ field, operator }: AnalyticsFilter): boolean =>
  field === 'api_key_id' && (operator === 'eq' || operator === 'in');

/** Whether the sums of whole days answer the question. */
function isInSums(question: AnalyticsQuestion, nowMs: number): boolean {
  const { metrics, granularity, fromMs, toMs, filters, dimensions } = question;
  const isOfDays = fromMs % DAY_MS === 0 && (toMs % DAY_MS === 0 || toMs >= nowMs);
  return (
    isOfDays &&
    granularity !== 'minute' &&
    granularity !== 'hour' &&
    metrics.every((metric) => METRIC_READERS[metric].isSummed) &&
    dimensions.every((dimension) => SUMMED.has(dimension)) &&
    filters.every((filter) => SUMMED.has(filter.field) || isOfKeys(filter))
  );
}

async function readSums(question: AnalyticsQuestion, parts: AnalyticsParts): Promise<readonly Tally[]> {
  const { filters, fromMs, toMs } = question;
  const ofKeys = filters.filter(isOfKeys).map(({ value }) => new Set([value].flat().map(String)));
  const [first, ...others] = ofKeys;
  const principalIds = first && new Set([...first].filter((id) => others.every((one) => one.has(id))));
  const book = createTallies({ ...question, filters: filters.filter((filter) => !isOfKeys(filter)) }, parts);
  const since = dayAt(Math.min(fromMs, parts.platform.now() - ACTIVITY_DAYS * DAY_MS));
  for (const sum of await parts.store.generations.activity({ since, principalIds })) {
    const atMs = Date.parse(`${sum.date}T00:00:00Z`);
    if (atMs < fromMs || atMs >= toMs) continue;
    const { model, providerName: provider, workspaceId: workspace } = sum;
    const tally = book.find({ ...NO_SUBJECT, model, provider, workspace }, atMs);
    if (tally !== undefined) addSum(tally, sum);
  }
  return book.list();
}

const RECORDED: ReadonlySet<Dimension> = new Set(['workspace', 'origin', 'api_type']);

async function readGenerations(question: AnalyticsQuestion, parts: AnalyticsParts): Promise<readonly Tally[]> {
  const { metrics, fromMs, toMs } = question;
  const { platform, store } = parts;
  const needsRecord =
    metrics.some((metric) => METRIC_READERS[metric].needsRecord) ||
    dimensionsOf(question).some((dimension) => RECORDED.has(dimension));
  const book = createTallies(question, parts);
  const until = platform.monotonicNow() + MAX_QUERY_MS;
  let looks = 0;
  const look = (generation: ScannedGeneration): void => {
    looks += 1;
    if (looks % LOOKS === 0 && platform.monotonicNow() > until) {
      throw new GatewayError(
        'timeout',
        `The query took longer than ${MAX_QUERY_MS / 1000} seconds; choose a shorter time_range`,
      );
    }
    const facts = generation.readFacts();
    const record = needsRecord ? generation.readRecord().generation : null;
    const tally = book.find(toSubject(facts, record), facts.createdAtMs);
    if (tally !== undefined) addGeneration(tally, facts, record);
  };
  await store.generations.scan({ fromMs, toMs }, look);
  return book.list();
}

const toSubject = (facts: GenerationFacts, record: Generation | null): Subject => ({
  model: facts.model,
  provider: facts.providerName,
  api_key_id: facts.principalId,
  user: facts.userId,
  app: facts.app,
  finish_reason: facts.finishReason,
  external_user: facts.externalUser,
  status: facts.status,
  workspace: record?.workspace_id ?? '',
  origin: record?.origin || null,
  api_type: record?.api_type ?? null,
});

const NO_SUBJECT: Subject = {
  model: null,
  provider: null,
  api_key_id: null,
  user: null,
  app: null,
  finish_reason: null,
  external_user: null,
  status: null,
  workspace: null,
  origin: null,
  api_type: null,
};

/** The tallies of a query, by time and values. */
function createTallies(
  { dimensions, filters, granularity }: Pick<AnalyticsQuestion, 'dimensions' | 'filters' | 'granularity'>,
  { catalog }: Pick<AnalyticsParts, 'catalog'>,
) {
  const tallies = new Map<string, Tally>();
  const permaslugOf = (model: string): string => catalog.find(model)?.definition.canonical_slug ?? model;
  const checks = filters.map(toCheck);
  const matches = (subject: Subject): boolean =>
    checks.every(({ field, check }) => {
      const value = subject[field];
      // A model may be named by either of its two names.
      return check(field === 'model' && value !== null ? [value, permaslugOf(value)] : [value]);
    });
  return {
    /** The tally of a generation; undefined where a filter does not choose it. */
    find(subject: Subject, atMs: number): Tally | undefined {
      if (!matches(subject)) return undefined;
      const startMs = granularity === undefined ? null : startOf(atMs, granularity);
      const values = dimensions.map((dimension) => subject[dimension]);
      const id = JSON.stringify([startMs, ...values]);
      const known = tallies.get(id);
      if (known !== undefined) return known;
      if (tallies.size >= MAX_GROUPS) {
        throw new GatewayError(
          'invalid_request',
          `The query has more than ${MAX_GROUPS} combinations of values; choose a shorter time_range, a coarser granularity or fewer dimensions`,
        );
      }
      const tally = { startMs, values, ...createMetricTally() };
      tallies.set(id, tally);
      return tally;
    },
    list: (): readonly Tally[] => [...tallies.values()],
  };
}

interface Check {
  readonly field: Dimension;
  /** Whether a value matches, by any of its names; null for none, which is an empty text for operators of one value. */
  readonly check: (names: readonly (string | null)[]) => boolean;
}

function toCheck({ field, operator, value, include_unset: includesUnset = false }: AnalyticsFilter): Check {
  const wanted = new Set([value].flat().map(String));
  const [one = ''] = wanted;
  const isWanted = (names: readonly (string | null)[]): boolean => names.some((name) => wanted.has(name ?? ''));
  const isUnset = ([name]: readonly (string | null)[]): boolean => name === null;
  const checks: Readonly<Record<AnalyticsFilter['operator'], Check['check']>> = {
    eq: isWanted,
    neq: (names) => !isWanted(names),
    in: (names) => (isUnset(names) ? includesUnset || wanted.has('') : isWanted(names)),
    not_in: (names) => (isUnset(names) ? includesUnset : !isWanted(names)),
    gt: ([name]) => (name ?? '') > one,
    gte: ([name]) => (name ?? '') >= one,
    lt: ([name]) => (name ?? '') < one,
    lte: ([name]) => (name ?? '') <= one,
  };
  return { field, check: checks[operator] };
}

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The beginning of a span in UTC; weeks begin on Monday. */
function startOf(ms: number, granularity: Granularity): number {
  if (granularity === 'minute') return ms - (ms % 60_000);
  if (granularity === 'hour') return ms - (ms % 3_600_000);
  const day = ms - (ms % DAY_MS);
  if (granularity === 'day') return day;
  const date = new Date(day);
  if (granularity === 'week') return day - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** By the order of the query, then by time, then by values, so that a query has the same rows each time. */
function sortRows(
  tallies: readonly Tally[],
  { metrics, dimensions, granularity, order_by: order }: AnalyticsQuestion,
): readonly AnalyticsRow[] {
  const [first = 'request_count'] = metrics;
  const by = order ?? { field: granularity === undefined ? first : 'date', direction: 'desc' };
  const place = dimensions.indexOf(by.field as Dimension);
  const keyOf = (tally: Tally): number | string | null => {
    if (by.field === 'date') return tally.startMs;
    return place === -1 ? METRIC_READERS[by.field as Metric].read(tally) : (tally.values[place] ?? null);
  };
  const sign = by.direction === 'asc' ? 1 : -1;
  return tallies
    .map((tally) => ({ tally, key: keyOf(tally) }))
    .toSorted(
      (a, b) => compare(a.key, b.key, sign) || compare(a.tally.startMs, b.tally.startMs, -1) || compareValues(a, b),
    )
    .map(({ tally }) => ({
      startMs: tally.startMs,
      values: tally.values,
      figures: metrics.map((metric) => METRIC_READERS[metric].read(tally)),
    }));
}

interface Keyed {
  readonly tally: Tally;
}

function compareValues({ tally: one }: Keyed, { tally: other }: Keyed): number {
  for (const [at, value] of one.values.entries()) {
    const order = compare(value, other.values[at] ?? null, 1);
    if (order !== 0) return order;
  }
  return 0;
}

/** What is not known comes last, in either order. */
function compare<Key extends number | string>(a: Key | null, b: Key | null, sign: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -sign : a > b ? sign : 0;
}

/** A series by time that names no limit is given whole, as far as there may be rows. */
function cut(
  rows: readonly AnalyticsRow[],
  { dimensions, granularity, limit, group_limit: groupLimit }: AnalyticsQuestion,
): { readonly rows: readonly AnalyticsRow[]; readonly isTruncated: boolean } {
  const counts = new Map<string, number>();
  const isGrouped = dimensions.length > 0 && groupLimit !== undefined;
  const kept = !isGrouped
    ? rows
    : rows.filter(({ values }) => {
        const id = JSON.stringify(values);
        const count = (counts.get(id) ?? 0) + 1;
        counts.set(id, count);
        return count <= groupLimit;
      });
  const isSeries = granularity !== undefined && dimensions.length > 0 && groupLimit === undefined;
  const found = kept.slice(0, limit ?? (isSeries ? MAX_LIMIT : DEFAULT_LIMIT));
  return { rows: found, isTruncated: found.length < rows.length };
}
