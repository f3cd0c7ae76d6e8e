import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';

import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration, formatSpeed } from '../../format/quantity.ts';
import type { ChartLink } from '../../parts/charts/chart-link.ts';
import type { Buckets, Series, TimeSpan } from '../../parts/charts/chart-series.ts';
import { LinkedChart } from '../../parts/charts/linked-chart.tsx';
import { Swatch } from '../../parts/charts/swatch.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Choice } from '../../parts/controls/field.tsx';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import { BucketTable } from './bucket-table.tsx';
import type { SpanFigures } from './figures-query.ts';
import {
  type Line,
  type Percentile,
  toCostSeries,
  toFirstTokenSeries,
  toRequestSeries,
  type ToSeries,
  toSpeedSeries,
} from './to-charts.ts';

interface ActivityChartsProps {
  /** The filters of the calls that are shown. */
  readonly base: GenerationSearch;
  readonly figures: SpanFigures;
  readonly lines: readonly Line[];
  readonly link: ChartLink;
  readonly onPick: (span: TimeSpan, isCloser: boolean) => void;
}

const PERCENTILES = { p50: 'p50', p95: 'p95' } as const;

/** The four charts. They share their times, the place that is pointed at, and the colours of series. */
export function ActivityCharts({ base, figures, lines, link, onPick }: ActivityChartsProps) {
  const [percentile, setPercentile] = useState<Percentile>('p50');
  const toFirstToken = useMemo(() => toFirstTokenSeries(percentile), [percentile]);
  const { totals } = figures.histogram;
  const errors = totals.failed + totals.interrupted;
  const shared = { figures, lines, link, onPick };
  const toStatusLink = ({ key, label, values }: Series) => {
    const sum = formatCount(values.reduce<number>((total, value) => total + (value ?? 0), 0));
    const status = key === 'errors' ? 'failed,interrupted' : key.replace('status:', '');
    return (
      <Link to="/generations" search={{ ...base, status }} className="text-accent hover:underline">
        {label} <span className="figures">{sum}</span>
      </Link>
    );
  };
  const toPercentile = ({ key, label }: Series) => {
    const total = key === 'p50' ? totals.first_token_p50 : totals.first_token_p95;
    return (
      <span>
        {label} <span className="figures">{formatDuration(total)}</span>
      </span>
    );
  };
  return (
    <div className="grid gap-4 lg:grid-cols-2 min-[125rem]:grid-cols-4">
      <ChartCard
        {...shared}
        title="Cost"
        total={formatUsd(totals.cost)}
        toSeries={toCostSeries}
        formatValue={formatUsd}
      />
      <ChartCard
        {...shared}
        title="Requests and errors"
        total={`${formatCount(totals.requests)}, ${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'}`}
        toSeries={toRequestSeries}
        formatValue={formatCount}
        formatAxis={(value) => (Number.isInteger(value) ? formatCount(value) : '')}
        toLegend={toStatusLink}
      />
      <ChartCard
        {...shared}
        title="Time to first token"
        total={`${formatDuration(totals.first_token_p50)} (p50), ${formatDuration(totals.first_token_p95)} (p95)`}
        toSeries={toFirstToken}
        formatValue={formatDuration}
        toLegend={toPercentile}
      >
        {lines.length > 0 && (
          <Choice label="Percentile" value={percentile} onChange={setPercentile} options={PERCENTILES} />
        )}
      </ChartCard>
      <ChartCard
        {...shared}
        title="Tokens a second"
        total={`${formatSpeed(totals.tokens_per_second_p50)} (p50)`}
        toSeries={toSpeedSeries}
        formatValue={formatSpeed}
        formatAxis={(value) => formatCount(Math.round(value))}
      />
    </div>
  );
}

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

/** One of the charts, with the table of the same figures. */
function ChartCard(props: ChartCardProps) {
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
        <Button look="quiet" className="text-xs" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
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
