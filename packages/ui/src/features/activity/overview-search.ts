import {
  DAY_MS,
  HOUR_MS,
  isPeriod,
  MINUTE_MS,
  type PeriodName,
  toDayBefore,
  toDayEnd,
  toPeriodStart,
  zoneOffsetMs,
} from '../../format/days.ts';

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

export const SPLITS = ['none', 'model', 'provider', 'key', 'member', 'app', 'session'] as const;
export type Split = (typeof SPLITS)[number];

/** The lengths of the buckets of each period. */
const BUCKETS_OF: Readonly<Record<PeriodName, number>> = {
  '1h': MINUTE_MS,
  '24h': HOUR_MS / 2,
  '7d': 3 * HOUR_MS,
  '30d': DAY_MS,
  today: HOUR_MS / 2,
  yesterday: HOUR_MS / 2,
};
export type Range = PeriodName;

const DEFAULT_RANGE = '24h';
const DEFAULT_SPLIT = 'model';

const isSplit = (text: unknown): text is Split => SPLITS.some((split) => split === text);
const isMoment = (text: unknown): text is string => typeof text === 'string' && !Number.isNaN(Date.parse(text));

/** Reads an address; what makes no sense is left out. */
export function toOverviewSearch({ range, from, to, split }: Record<string, unknown>): OverviewSearch {
  const isSpan = isMoment(from) && isMoment(to) && Date.parse(from) < Date.parse(to);
  return {
    ...(isSpan ? { from, to } : isPeriod(range) && range !== DEFAULT_RANGE && { range }),
    ...(isSplit(split) && split !== DEFAULT_SPLIT && { split }),
  };
}

export const splitOf = ({ split }: OverviewSearch): Split => (isSplit(split) ? split : DEFAULT_SPLIT);

/** Null for a span of one's own. */
export const rangeOf = ({ range, from }: OverviewSearch): Range | null =>
  from === undefined ? (isPeriod(range) ? range : DEFAULT_RANGE) : null;

/**
 * A span, and the buckets it is shown in. These begin at full minutes, hours or days of the user's clock, so that the
 * first and the last may reach beyond the span, outside of which nothing is counted.
 */
export interface ChartSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether it ends now, whenever that is. */
  readonly isOpen: boolean;
  readonly beginMs: number;
  readonly endMs: number;
  readonly bucketMs: number;
}

/** What a search means at a moment. The bucket at the end is the one that has begun. */
export function toChartSpan(search: OverviewSearch, now: number): ChartSpan {
  const range = rangeOf(search);
  if (range === null) return toOwnSpan(Date.parse(search.from ?? ''), Date.parse(search.to ?? ''));
  const fromMs = toPeriodStart(range, now);
  const bucketMs = BUCKETS_OF[range];
  if (range === 'today' || range === 'yesterday') {
    // The whole day, so that today is compared with yesterday up to the same time.
    const toMs = toDayEnd(fromMs);
    return { fromMs, toMs, isOpen: false, beginMs: fromMs, endMs: toMs, bucketMs };
  }
  const endMs = alignDown(now, bucketMs) + bucketMs;
  return { fromMs, toMs: endMs, isOpen: true, beginMs: toBegin(fromMs, endMs, bucketMs), endMs, bucketMs };
}

/**
 * What a day is compared with: the day before, today up to this time of the clock. Null for a span that is compared with
 * one of its length.
 */
export function toSpanBefore(search: OverviewSearch, now: number): Pick<ChartSpan, 'fromMs' | 'toMs'> | null {
  const range = rangeOf(search);
  if (range !== 'today' && range !== 'yesterday') return null;
  const startMs = toPeriodStart(range, now);
  // What begins in this millisecond is counted.
  return { fromMs: toDayBefore(startMs), toMs: range === 'today' ? toDayBefore(now) + 1 : startMs };
}

/** A whole number of buckets before the end, which the clocks may have been changed since. */
const toBegin = (fromMs: number, endMs: number, bucketMs: number): number =>
  endMs - Math.ceil((endMs - fromMs) / bucketMs) * bucketMs;

const SECOND_MS = 1000;
const BUCKETS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 7, 14, 30].map((count) => count * DAY_MS),
];
const MAX_BUCKETS = 60;

/** Cuts a span of its own into at most 60 buckets of a usual length. */
export function toOwnSpan(fromMs: number, toMs: number): ChartSpan {
  const least = (toMs - fromMs) / MAX_BUCKETS;
  const bucketMs = BUCKETS_MS.find((ms) => ms >= least) ?? Math.ceil(least / DAY_MS) * DAY_MS;
  const beginMs = alignDown(fromMs, bucketMs);
  const endMs = beginMs + Math.max(1, Math.ceil((toMs - beginMs) / bucketMs)) * bucketMs;
  return { fromMs, toMs, isOpen: false, beginMs, endMs, bucketMs };
}

/** The beginning of the bucket on the user's clock, where days do not begin at midnight in UTC. */
function alignDown(ms: number, bucketMs: number): number {
  const offset = zoneOffsetMs(ms);
  return Math.floor((ms - offset) / bucketMs) * bucketMs + offset;
}
