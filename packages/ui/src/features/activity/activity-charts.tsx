import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';

import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration, formatSpeed } from '../../format/quantity.ts';
import type { ChartLink } from '../../parts/charts/chart-link.ts';
import type { Series, TimeSpan } from '../../parts/charts/chart-series.ts';
import { Choice } from '../../parts/controls/field.tsx';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import { ChartCard } from './chart-card.tsx';
import type { SpanFigures } from './figures-query.ts';
import { type Percentile, toCostSeries, toFirstTokenSeries, toRequestSeries, toSpeedSeries } from './to-charts.ts';
import type { Line } from './to-lines.ts';

interface ActivityChartsProps {
  /** The filters of the calls that are shown. */
  readonly base: GenerationSearch;
  readonly figures: SpanFigures;
  readonly lines: readonly Line[];
  readonly link: ChartLink;
  readonly onPick: (span: TimeSpan, isCloser: boolean) => void;
}

const PERCENTILES = { p50: 'p50', p95: 'p95' } as const;

/** The four charts. They share their times, the place that is pointed at, and the colours of things. */
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
