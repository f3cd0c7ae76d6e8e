import { isMidnight } from '../../format/days.ts';
import { timeFormats } from '../../format/time.ts';

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
  /** A line that is not drawn on where there is no value. */
  readonly hasGaps?: boolean;
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

/** `Sun, Nov 22`, `Sun, Nov 22 10:00 to 10:30`, `Sun, Nov 22 22:00 to Mon, Nov 23 02:00`. */
export function formatSpan({ fromMs, toMs }: TimeSpan): string {
  const { weekday: day, minute, clock: second } = timeFormats();
  const clock = fromMs % 60_000 === 0 && toMs % 60_000 === 0 ? minute : second;
  const [first, lastDay] = [day.format(fromMs), day.format(toMs - 1)];
  if (isMidnight(fromMs) && isMidnight(toMs)) return first === lastDay ? first : `${first} to ${lastDay}`;
  const end = isMidnight(toMs) ? '24:00' : clock.format(toMs);
  return `${first} ${clock.format(fromMs)} to ${first === lastDay ? end : `${lastDay} ${end}`}`;
}

export interface BucketReading {
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly index: number;
  readonly anchor: number | null;
  readonly formatValue: (value: number) => string;
}

/** What a chart shows at a place, in words: `Sun, Nov 22 10:00 to 10:30: $0.30 in all, acme/chat $0.20, …`. */
export function describeBucket({ buckets, series, index, anchor, formatValue }: BucketReading): string {
  const time = formatSpan(spanOf(buckets, index, anchor ?? index));
  if (anchor !== null && anchor !== index) return `${time} selected`;
  const { values, sum } = readBucket(series, index);
  if (values.length === 0) return `${time}: nothing`;
  const parts = values.map(({ series: { label }, value }) => `${label} ${formatValue(value)}`);
  const bars = series.filter(({ shape }) => shape === 'bar').length;
  if (sum !== null && bars > 1) parts.unshift(`${formatValue(sum)} total`);
  return `${time}: ${parts.join(', ')}`;
}
