import type { GenerationSplit } from '../../wire/generation-list.ts';
import type { GenerationStatus } from '../../wire/statuses.ts';
import type {
  ActivitySum,
  GenerationFacets,
  GenerationFacts,
  GenerationFilter,
  GenerationHistogram,
  HistogramFigures,
  HistogramPart,
  HistogramQuery,
  HistogramSplit,
} from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';
import { matchesFilter } from './filters.ts';
import { toSpent } from './spending.ts';

/** Counts generations one after the other; the result is read once, after the last. */
export interface HistogramCount {
  /** Adds a generation to its bucket, if it matches the filter. */
  add(facts: GenerationFacts, readRecord: () => GenerationRecord): void;
  /** `pause` is awaited between steps of some 20 ms at most, for 100,000 generations. */
  read(pause: () => Promise<void>): Promise<GenerationHistogram>;
}

/** Creates the count of a query. */
export function createHistogram(query: HistogramQuery): HistogramCount {
  const { filter, startMs, bucketMs, buckets, split } = query;
  const all = createTallies(buckets);
  const matched = split === undefined ? undefined : createMatched(split);
  return {
    add(facts, readRecord) {
      const bucket = Math.floor((facts.createdAtMs - startMs) / bucketMs);
      const tally = all[bucket];
      if (tally === undefined || !matchesFilter(facts, filter, readRecord)) return;
      addFacts(tally, facts);
      // Which values come first is known only after the last.
      matched?.add(facts, bucket);
    },
    async read(pause) {
      const { total, buckets: figures } = await toFigures(all, pause);
      const named = figures.map((bucket, index) => ({ startMs: startMs + index * bucketMs, ...bucket }));
      if (matched === undefined) return { total, buckets: named, parts: [], rest: null };
      const { first, others } = matched.rank();
      await pause();
      const tallies = Array.from({ length: first.length + 1 }, () => createTallies(buckets));
      matched.addTo(tallies, first);
      await pause();
      const parts: HistogramPart[] = [];
      for (const [place, value] of first.entries())
        parts.push({ value, ...(await toFigures(tallies[place] ?? [], pause)) });
      const rest = others === 0 ? null : { values: others, ...(await toFigures(tallies[first.length] ?? [], pause)) };
      return { total, buckets: named, parts, rest };
    },
  };
}

const STATUSES: readonly GenerationFacts['status'][] = ['ok', 'failed', 'cancelled', 'interrupted'];
/** Measurements that not every generation has, in the order of `createMatched`. */
const OPTIONAL = ['firstTokenMs', 'tokensPerSecond', 'durationMs', 'promptTokens', 'cachedTokens'] as const;
/** Numbers of `createMatched` for each generation. */
const CELLS = 11;

/**
 * What a split needs of the generations that match, as plain numbers: kept as objects, all of them at once, they would
 * cost the garbage collector as much as everything else takes.
 */
function createMatched({ by, rank, limit }: HistogramSplit) {
  const valueOf = VALUE_OF[by];
  const ranks: Rank[] = [];
  const placeOf = new Map<string | null, number>();
  const cells: number[] = [];
  return {
    add(facts: GenerationFacts, bucket: number): void {
      const value = valueOf(facts);
      let place = placeOf.get(value);
      if (place === undefined) {
        place = ranks.push({ value, requests: 0, cost: 0 }) - 1;
        placeOf.set(value, place);
      }
      const sums = ranks[place] as Rank;
      sums.requests += 1;
      sums.cost += facts.costNanoUsd;
      cells.push(place, bucket, STATUSES.indexOf(facts.status), facts.costNanoUsd, facts.attempts);
      cells.push(facts.cacheSavedNanoUsd);
      for (const name of OPTIONAL) cells.push(facts[name] ?? Number.NaN);
    },
    /** The values that come first, and the number of the others. Ties are settled by the other figure, then by name. */
    rank(): { first: (string | null)[]; others: number } {
      const second = rank === 'cost' ? 'requests' : 'cost';
      const ranked = ranks.toSorted(
        (a, b) => b[rank] - a[rank] || b[second] - a[second] || compare(a.value ?? '', b.value ?? ''),
      );
      const first = ranked.slice(0, limit).map(({ value }) => value);
      return { first, others: ranked.length - first.length };
    },
    /** Adds all to the tallies of their values, and those of other values to the last ones. */
    addTo(tallies: readonly (readonly Tally[])[], first: readonly (string | null)[]): void {
      const tallyOf = ranks.map(({ value }) => {
        const at = first.indexOf(value);
        return tallies[at === -1 ? first.length : at] as readonly Tally[];
      });
      const cell = (at: number): number => cells[at] as number;
      for (let at = 0; at < cells.length; at += CELLS) {
        addFacts(tallyOf[cell(at)]?.[cell(at + 1)] as Tally, {
          status: STATUSES[cell(at + 2)] ?? 'ok',
          costNanoUsd: cell(at + 3),
          attempts: cell(at + 4),
          cacheSavedNanoUsd: cell(at + 5),
          firstTokenMs: toNullable(cell(at + 6)),
          tokensPerSecond: toNullable(cell(at + 7)),
          durationMs: toNullable(cell(at + 8)),
          promptTokens: toNullable(cell(at + 9)),
          cachedTokens: toNullable(cell(at + 10)),
        });
      }
    },
  };
}

const toNullable = (value: number): number | null => (Number.isNaN(value) ? null : value);

const VALUE_OF: Readonly<Record<GenerationSplit, (facts: GenerationFacts) => string | null>> = {
  model: ({ model }) => model,
  provider: ({ providerName }) => providerName,
  key: ({ principalId }) => principalId,
  member: ({ userId }) => userId,
  app: ({ app }) => app,
  session: ({ sessionId }) => sessionId,
};

interface Rank {
  readonly value: string | null;
  requests: number;
  cost: number;
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Figures that are added up. */
const SUMS = [
  'requests',
  'failed',
  'cancelled',
  'interrupted',
  'costNanoUsd',
  'retries',
  'promptTokens',
  'cachedTokens',
  'cacheSavedNanoUsd',
] as const satisfies readonly (keyof HistogramFigures)[];

/** Sums, and the measurements of which percentiles are taken. */
interface Tally extends Record<(typeof SUMS)[number], number> {
  readonly firstTokens: number[];
  readonly speeds: number[];
  readonly durations: number[];
}

const createTallies = (count: number): Tally[] =>
  Array.from({ length: count }, () => ({
    requests: 0,
    failed: 0,
    cancelled: 0,
    interrupted: 0,
    costNanoUsd: 0,
    retries: 0,
    promptTokens: 0,
    cachedTokens: 0,
    cacheSavedNanoUsd: 0,
    firstTokens: [],
    speeds: [],
    durations: [],
  }));

type Measured = Pick<
  GenerationFacts,
  'status' | 'costNanoUsd' | 'attempts' | 'cacheSavedNanoUsd' | (typeof OPTIONAL)[number]
>;

function addFacts(tally: Tally, facts: Measured): void {
  const { status, firstTokenMs, tokensPerSecond, durationMs, cachedTokens } = facts;
  tally.requests += 1;
  if (status !== 'ok') tally[status] += 1;
  tally.costNanoUsd += facts.costNanoUsd;
  tally.retries += Math.max(0, facts.attempts - 1);
  tally.cacheSavedNanoUsd += facts.cacheSavedNanoUsd;
  // Where the provider does not tell, its prompts are no part of the share either.
  if (cachedTokens !== null) {
    tally.promptTokens += facts.promptTokens ?? 0;
    tally.cachedTokens += cachedTokens;
  }
  if (firstTokenMs !== null) tally.firstTokens.push(firstTokenMs);
  if (tokensPerSecond !== null) tally.speeds.push(tokensPerSecond);
  // What failed at once, or was ended by its caller, tells nothing of how long calls take.
  if (durationMs !== null && status === 'ok') tally.durations.push(durationMs);
}

async function toFigures(
  tallies: readonly Tally[],
  pause: () => Promise<void>,
): Promise<{ total: HistogramFigures; buckets: HistogramFigures[] }> {
  const buckets = tallies.map((tally) => addUp([tally]));
  await pause();
  const total = addUp(tallies);
  await pause();
  return { total, buckets };
}

function addUp(tallies: readonly Tally[]): HistogramFigures {
  const sum = (name: (typeof SUMS)[number]): number => tallies.reduce((total, tally) => total + tally[name], 0);
  const firstTokens = join(tallies.map((tally) => tally.firstTokens));
  const speeds = join(tallies.map((tally) => tally.speeds));
  const durations = join(tallies.map((tally) => tally.durations));
  return {
    requests: sum('requests'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    interrupted: sum('interrupted'),
    costNanoUsd: sum('costNanoUsd'),
    retries: sum('retries'),
    promptTokens: sum('promptTokens'),
    cachedTokens: sum('cachedTokens'),
    cacheSavedNanoUsd: sum('cacheSavedNanoUsd'),
    firstTokenP50Ms: takePercentile(firstTokens, 0.5),
    firstTokenP95Ms: takePercentile(firstTokens, 0.95),
    tokensPerSecondP50: takePercentile(speeds, 0.5),
    durationP50Ms: takePercentile(durations, 0.5),
    durationP95Ms: takePercentile(durations, 0.95),
    durationP99Ms: takePercentile(durations, 0.99),
  };
}

/** Puts measurements side by side as plain numbers. */
function join(lists: readonly (readonly number[])[]): Float64Array {
  const joined = new Float64Array(lists.reduce((length, list) => length + list.length, 0));
  let place = 0;
  for (const list of lists) {
    joined.set(list, place);
    place += list.length;
  }
  return joined;
}

/**
 * The smallest of the values that is not below that part of them; null without any. Rearranges them, only as far as that
 * is needed: to sort 100,000 values takes ten times as long.
 */
export function takePercentile(values: Float64Array, part: number): number | null {
  if (values.length === 0) return null;
  const rank = Math.max(0, Math.ceil(values.length * part) - 1);
  let low = 0;
  let high = values.length - 1;
  // What belongs at the rank is between `low` and `high`, until what is smaller is left of it and what is larger right.
  while (low < high) {
    const [left, right] = divide(values, low, high);
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return values[rank] as number;
}

/** Moves smaller values to the left and larger ones to the right; returns where the right part begins and the left ends. */
function divide(values: Float64Array, low: number, high: number): [number, number] {
  const pivot = values[(low + high) >>> 1] as number;
  let left = low;
  let right = high;
  while (left <= right) {
    while ((values[left] as number) < pivot) left += 1;
    while ((values[right] as number) > pivot) right -= 1;
    if (left > right) break;
    const moved = values[left] as number;
    values[left] = values[right] as number;
    values[right] = moved;
    left += 1;
    right -= 1;
  }
  return [left, right];
}

/** Sums of generations by day, model, provider, endpoint and workspace. */
interface ActivityBook {
  add(record: GenerationRecord): void;
  /** Takes away what was added before. */
  subtract(record: GenerationRecord): void;
  /** Removes the days before this one. */
  forgetBefore(day: string): void;
  /** The current sums; the first that was added comes last. */
  sums(): ActivitySum[];
}

/** Creates an empty book. It grows with the kinds of calls there are, not with their number. */
export function createActivityBook(): ActivityBook {
  const sums = new Map<string, Mutable<ActivitySum>>();
  const book = (record: GenerationRecord, sign: 1 | -1): void => {
    const kind = kindOf(record);
    // Not JSON, which would take as long as all the rest, and there may be a hundred thousand.
    const id = `${kind.date}\n${kind.model}\n${kind.providerName}\n${kind.endpointId}\n${kind.workspaceId}`;
    let sum = sums.get(id);
    if (sum === undefined) sums.set(id, (sum = { ...kind, ...NOTHING }));
    addRecord(sum, record, sign);
    if (sum.requests === 0) sums.delete(id);
  };
  return {
    add: (record) => book(record, 1),
    subtract: (record) => book(record, -1),
    forgetBefore(day) {
      for (const [id, { date }] of sums) if (date < day) sums.delete(id);
    },
    sums: () => [...sums.values()].map((sum) => ({ ...sum })).toReversed(),
  };
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const NOTHING = {
  requests: 0,
  creditsNanoUsd: 0,
  byokNanoUsd: 0,
  promptTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
} as const;

const kindOf = ({ generation }: GenerationRecord) => ({
  date: generation.created_at.slice(0, 10),
  model: generation.model,
  providerName: generation.provider_name,
  endpointId: generation.provider_responses?.at(-1)?.endpoint_id ?? '',
  workspaceId: generation.workspace_id ?? '',
});

function addRecord(sum: Mutable<ActivitySum>, { generation, costNanoUsd }: GenerationRecord, sign: 1 | -1): void {
  sum.requests += sign;
  const spent = toSpent(generation, costNanoUsd);
  sum.creditsNanoUsd += sign * spent.creditsNanoUsd;
  sum.byokNanoUsd += sign * spent.byokNanoUsd;
  sum.promptTokens += sign * (generation.tokens_prompt ?? 0);
  sum.completionTokens += sign * (generation.tokens_completion ?? 0);
  sum.reasoningTokens += sign * (generation.native_tokens_reasoning ?? 0);
}

/** Counts generations one after the other; the result is read after the last. */
interface FacetCount {
  add(facts: GenerationFacts, readRecord: () => GenerationRecord): void;
  read(): GenerationFacets;
}

/** Creates the count of what a filter chooses. */
export function createFacetCount(filter: GenerationFilter): FacetCount {
  const { statuses, models, providerNames, principalIds, ...others } = filter;
  const found = {
    statuses: new Map<GenerationStatus, number>(),
    models: new Map<string, number>(),
    providerNames: new Map<string, number>(),
    principalIds: new Map<string, number>(),
  };
  let total = 0;
  return {
    add(facts, readRecord) {
      if (!matchesFilter(facts, others, readRecord)) return;
      const { status, model, providerName, principalId } = facts;
      const isStatus = statuses?.has(status) !== false;
      const isModel = models?.has(model) !== false;
      const isProvider = providerNames === undefined || providerNames.has(providerName ?? '');
      const isPrincipal = principalIds?.has(principalId) !== false;
      if (isModel && isProvider && isPrincipal) count(found.statuses, status);
      if (isStatus && isProvider && isPrincipal) count(found.models, model);
      if (isStatus && isModel && isPrincipal && providerName !== null) count(found.providerNames, providerName);
      if (isStatus && isModel && isProvider) count(found.principalIds, principalId);
      if (isStatus && isModel && isProvider && isPrincipal) total += 1;
    },
    read: () => ({ total, ...found }),
  };
}

function count<Value>(counts: Map<Value, number>, value: Value): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}
