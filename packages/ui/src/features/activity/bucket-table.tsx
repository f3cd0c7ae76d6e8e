import { type Buckets, formatSpan, type Series, spanOf, type TimeSpan } from '../../parts/charts/chart-series.ts';
import { activityMessages } from './messages.ts';

interface BucketTableProps {
  readonly label: string;
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly formatValue: (value: number) => string;
  readonly onPick: (span: TimeSpan) => void;
}

/** The numbers of a chart; each of its times leads to its calls. Buckets without any are left out. */
export function BucketTable({ label, buckets, series, formatValue, onPick }: BucketTableProps) {
  const t = activityMessages().buckets;
  const rows = buckets.starts.flatMap((_, at) => {
    const values = series.map((one) => one.values[at] ?? null);
    return values.some((value) => value !== null && value !== 0) ? [{ at, values }] : [];
  });
  return (
    <div tabIndex={0} role="region" aria-label={t.label(label)} className="scroll-thin h-50 overflow-auto">
      <table className="figures w-full text-xs">
        <thead className="sticky top-0 bg-surface">
          <tr className="text-left text-ink-faint">
            <th scope="col" className="py-1 pr-4 font-medium">
              {t.time}
            </th>
            {series.map(({ key, label: name }) => (
              <th key={key} scope="col" className="max-w-40 truncate py-1 pr-4 text-right font-medium" title={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, values }) => (
            <tr key={at} className="border-t border-line/60">
              <th scope="row" className="pr-4 text-left font-normal whitespace-nowrap">
                <button
                  type="button"
                  title={t.list}
                  className="min-h-6 rounded text-accent underline"
                  onClick={() => onPick(spanOf(buckets, at, at))}
                >
                  {formatSpan(spanOf(buckets, at, at))}
                </button>
              </th>
              {values.map((value, place) => (
                <td key={series[place]?.key} className="pr-4 text-right whitespace-nowrap">
                  {value === null ? '—' : formatValue(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="py-2 text-xs text-ink-faint">{t.empty}</p>}
    </div>
  );
}
