import type {
  FailureKind,
  ProviderHistoryBucket,
  ProviderHistoryFigures,
  ProviderHistoryList,
} from '@model-gateway/core/wire';

import { HOUR_MS } from '../../format/days.ts';
import { formatCount, formatPercent } from '../../format/quantity.ts';
import { formatRelative } from '../../format/time.ts';
import { formatSpan } from '../../parts/charts/chart-series.ts';

type Past = Pick<ProviderHistoryList['data'][number], 'totals' | 'buckets' | 'last_called_at' | 'last_call_failed'>;

export const FAILURE_WORDS: Readonly<Record<FailureKind, { readonly label: string; readonly meaning: string }>> = {
  rate_limited: { label: 'rate limited', meaning: 'The provider’s rate limit was exceeded.' },
  key_refused: { label: 'key refused', meaning: 'The provider refused the gateway’s key or account.' },
  not_found: { label: 'not served', meaning: 'The provider does not serve the model.' },
  timeout: { label: 'timed out', meaning: 'The provider took too long.' },
  connection: { label: 'no connection', meaning: 'No response.' },
  server_error: {
    label: 'server error',
    meaning: 'The provider was overloaded or returned an error.',
  },
  broke_off: { label: 'broke off', meaning: 'The completion ended prematurely.' },
};

const countCalls = (calls: number): string => `${formatCount(calls)} ${calls === 1 ? 'call' : 'calls'}`;

/** The kinds of failures that occurred, the commonest first. */
export function listFailures({ failures }: Pick<ProviderHistoryFigures, 'failures'>): [FailureKind, number][] {
  return (Object.entries(failures) as [FailureKind, number][]).toSorted(([, one], [, other]) => other - one);
}

/** `1 of 120 failed`, `none of 120 failed`, `no calls`. */
export function describeShare({ calls, failed }: Pick<ProviderHistoryFigures, 'calls' | 'failed'>): string {
  if (calls === 0) return 'no calls';
  return `${failed === 0 ? 'none' : formatCount(failed)} of ${formatCount(calls)} failed`;
}

/** `Last called 2 hours ago, 1 of 120 failed`. */
export function describePast({ totals, last_called_at: lastAt }: Past): string {
  return lastAt === null
    ? 'No calls in this period'
    : `Last called ${formatRelative(lastAt)}, ${describeShare(totals)}`;
}

/** `Sun, Nov 22 10:00 to 11:00: 12 calls, 1 failed (timed out), 91.7 % up`. */
export function describeHour(bucket: ProviderHistoryBucket): string {
  const fromMs = Date.parse(bucket.start);
  const { calls, failed, uptime } = bucket;
  const time = formatSpan({ fromMs, toMs: fromMs + HOUR_MS });
  if (calls === 0) return `${time}: no calls`;
  const kinds = listFailures(bucket).map(([kind, count]) =>
    count === failed ? FAILURE_WORDS[kind].label : `${formatCount(count)} ${FAILURE_WORDS[kind].label}`,
  );
  const failures = failed === 0 ? 'none failed' : `${formatCount(failed)} failed (${kinds.join(', ')})`;
  return `${time}: ${countCalls(calls)}, ${failures}${uptime === null ? '' : `, ${formatPercent(uptime)} up`}`;
}

/** From this part of calls on that succeed, failures are exceptions. */
const MOSTLY_UP = 90;

/** How an hour is drawn. */
export type HourLook = 'none' | 'good' | 'some' | 'bad';

export function toHourLook({ calls, failed, uptime }: ProviderHistoryFigures): HourLook {
  if (calls === 0) return 'none';
  if (failed === 0) return 'good';
  // Without an uptime there were limits of the rate alone.
  return uptime === null || uptime >= MOSTLY_UP ? 'some' : 'bad';
}

/** How a provider stood when it was called last; null where no call tells. */
export function toPastState({ totals, buckets, last_call_failed: hasFailed }: Past): 'ok' | 'degraded' | 'down' | null {
  if (totals.calls === 0) return null;
  const last = buckets.findLast(({ calls }) => calls > 0);
  if (hasFailed === true && last?.ok === 0) return 'down';
  return hasFailed === true || (totals.uptime ?? 100) < MOSTLY_UP ? 'degraded' : 'ok';
}
