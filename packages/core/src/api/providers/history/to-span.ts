import type { HistorySpan } from '../../../trials/provider-histories.ts';
import { refuseField } from '../../../wire/fields.ts';
import type { ProviderHistoryQuery } from '../../../wire/providers.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const INTERVAL_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;
/** A day of minutes, a month of hours, four years of days. */
const MAX_BUCKETS = 1500;

/** The whole intervals in which the span of a query lies. Throws `invalid_request` for one without length, or too long. */
export function toSpan({ from, to, interval }: ProviderHistoryQuery, nowMs: number): HistorySpan {
  const bucketMs = INTERVAL_MS[interval];
  // What begins in this millisecond is included.
  const end = to ?? nowMs + 1;
  const toMs = Math.ceil(end / bucketMs) * bucketMs;
  const fromMs = from === undefined ? toMs - Math.max(DAY_MS, bucketMs) : Math.floor(from / bucketMs) * bucketMs;
  if ((from ?? fromMs) >= end) throw refuseField('from', 'must be before to');
  const buckets = (toMs - fromMs) / bucketMs;
  if (buckets > MAX_BUCKETS) {
    throw refuseField('from', `there may be at most ${MAX_BUCKETS} intervals, and ${buckets} are asked for`);
  }
  return { fromMs, bucketMs, buckets };
}
