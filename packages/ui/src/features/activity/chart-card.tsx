import { type ReactNode, useMemo, useState } from 'react';

import type { ChartLink } from '../../parts/charts/chart-link.ts';
import type { Buckets, Series, TimeSpan } from '../../parts/charts/chart-series.ts';
import { LinkedChart } from '../../parts/charts/linked-chart.tsx';
import { Swatch } from '../../parts/charts/swatch.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { BucketTable } from './bucket-table.tsx';
import type { SpanFigures } from './figures-query.ts';
import type { ToSeries } from './to-charts.ts';
import type { Line } from './to-lines.ts';

interface ChartCardProps {
  readonly title: string;
  /** The figure of the whole span. */
  readonly total: string;
  readonly figures: SpanFigures;
  readonly lines: readonly Line[];
  readonly toSeries: ToSeries;
  readonly formatValue: (value: number) => string;
  readonly formatAxis?: (value: number) => string;
  readonly link: ChartLink;
  readonly onPick: (span: TimeSpan, isCloser: boolean) => void;
  /** Says what the series are, where the split does not: a link for each, or nothing. */
  readonly toLegend?: (series: Series) => ReactNode;
  readonly children?: ReactNode;
}

/** One of the charts, with the table that says the same. */
export function ChartCard(props: ChartCardProps) {
  const { title, total, figures, lines, toSeries, formatValue, formatAxis, link, onPick, toLegend, children } = props;
  const [isTable, setIsTable] = useState(false);
  const series = useMemo(() => toSeries(figures, lines), [toSeries, figures, lines]);
  const buckets = useMemo((): Buckets => {
    const { data, bucket_ms: ms } = figures.histogram;
    return { starts: data.map(({ start }) => Date.parse(start)), ms };
  }, [figures]);
  const own = series.filter(({ key }) => !lines.some((line) => line.key === key));
  const format = formatAxis === undefined ? {} : { formatAxis };
  return (
    <section className="card min-w-0 p-4" aria-label={title}>
      <div className="mb-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="text-sm font-semibold">
          {title} <span className="figures inline-block font-normal text-ink-faint">{total}</span>
        </h3>
        <span className="flex-1" />
        {children}
        <Button
          look="quiet"
          className="min-h-6 px-1.5 py-0 text-xs"
          aria-pressed={isTable}
          onClick={() => setIsTable(!isTable)}
        >
          Table<span className="sr-only"> of {title}</span>
        </Button>
      </div>
      {isTable ? (
        <BucketTable
          label={title}
          buckets={buckets}
          series={series}
          formatValue={formatValue}
          onPick={(span) => onPick(span, false)}
        />
      ) : (
        <LinkedChart
          label={`${title}: ${total}. A table has the numbers.`}
          buckets={buckets}
          series={series}
          height={200}
          formatValue={formatValue}
          {...format}
          link={link}
          onPick={onPick}
        />
      )}
      {own.length > 0 && toLegend !== undefined && (
        <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
          {own.map((one) => (
            <li
              key={one.key}
              className="inline-flex items-center gap-1.5"
              onPointerEnter={() => link.set({ highlighted: own.length > 1 ? one.key : null })}
              onPointerLeave={() => link.set({ highlighted: null })}
            >
              <Swatch series={one} />
              {toLegend(one)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
