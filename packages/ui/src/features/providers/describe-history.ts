import type {
  FailureKind,
  ProviderHistoryBucket,
  ProviderHistoryFigures,
  ProviderHistoryList,
  ProviderStateList,
} from '@model-gateway/core/wire';

import { HOUR_MS } from '../../format/days.ts';
import { formatCount, formatPercent } from '../../format/quantity.ts';
import { formatRelative } from '../../format/time.ts';
import { formatSpan } from '../../parts/charts/chart-series.ts';
import { providerMessages } from './messages.ts';

type Past = Pick<ProviderHistoryList['data'][number], 'totals' | 'buckets' | 'last_called_at' | 'last_call_failed'>;

/** The kinds of failures that occurred, the commonest first. */
export function listFailures({ failures }: Pick<ProviderHistoryFigures, 'failures'>): [FailureKind, number][] {
  return (Object.entries(failures) as [FailureKind, number][]).toSorted(([, one], [, other]) => other - one);
}

/** `1 of 120 failed`, `none of 120 failed`, `no requests`. */
export function describeShare({ calls, failed }: Pick<ProviderHistoryFigures, 'calls' | 'failed'>): string {
  const t = providerMessages().history;
  return calls === 0 ? t.none : t.shareFailed(failed, calls);
}

/** `Last request 2 hours ago, 1 of 120 failed`. */
export function describePast({ totals, last_called_at: lastAt }: Pick<Past, 'totals' | 'last_called_at'>): string {
  const t = providerMessages().history;
  return lastAt === null ? t.noneInPeriod : t.last(formatRelative(lastAt), describeShare(totals));
}

/** `Sun, Nov 22 10:00 to 11:00: 12 requests, 1 failed (timed out), 91.7 % up`. */
export function describeHour(bucket: ProviderHistoryBucket): string {
  const { history: t, failures: words } = providerMessages();
  const fromMs = Date.parse(bucket.start);
  const { calls, failed, uptime } = bucket;
  const time = formatSpan({ fromMs, toMs: fromMs + HOUR_MS });
  if (calls === 0) return `${time}: ${t.none}`;
  const kinds = listFailures(bucket).map(([kind, count]) =>
    count === failed ? words[kind].label : `${formatCount(count)} ${words[kind].label}`,
  );
  const parts = [
    t.requests(calls),
    failed === 0 ? t.noneFailed : t.failed(failed, kinds.join(', ')),
    ...(uptime === null ? [] : [t.up(formatPercent(uptime))]),
  ];
  return `${time}: ${parts.join(', ')}`;
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

/** Below this part of the requests of a day that succeed, a provider that responds now is still not well. */
const POOR_DAY = 50;

/**
 * How a provider stands: by its endpoints now, and where most of the last day’s requests failed not as well as these
 * say; where it was not called since the gateway started, as it stood then.
 */
export function toProviderStatus(
  now: ProviderStatus,
  past: Past | undefined,
): { readonly status: ProviderStatus; readonly isPast: boolean } {
  if (past === undefined) return { status: now, isPast: false };
  if (now === 'unknown') {
    const before = toPastState(past);
    return { status: before ?? now, isPast: before !== null };
  }
  const isPoor = (past.totals.uptime ?? 100) < POOR_DAY;
  return { status: now === 'ok' && isPoor ? 'degraded' : now, isPast: false };
}

export type ProviderStatus = ProviderStateList['data'][number]['health']['status'];
