import type { ProviderHistoryBucket, ProviderHistoryList } from '@model-gateway/core/wire';

import { describePast, toHourLook } from '../../../features/providers/describe-history.ts';
import { classNames } from '../../../parts/class-names.ts';

const LEAST_SHARE = 25;

/**
 * An hour as a bar: its failures are a hatched part from below, so that they show without colours; without calls it is a
 * line. For people who see it; the words stand elsewhere.
 */
export function HourBar({ hour, isActive = false }: { hour: ProviderHistoryBucket; isActive?: boolean }) {
  const look = toHourLook(hour);
  const share = Math.max(LEAST_SHARE, (hour.failed / Math.max(1, hour.calls)) * 100);
  return (
    <span
      aria-hidden="true"
      data-look={look}
      className={classNames(
        'flex h-full min-w-px flex-1 flex-col justify-end overflow-hidden rounded-xs forced-color-adjust-none',
        isActive && 'outline-2 outline-offset-1 outline-accent',
      )}
    >
      {look === 'none' ? (
        <span className="h-0.5 bg-line-strong" />
      ) : (
        <>
          <span className="flex-1 bg-good" />
          {look !== 'good' && (
            <span
              className={`bar-hatched ${look === 'bad' ? 'bg-bad' : 'bg-caution'}`}
              style={{ height: `${share}%` }}
            />
          )}
        </>
      )}
    </span>
  );
}

/** The last 24 hours of a provider in a list, as small bars. */
export function HistoryBars({ past }: { past: ProviderHistoryList['data'][number] | undefined }) {
  if (past === undefined) return <span className="text-ink-faint">—</span>;
  // Hours without bars would look like a chart that has not loaded.
  if (past.totals.calls === 0)
    return (
      <span className="text-ink-faint" title={describePast(past)}>
        —
      </span>
    );
  return (
    <span className="flex h-4 max-w-60 gap-px" role="img" aria-label={describePast(past)} title={describePast(past)}>
      {past.buckets.map((hour) => (
        <HourBar key={hour.start} hour={hour} />
      ))}
    </span>
  );
}
