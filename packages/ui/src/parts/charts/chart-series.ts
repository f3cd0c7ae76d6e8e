import { isMidnight } from '../../format/days.ts';
import { timeFormats } from '../../format/time.ts';
import { chartsMessages } from './messages.ts';

/** A series of a chart. */
export interface Series {
  /** Identifies it, and connects it to the same series in other charts. */
  readonly key: string;
  readonly label: string;
  /** One for each bucket; null where there is none. */
  readonly values: readonly (number | null)[];
  /** A CSS variable: `--series-1`. */
  readonly color: string;
  /** Bars are stacked in the order of the series. */
  readonly shape: 'bar' | 'line';
  readonly isDashed?: boolean;
}

/** Equal spans of time side by side, in Unix milliseconds. */
export interface Buckets {
  readonly starts: readonly number[];
  readonly ms: number;
}

/** A span of time in Unix milliseconds; the end is not part of it. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The span from one bucket to another, in either order, both included. */
export function spanOf({ starts, ms }: Buckets, one: number, other: number): TimeSpan {
  const first = starts[Math.min(one, other)] ?? 0;
  const last = starts[Math.max(one, other)] ?? first;
  return { fromMs: first, toMs: last + ms };
}

/** The bucket at a part of the width, between 0 and 1. */
export const bucketAt = ({ starts }: Buckets, part: number): number =>
  Math.min(starts.length - 1, Math.max(0, Math.floor(part * starts.length)));

/** A series with its value in one bucket. */
export interface ReadValue {
  readonly series: Series;
  readonly value: number;
}

/** What a chart shows in a bucket: series with a value, those of bars by size, and the sum of the bars. */
export function readBucket(
  series: readonly Series[],
  index: number,
): { readonly values: readonly ReadValue[]; readonly sum: number | null } {
  const read = (shape: Series['shape']): ReadValue[] =>
    series.flatMap((one) => {
      const value = one.values[index] ?? null;
      return one.shape !== shape || value === null || (shape === 'bar' && value === 0) ? [] : [{ series: one, value }];
    });
  const bars = read('bar').toSorted((a, b) => b.value - a.value);
  const hasBars = series.some(({ shape }) => shape === 'bar');
  return {
    values: [...bars, ...read('line')],
    sum: hasBars ? bars.reduce((sum, { value }) => sum + value, 0) : null,
  };
}

/** A value that is this many times as high as nearly all others of its chart is cut off at the edge. */
const OUTLYING = 4;
const NEARLY_ALL = 0.9;
/** Of fewer values it cannot be told which of them are out of the ordinary. */
const LEAST_VALUES = 8;
/** Room above the highest value. */
const ROOM = 1.1;

/**
 * The values at the lower and the upper edge of a chart. Bars are shown whole; of lines, single values far beyond the others
 * are not, or the others would lie flat on the ground.
 */
export function toScale(series: readonly Series[]): { readonly low: number; readonly high: number } {
  const bars = series.filter(({ shape }) => shape === 'bar');
  const count = Math.max(0, ...bars.map(({ values }) => values.length));
  const sums = Array.from({ length: count }, (_, at) => bars.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const points = series.flatMap(({ shape, values }) =>
    shape === 'line' ? values.filter((value) => value !== null) : [],
  );
  const high = Math.max(0, ...sums, highestUsual(points)) * ROOM;
  return { low: Math.min(0, ...sums) * ROOM, high: high > 0 ? high : 1 };
}

function highestUsual(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const highest = sorted.at(-1) ?? 0;
  if (sorted.length < LEAST_VALUES) return highest;
  const usual = sorted[Math.ceil(sorted.length * NEARLY_ALL) - 1] ?? highest;
  return usual > 0 && highest > usual * OUTLYING ? usual * 2 : highest;
}

/** `Sun, Nov 22`, `Sun, Nov 22 10:00 to 10:30`, `Sun, Nov 22 22:00 to Mon, Nov 23 02:00`. */
export function formatSpan({ fromMs, toMs }: TimeSpan): string {
  const { to } = chartsMessages();
  const { weekday: day, minute, clock: second } = timeFormats();
  const clock = fromMs % 60_000 === 0 && toMs % 60_000 === 0 ? minute : second;
  const [first, lastDay] = [day.format(fromMs), day.format(toMs - 1)];
  if (isMidnight(fromMs) && isMidnight(toMs)) return first === lastDay ? first : to(first, lastDay);
  const end = isMidnight(toMs) ? '24:00' : clock.format(toMs);
  return to(`${first} ${clock.format(fromMs)}`, first === lastDay ? end : `${lastDay} ${end}`);
}

export interface BucketReading {
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly index: number;
  readonly anchor: number | null;
  readonly formatValue: (value: number) => string;
}

/** What a chart shows at a place, in words: `Sun, Nov 22 10:00 to 10:30: $0.30 total, acme/chat $0.20, …`. */
export function describeBucket({ buckets, series, index, anchor, formatValue }: BucketReading): string {
  const t = chartsMessages();
  const time = formatSpan(spanOf(buckets, index, anchor ?? index));
  if (anchor !== null && anchor !== index) return t.selected(time);
  const { values, sum } = readBucket(series, index);
  if (values.length === 0) return `${time}: ${t.nothing}`;
  const parts = values.map(({ series: { label }, value }) => `${label} ${formatValue(value)}`);
  const bars = series.filter(({ shape }) => shape === 'bar').length;
  if (sum !== null && bars > 1) parts.unshift(t.inAll(formatValue(sum)));
  return `${time}: ${parts.join(', ')}`;
}
