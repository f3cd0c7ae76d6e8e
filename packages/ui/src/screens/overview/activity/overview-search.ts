/** What the overview's charts show, as in the address. */
export interface OverviewSearch {
  /** How far back; `today` begins at midnight. */
  readonly range?: string;
  /** A span of one's own instead, ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** `none` splits nothing. */
  readonly split?: string;
}

export const SPLITS = {
  none: 'Nothing',
  model: 'Model',
  provider: 'Provider',
  key: 'Key',
  member: 'Member',
  app: 'App',
  session: 'Session',
} as const;
export type Split = keyof typeof SPLITS;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The named spans: their buckets, and how many these are. */
export const RANGES = {
  '1h': { label: '1\u00a0h', title: 'Last hour', bucketMs: MINUTE_MS, count: 60 },
  '24h': { label: '24\u00a0h', title: 'Last 24 hours', bucketMs: HOUR_MS / 2, count: 48 },
  '7d': { label: '7\u00a0d', title: 'Last 7 days', bucketMs: 3 * HOUR_MS, count: 56 },
  '30d': { label: '30\u00a0d', title: 'Last 30 days', bucketMs: DAY_MS, count: 30 },
  today: { label: 'Today', title: 'Today', bucketMs: HOUR_MS / 2, count: null },
} as const;
export type Range = keyof typeof RANGES;

const DEFAULT_RANGE = '24h';
const DEFAULT_SPLIT = 'model';

const isRange = (text: unknown): text is Range => typeof text === 'string' && Object.hasOwn(RANGES, text);
const isSplit = (text: unknown): text is Split => typeof text === 'string' && Object.hasOwn(SPLITS, text);
const isMoment = (text: unknown): text is string => typeof text === 'string' && !Number.isNaN(Date.parse(text));

/** Reads an address; what makes no sense is left out. */
export function toOverviewSearch({ range, from, to, split }: Record<string, unknown>): OverviewSearch {
  const isSpan = isMoment(from) && isMoment(to) && Date.parse(from) < Date.parse(to);
  return {
    ...(isSpan ? { from, to } : isRange(range) && range !== DEFAULT_RANGE && { range }),
    ...(isSplit(split) && split !== DEFAULT_SPLIT && { split }),
  };
}

export const splitOf = ({ split }: OverviewSearch): Split => (isSplit(split) ? split : DEFAULT_SPLIT);

/** Null for a span of one's own. */
export const rangeOf = ({ range, from }: OverviewSearch): Range | null =>
  from === undefined ? (isRange(range) ? range : DEFAULT_RANGE) : null;

/** A span cut into buckets that begin at full minutes, hours or days of the user's clock. */
export interface ChartSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
}

/** What a search means at a moment. The bucket at the end is the one that has begun. */
export function toChartSpan(search: OverviewSearch, now: number): ChartSpan {
  const range = rangeOf(search);
  if (range === null) return toOwnSpan(Date.parse(search.from ?? ''), Date.parse(search.to ?? ''));
  const { bucketMs, count } = RANGES[range];
  if (count === null) {
    // The whole day, so that it is compared with yesterday up to the same time.
    const fromMs = new Date(now).setHours(0, 0, 0, 0);
    return { fromMs, toMs: new Date(now).setHours(24, 0, 0, 0), bucketMs };
  }
  const toMs = alignDown(now, bucketMs) + bucketMs;
  return { fromMs: toMs - count * bucketMs, toMs, bucketMs };
}

const SECOND_MS = 1000;
const BUCKETS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 7, 14, 30].map((count) => count * DAY_MS),
];
const MAX_BUCKETS = 60;

function toOwnSpan(fromMs: number, toMs: number): ChartSpan {
  const least = (toMs - fromMs) / MAX_BUCKETS;
  const bucketMs = BUCKETS_MS.find((ms) => ms >= least) ?? Math.ceil(least / DAY_MS) * DAY_MS;
  const first = alignDown(fromMs, bucketMs);
  return { fromMs: first, toMs: first + Math.max(1, Math.ceil((toMs - first) / bucketMs)) * bucketMs, bucketMs };
}

/** The beginning of the bucket on the user's clock, where days do not begin at midnight in UTC. */
function alignDown(ms: number, bucketMs: number): number {
  const offset = new Date(ms).getTimezoneOffset() * MINUTE_MS;
  return Math.floor((ms - offset) / bucketMs) * bucketMs + offset;
}
