import { type Buckets, readBucket, type Series, spanOf, type TimeSpan } from './chart-series.ts';

const DAY_MS = 86_400_000;
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', month: 'short', day: 'numeric' });
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const second = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** `Sun, Nov 22`, `Sun, Nov 22 10:00 to 10:30`, `Sun, Nov 22 22:00 to Mon, Nov 23 02:00`. */
export function formatSpan({ fromMs, toMs }: TimeSpan): string {
  const clock = fromMs % 60_000 === 0 && toMs % 60_000 === 0 ? minute : second;
  const [first, lastDay] = [day.format(fromMs), day.format(toMs - 1)];
  const isWhole = new Date(fromMs).getHours() + new Date(toMs).getHours() === 0 && (toMs - fromMs) % DAY_MS === 0;
  if (isWhole) return first === lastDay ? first : `${first} to ${lastDay}`;
  const isMidnight = new Date(toMs).setHours(0, 0, 0, 0) === toMs;
  const end = isMidnight ? '24:00' : clock.format(toMs);
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
  if (anchor !== null && anchor !== index) return `${time} is chosen`;
  const { values, sum } = readBucket(series, index);
  if (values.length === 0) return `${time}: nothing`;
  const parts = values.map(({ series: { label }, value }) => `${label} ${formatValue(value)}`);
  const bars = series.filter(({ shape }) => shape === 'bar').length;
  if (sum !== null && bars > 1) parts.unshift(`${formatValue(sum)} in all`);
  return `${time}: ${parts.join(', ')}`;
}
