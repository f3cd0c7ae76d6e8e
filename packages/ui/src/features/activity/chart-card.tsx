import { type ReactNode, useMemo, useState } from 'react';

import type { ChartLink } from '../../parts/charts/chart-link.ts';
import type { Buckets, Series, TimeSpan } from '../../parts/charts/chart-series.ts';
import { LinkedChart } from '../../parts/charts/linked-chart.tsx';
import { Swatch } from '../../parts/charts/swatch.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { BucketTable } from './bucket-table.tsx';
import type { SpanFigures } from './figures-query.ts';
import { activityMessages } from './messages.ts';
import type { ToSeries } from './to-charts.ts';
import type { Line } from './to-lines.ts';

interface ChartCardProps {
  readonly title: string;
  /** What is counted, on pointing at the title. */
  readonly about: string;
  readonly figures: SpanFigures;
  readonly lines: readonly Line[];
  readonly toSeries: ToSeries;
  readonly formatValue: (value: number) => string;
  readonly formatAxis?: (value: number, step: number) => string;
  readonly link: ChartLink;
  readonly onPick: (span: TimeSpan, isCloser: boolean) => void;
  /** Says what the series are, where the split does not: a link for each, or nothing. */
  readonly toLegend?: (series: Series) => ReactNode;
  readonly height?: number;
  readonly children?: ReactNode;
}

const HEIGHT_PX = 200;

/** One of the charts, with the table of the same figures. */
export function ChartCard(props: ChartCardProps) {
  const { title, about, figures, lines, toSeries, formatValue, formatAxis, link, onPick, toLegend, children } = props;
  const { height = HEIGHT_PX } = props;
  const t = activityMessages().charts;
  const [isTable, setIsTable] = useState(false);
  const series = useMemo(() => toSeries(figures, lines), [toSeries, figures, lines]);
  const buckets = useMemo((): Buckets => {
    const { data, bucket_ms: ms } = figures.histogram;
    return { starts: data.map(({ start }) => Date.parse(start)), ms };
  }, [figures]);
  const own = series.filter(({ key }) => !lines.some((line) => line.key === key));
  const hasData = series.some(({ values }) => values.some((value) => value !== null && value !== 0));
  const format = formatAxis === undefined ? {} : { formatAxis };
  return (
    <section className="card min-w-0 pt-3" aria-label={title}>
      <div className="mb-1 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 px-4">
        <h3 className="text-sm font-semibold" title={about}>
          {title}
        </h3>
        <span className="flex-1" />
        {children}
        <Button look="quiet" className="text-xs" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          {t.table}
          <span className="sr-only">{t.tableOf(title)}</span>
        </Button>
      </div>
      {isTable ? (
        <div className="px-4">
          <BucketTable
            label={title}
            buckets={buckets}
            series={series}
            formatValue={formatValue}
            onPick={(span) => onPick(span, false)}
          />
        </div>
      ) : (
        <div className="relative">
          <LinkedChart
            label={title}
            buckets={buckets}
            series={series}
            height={height}
            formatValue={formatValue}
            {...format}
            link={link}
            onPick={onPick}
          />
          {!hasData && (
            <p className="pointer-events-none absolute inset-x-0 top-20 text-center text-xs text-ink-faint">
              {t.noData}
            </p>
          )}
        </div>
      )}
      {own.length > 0 && toLegend !== undefined && (
        <ul className="flex flex-wrap gap-x-4 gap-y-1 px-4 pt-1 pb-3 text-xs text-ink-soft">
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
