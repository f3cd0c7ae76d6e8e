import type { ProviderHistoryList } from '@model-gateway/core/wire';

import { describePast, describeShare } from '../../../features/providers/describe-history.ts';
import { HourBar } from './hour-bar.tsx';

/** The last 24 hours of a provider in a list: small bars, and how many calls failed. */
export function HistoryCell({ past }: { past: ProviderHistoryList['data'][number] | undefined }) {
  if (past === undefined) return <span className="text-ink-faint">—</span>;
  return (
    <span className="flex items-center gap-2" title={describePast(past)}>
      <span className="flex h-4 w-24 shrink-0 gap-px">
        {past.buckets.map((hour) => (
          <HourBar key={hour.start} hour={hour} />
        ))}
      </span>
      <span className="truncate text-xs text-ink-soft">{describeShare(past.totals)}</span>
    </span>
  );
}
