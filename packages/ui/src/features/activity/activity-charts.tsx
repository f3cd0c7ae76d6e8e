import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';

import { formatUsd, formatUsdTick } from '../../format/money.ts';
import {
  formatCompact,
  formatCount,
  formatDuration,
  formatPercent,
  formatSpeed,
  formatTick,
} from '../../format/quantity.ts';
import type { ChartLink } from '../../parts/charts/chart-link.ts';
import type { Series, TimeSpan } from '../../parts/charts/chart-series.ts';
import { Choice } from '../../parts/controls/field.tsx';
import { useMedia } from '../../parts/use-width.ts';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import { ChartCard } from './chart-card.tsx';
import type { SpanFigures } from './figures-query.ts';
import { activityMessages } from './messages.ts';
import { SplitTable } from './split-table.tsx';
import {
  durationOf,
  firstTokenOf,
  type Percentile,
  toCacheShareSeries,
  toCostSeries,
  toDurationSeries,
  toErrorRateSeries,
  toFirstTokenSeries,
  toRequestSeries,
  toRetrySeries,
  toSavedSeries,
  toSpeedSeries,
} from './to-charts.ts';
import type { Line } from './to-lines.ts';

interface ActivityChartsProps {
  /** The filters of the calls that are shown. */
  readonly base: GenerationSearch;
  readonly figures: SpanFigures;
  readonly lines: readonly Line[];
  readonly link: ChartLink;
  readonly onPick: (span: TimeSpan, isCloser: boolean) => void;
}

/** The height of a chart, and what its neighbour the table needs. */
const CHART_PX = 200;
const ROW_PX = 29;
const AROUND_ROWS_PX = 43;

const DURATIONS = { p50: 'p50', p95: 'p95', p99: 'p99' } as const;
const FIRST_TOKENS = { p50: 'p50', p95: 'p95' } as const;

/** Counts have no halves. */
const formatWhole = (value: number): string => (Number.isInteger(value) ? formatCompact(value) : '');
const formatShare = (percent: number): string =>
  Number.isInteger(percent) ? `${formatCount(percent)}\u00a0%` : formatPercent(percent);

/** All charts, and the table of the split, which is their legend. They share their times and the colours of series. */
export function ActivityCharts({ base, figures, lines, link, onPick }: ActivityChartsProps) {
  const t = activityMessages().charts;
  const [duration, setDuration] = useState<Percentile>('p95');
  const [firstToken, setFirstToken] = useState<keyof typeof FIRST_TOKENS>('p50');
  const toDuration = useMemo(() => toDurationSeries(duration), [duration]);
  const toFirstToken = useMemo(() => toFirstTokenSeries(firstToken), [firstToken]);
  const { totals } = figures.histogram;
  // Beside the table, which is higher the more values there are.
  const height = useMedia('(min-width: 75rem)') ? Math.max(CHART_PX, ROW_PX * lines.length + AROUND_ROWS_PX) : CHART_PX;
  const tall = { height };
  const tallAtFour = useMedia('(min-width: 150rem)') ? tall : {};
  const tallAtThree = useMedia('(min-width: 112rem)') ? tall : {};
  const hasCache = totals.prompt_tokens > 0 || totals.cache_saved !== 0;
  const shared = { figures, lines, link, onPick };
  const toStatusLink = ({ key, label, values }: Series) => {
    const sum = formatCount(values.reduce<number>((total, value) => total + (value ?? 0), 0));
    return (
      <Link
        to="/generations"
        search={{ ...base, status: key.replace('status:', '') }}
        className="text-accent hover:underline"
      >
        {label} <span className="figures">{sum}</span>
      </Link>
    );
  };
  const toPercentile = (read: typeof durationOf, { key, label }: Series): ReactNode => (
    <span>
      {label} <span className="figures">{formatDuration(read(totals, key as Percentile))}</span>
    </span>
  );
  return (
    <div className="grid grid-cols-1 gap-4 min-[75rem]:grid-cols-2 min-[112rem]:grid-cols-3 min-[150rem]:grid-cols-4">
      <ChartCard
        {...shared}
        {...tall}
        title={t.cost}
        about={t.about.cost}
        toSeries={toCostSeries}
        formatValue={formatUsd}
        formatAxis={formatUsdTick}
      />
      {lines.length > 0 && <SplitTable split={figures.split} lines={lines} link={link} span={base} />}
      <ChartCard
        {...shared}
        {...tallAtThree}
        title={t.requests}
        about={t.about.requests}
        toSeries={toRequestSeries}
        formatValue={formatCount}
        formatAxis={formatWhole}
        toLegend={toStatusLink}
      />
      <ChartCard
        {...shared}
        {...tallAtFour}
        title={t.errors}
        about={t.about.errors}
        toSeries={toErrorRateSeries}
        formatValue={formatPercent}
        formatAxis={formatShare}
      />
      <ChartCard
        {...shared}
        title={t.duration}
        about={t.about.duration}
        toSeries={toDuration}
        formatValue={formatDuration}
        formatAxis={formatTick}
        toLegend={(one) => toPercentile(durationOf, one)}
      >
        {lines.length > 0 && (
          <Choice label={t.percentile} value={duration} onChange={setDuration} options={DURATIONS} />
        )}
      </ChartCard>
      <ChartCard
        {...shared}
        title={t.firstToken}
        about={t.about.firstToken}
        toSeries={toFirstToken}
        formatValue={formatDuration}
        formatAxis={formatTick}
        toLegend={(one) => toPercentile(firstTokenOf, one)}
      >
        {lines.length > 0 && (
          <Choice label={t.percentile} value={firstToken} onChange={setFirstToken} options={FIRST_TOKENS} />
        )}
      </ChartCard>
      <ChartCard
        {...shared}
        title={t.speed}
        about={t.about.speed}
        toSeries={toSpeedSeries}
        formatValue={formatSpeed}
        formatAxis={(value) => formatCompact(Math.round(value))}
      />
      <ChartCard
        {...shared}
        title={t.retries}
        about={t.about.retries}
        toSeries={toRetrySeries}
        formatValue={formatCount}
        formatAxis={formatWhole}
      />
      {hasCache && (
        <>
          <ChartCard
            {...shared}
            title={t.cacheShare}
            about={t.about.cacheShare}
            toSeries={toCacheShareSeries}
            formatValue={formatPercent}
            formatAxis={formatShare}
          />
          <ChartCard
            {...shared}
            title={t.saved}
            about={t.about.saved}
            toSeries={toSavedSeries}
            formatValue={formatUsd}
            formatAxis={formatUsdTick}
          />
        </>
      )}
    </div>
  );
}
