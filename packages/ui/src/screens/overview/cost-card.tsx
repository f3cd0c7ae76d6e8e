import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

import { activityQuery } from '../../api/queries.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice } from '../../parts/controls/field.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { useIsSettled } from '../../parts/use-is-settled.ts';
import { toSpending } from './to-spending.ts';

const NO_TIMES: readonly number[] = [];
const formats = { usage: formatUsd, requests: formatCount };

export function CostCard() {
  const [days, setDays] = useState<'7' | '30'>('7');
  const [unit, setUnit] = useState<'usage' | 'requests'>('usage');
  const [view, setView] = useState<'chart' | 'table'>('chart');
  const { data, error, refetch } = useQuery({ ...activityQuery, enabled: useIsSettled() });
  const spending = useMemo(
    () => toSpending(data ?? [], { days: Number(days), unit, today: new Date() }),
    [data, days, unit],
  );
  const format = formats[unit];
  // Until it is known, nothing is not what was spent.
  const total = data === undefined ? '…' : format(spending.total);
  return (
    <section className="card p-4">
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="flex-1 text-sm font-semibold">
          {unit === 'usage' ? 'Cost' : 'Requests'} by model{' '}
          <span className="figures font-normal text-ink-faint">{total} in all</span>
        </h2>
        <Choice label="Figure" value={unit} onChange={setUnit} options={{ usage: 'Cost', requests: 'Requests' }} />
        <Choice label="Span" value={days} onChange={setDays} options={{ 7: '7 days', 30: '30 days' }} />
        <Choice label="View" value={view} onChange={setView} options={{ chart: 'Chart', table: 'Table' }} />
      </div>
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : view === 'chart' ? (
        <>
          <Chart
            summary={`${unit === 'usage' ? 'Cost' : 'Requests'} a day by model over ${days} days: ${total} in all. The table has the numbers.`}
            times={data === undefined ? NO_TIMES : spending.times}
            series={spending.series}
            isDaily
            height={200}
            formatValue={format}
          />
          <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
            {spending.series.map(({ label, color }) => (
              <li key={label} className="inline-flex items-center gap-1.5">
                <span
                  aria-hidden="true"
                  className="size-2.5 rounded-sm forced-color-adjust-none"
                  style={{ background: `var(${color})` }}
                />
                {label}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <div
          tabIndex={0}
          role="region"
          aria-label="Figures by day and model"
          className="scroll-thin max-h-72 overflow-auto"
        >
          <table className="figures w-full text-sm">
            <thead>
              <tr className="border-b border-line text-left text-xs text-ink-faint">
                <th scope="col" className="py-1.5 pr-4 font-medium">
                  Day (UTC)
                </th>
                {spending.series.map(({ label }) => (
                  <th key={label} scope="col" className="py-1.5 pr-4 text-right font-medium">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {spending.days.map((day, at) => (
                <tr key={day} className="border-b border-line/60">
                  <th scope="row" className="py-1 pr-4 text-left font-normal">
                    {day}
                  </th>
                  {spending.series.map(({ label, values }) => (
                    <td key={label} className="py-1 pr-4 text-right">
                      {format(values[at] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
