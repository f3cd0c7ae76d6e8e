import type { ProviderHistoryBucket } from '@model-gateway/core/wire';

import { FAILURE_WORDS, listFailures } from '../../../features/providers/describe-history.ts';
import { formatUsd } from '../../../format/money.ts';
import { formatCount, formatDuration, formatPercent } from '../../../format/quantity.ts';
import { formatSpan } from '../../../parts/charts/chart-series.ts';

interface HourTableProps {
  readonly label: string;
  readonly hours: readonly ProviderHistoryBucket[];
  readonly onPick: (hour: ProviderHistoryBucket) => void;
}

const HOUR_MS = 3_600_000;
const HEADS = ['Calls', 'Failed', 'Up', 'First token p50, p95', 'Cost'];

/** The numbers of the bars, the newest first; hours without calls are left out. */
export function HourTable({ label, hours, onPick }: HourTableProps) {
  const called = hours.filter(({ calls }) => calls > 0).toReversed();
  if (called.length === 0) return <p className="text-sm text-ink-faint">There is nothing to show.</p>;
  return (
    <div tabIndex={0} role="region" aria-label={`${label}, as a table`} className="scroll-thin max-h-64 overflow-auto">
      <table className="figures w-full text-xs">
        <thead className="sticky top-0 bg-surface">
          <tr className="text-left text-ink-faint">
            <th scope="col" className="py-1 pr-4 font-medium">
              Hour
            </th>
            {HEADS.map((head) => (
              <th key={head} scope="col" className="py-1 pr-4 text-right font-medium whitespace-nowrap">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {called.map((hour) => {
            const fromMs = Date.parse(hour.start);
            const kinds = listFailures(hour).map(([kind]) => FAILURE_WORDS[kind].label);
            return (
              <tr key={hour.start} className="border-t border-line/60">
                <th scope="row" className="pr-4 text-left font-normal whitespace-nowrap">
                  <button
                    type="button"
                    title="List these calls"
                    className="min-h-6 rounded text-accent underline"
                    onClick={() => onPick(hour)}
                  >
                    {formatSpan({ fromMs, toMs: fromMs + HOUR_MS })}
                  </button>
                </th>
                <td className="pr-4 text-right">{formatCount(hour.calls)}</td>
                <td className="pr-4 text-right whitespace-nowrap">
                  {formatCount(hour.failed)}{' '}
                  {kinds.length > 0 && <span className="text-ink-soft">{kinds.join(', ')}</span>}
                </td>
                <td className="pr-4 text-right whitespace-nowrap">
                  {hour.uptime === null ? '—' : formatPercent(hour.uptime)}
                </td>
                <td className="pr-4 text-right whitespace-nowrap">
                  {formatDuration(hour.first_token_p50)}, {formatDuration(hour.first_token_p95)}
                </td>
                <td className="text-right">{formatUsd(hour.cost)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
