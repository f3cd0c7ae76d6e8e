import type { GenerationHistogram } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

import { refreshEvery } from '../../../api/queries.ts';
import { STATUS_COLORS, countOf } from '../../../features/activity/to-charts.ts';
import { GENERATION_STATUSES } from '../../../features/generations/list/generation-status.tsx';
import {
  type GenerationSearch,
  isOpenSpan,
  withoutFilters,
} from '../../../features/generations/search/generation-search.ts';
import { formatUsd, formatUsdInColumn } from '../../../format/money.ts';
import { formatCount } from '../../../format/quantity.ts';
import { formatMoment } from '../../../format/time.ts';
import { createChartLink } from '../../../parts/charts/chart-link.ts';
import type { Buckets, Series } from '../../../parts/charts/chart-series.ts';
import { LinkedChart } from '../../../parts/charts/linked-chart.tsx';
import { Swatch } from '../../../parts/charts/swatch.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { useIsSettled } from '../../../parts/use-is-settled.ts';
import { NOT_COUNTED, readHistogram } from './generation-counts.ts';
import { generationSearchMessages } from './messages.ts';

const REFRESH_MS = 30_000;

interface HistogramProps {
  readonly search: GenerationSearch;
  readonly onSpan: (from: string, to: string) => void;
}

/** Requests by time for the filters; dragging narrows the list to a span. */
export function Histogram({ search, onSpan }: HistogramProps) {
  const t = generationSearchMessages().histogram;
  const [isTable, setIsTable] = useState(false);
  const [link] = useState(createChartLink);
  const isSettled = useIsSettled();
  const { text } = search;
  const filters = withoutFilters(search, NOT_COUNTED);
  const { data, isError } = useQuery({
    queryKey: ['histogram', filters],
    refetchInterval: refreshEvery(REFRESH_MS),
    queryFn: ({ signal }) => readHistogram(filters, signal),
  });
  const buckets = useMemo(() => toBuckets(isSettled ? data : undefined, data), [data, isSettled]);
  const series = useMemo(() => toSeries(data), [data]);
  const summary = toSummary(data);
  const isUncounted = data === undefined && isError;
  // A bucket at the edge reaches beyond what was counted. All of these are ISO 8601 in UTC.
  const pick = (from: string, to: string): void => {
    const last = isOpenSpan(search) ? to : (data?.to ?? to);
    onSpan(data !== undefined && data.from > from ? data.from : from, last < to ? last : to);
  };
  return (
    <div className="border-b border-line px-4 pt-2 pb-1">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-ink-faint">
        <span className="figures">
          {isUncounted ? (
            t.notCounted
          ) : (
            <Counted histogram={data} hasText={text !== undefined} isOpen={isOpenSpan(search)} />
          )}
        </span>
        <span className="flex-1" />
        {/* In a line of its own where both hardly fit into one, as else it would move there once all is counted. */}
        <span
          className={classNames('flex-wrap items-center gap-x-3 max-xl:basis-full', isUncounted ? 'hidden' : 'flex')}
        >
          {series.filter(isDrawn).map(({ label, color }) => (
            <span key={label} className="inline-flex items-center gap-1">
              <Swatch series={{ color, shape: 'bar' }} />
              {label}
            </span>
          ))}
          <Button look="quiet" className="text-xs" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
            {isTable ? t.showChart : t.showTable}
          </Button>
        </span>
      </div>
      {isTable ? (
        <HistogramTable histogram={data} onSpan={pick} />
      ) : (
        <LinkedChart
          label={t.label(summary)}
          buckets={buckets}
          series={series}
          height={104}
          formatValue={formatCount}
          formatAxis={(value) => (Number.isInteger(value) ? formatCount(value) : '')}
          link={link}
          onPick={({ fromMs, toMs }) => pick(new Date(fromMs).toISOString(), new Date(toMs).toISOString())}
        />
      )}
    </div>
  );
}

interface CountedProps {
  readonly histogram: GenerationHistogram | undefined;
  readonly hasText: boolean;
  /** Whether the span ends now, whenever that is. */
  readonly isOpen: boolean;
}

/** What was counted, and of which span. */
function Counted({ histogram, hasText, isOpen }: CountedProps) {
  const t = generationSearchMessages().histogram;
  if (histogram === undefined) return t.counting;
  const { from, to, searched_from: searchedFrom, complete_from: completeFrom } = histogram;
  const notes = [
    toSummary(histogram),
    ...(hasText ? [t.regardlessOfText] : []),
    ...(searchedFrom === undefined ? [] : [t.countedSince(formatMoment(searchedFrom))]),
    ...(completeFrom === undefined ? [] : [t.completeSince(formatMoment(completeFrom))]),
  ];
  return `${notes.join(', ')} · ${t.span(formatMoment(from), isOpen ? t.now : formatMoment(to))}`;
}

function toSummary(histogram: GenerationHistogram | undefined): string {
  const sum = (name: 'requests' | 'failed' | 'cancelled' | 'interrupted' | 'cost'): number =>
    histogram?.data.reduce((total, bucket) => total + bucket[name], 0) ?? 0;
  const endings = (['failed', 'cancelled', 'interrupted'] as const)
    .filter((status) => status === 'failed' || sum(status) > 0)
    .map((status) => `${formatCount(sum(status))} ${GENERATION_STATUSES[status].label}, `);
  const requests = sum('requests');
  return `${generationSearchMessages().histogram.requests(requests, formatCount(requests))}, ${endings.join('')}${formatUsd(sum('cost'))}`;
}

const toBuckets = (drawn: GenerationHistogram | undefined, known: GenerationHistogram | undefined): Buckets => ({
  starts: drawn?.data.map(({ start }) => Date.parse(start)) ?? [],
  ms: known?.bucket_ms ?? 0,
});

function toSeries(histogram: GenerationHistogram | undefined): readonly Series[] {
  const statuses = ['ok', 'cancelled', 'failed', 'interrupted'] as const;
  return statuses.map((status) => ({
    key: status,
    label: GENERATION_STATUSES[status].label,
    shape: 'bar',
    color: STATUS_COLORS[status],
    values: histogram?.data.map((bucket) => countOf(bucket, status)) ?? [],
  }));
}

/** The legend names what there is, and always what a request should be. */
const isDrawn = ({ key, values }: Series): boolean => key === 'ok' || values.some((value) => (value ?? 0) > 0);

interface HistogramTableProps {
  readonly histogram: GenerationHistogram | undefined;
  readonly onSpan: (from: string, to: string) => void;
}

/** The same data as rows, each of which narrows the list, so that dragging is not required. */
function HistogramTable({ histogram, onSpan }: HistogramTableProps) {
  const t = generationSearchMessages().histogram;
  const endOf = (start: string): string => new Date(Date.parse(start) + (histogram?.bucket_ms ?? 0)).toISOString();
  const rows = histogram?.data.filter(({ requests }) => requests > 0) ?? [];
  return (
    <div tabIndex={0} role="region" aria-label={t.tableLabel} className="scroll-thin max-h-40 overflow-y-auto">
      <table className="figures w-full text-xs">
        <thead>
          <tr className="text-left text-ink-faint">
            {(['from', 'requests', 'failed', 'cancelled', 'interrupted', 'cost'] as const).map((name) => (
              <th
                key={name}
                scope="col"
                className={classNames('py-1 pr-4 font-medium', name !== 'from' && 'text-right')}
              >
                {t.heads[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ start, requests, failed, cancelled, interrupted, cost }) => (
            <tr key={start}>
              <th scope="row" className="pr-4 text-left font-normal">
                <button
                  type="button"
                  title={t.showSpan}
                  className="min-h-6 rounded text-accent underline"
                  onClick={() => onSpan(start, endOf(start))}
                >
                  {formatMoment(start)}
                </button>
              </th>
              {[requests, failed, cancelled, interrupted].map((count, at) => (
                <td key={at} className="pr-4 text-right">
                  {formatCount(count)}
                </td>
              ))}
              <td className="pr-4 text-right">{formatUsdInColumn(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="py-2 text-xs text-ink-faint">{t.none}</p>}
    </div>
  );
}
