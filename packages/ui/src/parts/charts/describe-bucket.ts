import { type Buckets, readBucket, type Series, spanOf, type TimeSpan } from './chart-series.ts';

const day = new Intl.DateTimeFormat('en-US', { weekday: 'short', month: 'short', day: 'numeric' });
const minute = new Intl.DateTimeFormat('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const second = new Intl.DateTimeFormat('en-US', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** `Sun, Nov 22`, `Sun, Nov 22 10:00 to 10:30`, `Sun, Nov 22 22:00 to Mon, Nov 23 02:00`. */
export function formatSpan({ fromMs, toMs }: TimeSpan): string {
  const clock = fromMs % 60_000 === 0 && toMs % 60_000 === 0 ? minute : second;
  const [first, lastDay] = [day.format(fromMs), day.format(toMs - 1)];
  if (isMidnight(fromMs) && isMidnight(toMs)) return first === lastDay ? first : `${first} to ${lastDay}`;
  const end = isMidnight(toMs) ? '24:00' : clock.format(toMs);
  return `${first} ${clock.format(fromMs)} to ${first === lastDay ? end : `${lastDay} ${end}`}`;
}

const isMidnight = (ms: number): boolean => new Date(ms).setHours(0, 0, 0, 0) === ms;

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
  if (anchor !== null && anchor !== index) return `${time} is chosen`;
  const { values, sum } = readBucket(series, index);
  if (values.length === 0) return `${time}: nothing`;
  const parts = values.map(({ series: { label }, value }) => `${label} ${formatValue(value)}`);
  const bars = series.filter(({ shape }) => shape === 'bar').length;
  if (sum !== null && bars > 1) parts.unshift(`${formatValue(sum)} in all`);
  return `${time}: ${parts.join(', ')}`;
}
