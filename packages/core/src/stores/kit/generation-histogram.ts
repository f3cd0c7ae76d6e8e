import type { GenerationSplit } from '../../wire/generation-list.ts';
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
  const all = createTallies(buckets);
  const matched = split === undefined ? undefined : createMatched(split);
  return {
    add(facts, readRecord) {
      const bucket = Math.floor((facts.createdAtMs - startMs) / bucketMs);
      const tally = all[bucket];
      if (tally === undefined || !matchesFilter(facts, filter, readRecord)) return;
      addTo(tally, facts);
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
/** Numbers of `createMatched` for each generation. */
const CELLS = 6;

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
      const { status, costNanoUsd, firstTokenMs, tokensPerSecond } = facts;
      sums.requests += 1;
      sums.cost += costNanoUsd;
      cells.push(place, bucket, STATUSES.indexOf(status), costNanoUsd);
      cells.push(firstTokenMs ?? Number.NaN, tokensPerSecond ?? Number.NaN);
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
        addTo(tallyOf[cell(at)]?.[cell(at + 1)] as Tally, {
          status: STATUSES[cell(at + 2)] ?? 'ok',
          costNanoUsd: cell(at + 3),
          firstTokenMs: toNullable(cell(at + 4)),
          tokensPerSecond: toNullable(cell(at + 5)),
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

type Measured = Pick<GenerationFacts, 'status' | 'costNanoUsd' | 'firstTokenMs' | 'tokensPerSecond'>;

function addTo(tally: Tally, { status, costNanoUsd, firstTokenMs, tokensPerSecond }: Measured): void {
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
