import type { GenerationSplit } from '../../wire/generations/generation-split.ts';
import type {
  GenerationFacts,
  GenerationHistogram,
  HistogramFigures,
  HistogramPart,
  HistogramQuery,
  HistogramSplit,
} from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';
import { matchesFilter } from './generation-filter.ts';
import { takePercentile } from './take-percentile.ts';

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
  const bucketOf = ({ createdAtMs }: GenerationFacts): number => Math.floor((createdAtMs - startMs) / bucketMs);
  const matched: GenerationFacts[] = [];
  const all = createTallies(buckets);
  return {
    add(facts, readRecord) {
      const tally = all[bucketOf(facts)];
      if (tally === undefined || !matchesFilter(facts, filter, readRecord)) return;
      addTo(tally, facts);
      // Which values come first is known only after the last.
      if (split !== undefined) matched.push(facts);
    },
    async read(pause) {
      const { total, buckets: figures } = await toFigures(all, pause);
      const named = figures.map((bucket, index) => ({ startMs: startMs + index * bucketMs, ...bucket }));
      if (split === undefined) return { total, buckets: named, parts: [], rest: null };
      const { first, others } = rankValues(matched, split);
      await pause();
      const places = new Map(first.map((value, place) => [value, place]));
      const tallies = Array.from({ length: first.length + 1 }, () => createTallies(buckets));
      const valueOf = VALUE_OF[split.by];
      for (const facts of matched) {
        const tally = tallies[places.get(valueOf(facts)) ?? first.length]?.[bucketOf(facts)];
        if (tally !== undefined) addTo(tally, facts);
      }
      await pause();
      const parts: HistogramPart[] = [];
      for (const [place, value] of first.entries())
        parts.push({ value, ...(await toFigures(tallies[place] ?? [], pause)) });
      const rest = others === 0 ? null : { values: others, ...(await toFigures(tallies[first.length] ?? [], pause)) };
      return { total, buckets: named, parts, rest };
    },
  };
}

const VALUE_OF: Readonly<Record<GenerationSplit, (facts: GenerationFacts) => string | null>> = {
  model: ({ model }) => model,
  provider: ({ providerName }) => providerName,
  key: ({ principalId }) => principalId,
  member: ({ userId }) => userId,
  app: ({ app }) => app,
  session: ({ sessionId }) => sessionId,
};

interface Rank {
  requests: number;
  cost: number;
}

/** The values that come first, and the number of the others. Ties are settled by the other figure, then by name. */
function rankValues(
  matched: readonly GenerationFacts[],
  { by, rank, limit }: HistogramSplit,
): { first: (string | null)[]; others: number } {
  const ranks = new Map<string | null, Rank>();
  const valueOf = VALUE_OF[by];
  for (const facts of matched) {
    const value = valueOf(facts);
    let sums = ranks.get(value);
    if (sums === undefined) ranks.set(value, (sums = { requests: 0, cost: 0 }));
    sums.requests += 1;
    sums.cost += facts.costNanoUsd;
  }
  const second = rank === 'cost' ? 'requests' : 'cost';
  const ranked = [...ranks].sort(
    ([left, a], [right, b]) => b[rank] - a[rank] || b[second] - a[second] || compare(left ?? '', right ?? ''),
  );
  const first = ranked.slice(0, limit).map(([value]) => value);
  return { first, others: ranked.length - first.length };
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Sums, and the measurements of which percentiles are taken. */
interface Tally {
  requests: number;
  failed: number;
  cancelled: number;
  interrupted: number;
  costNanoUsd: number;
  readonly firstTokens: number[];
  readonly speeds: number[];
}

const createTallies = (count: number): Tally[] =>
  Array.from({ length: count }, () => ({
    requests: 0,
    failed: 0,
    cancelled: 0,
    interrupted: 0,
    costNanoUsd: 0,
    firstTokens: [],
    speeds: [],
  }));

function addTo(tally: Tally, { status, costNanoUsd, firstTokenMs, tokensPerSecond }: GenerationFacts): void {
  tally.requests += 1;
  if (status !== 'ok') tally[status] += 1;
  tally.costNanoUsd += costNanoUsd;
  if (firstTokenMs !== null) tally.firstTokens.push(firstTokenMs);
  if (tokensPerSecond !== null) tally.speeds.push(tokensPerSecond);
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
  const sum = (name: 'requests' | 'failed' | 'cancelled' | 'interrupted' | 'costNanoUsd'): number =>
    tallies.reduce((total, tally) => total + tally[name], 0);
  const firstTokens = join(tallies.map((tally) => tally.firstTokens));
  const speeds = join(tallies.map((tally) => tally.speeds));
  return {
    requests: sum('requests'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    interrupted: sum('interrupted'),
    costNanoUsd: sum('costNanoUsd'),
    firstTokenP50Ms: takePercentile(firstTokens, 0.5),
    firstTokenP95Ms: takePercentile(firstTokens, 0.95),
    tokensPerSecondP50: takePercentile(speeds, 0.5),
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
