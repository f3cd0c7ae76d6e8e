import type { GenerationRow } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ChartNoAxesColumn, X } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';

import { healthQuery } from '../../api/queries.ts';
import { PERIOD_NAMES, toPeriodTexts } from '../../format/days.ts';
import { formatDuration } from '../../format/quantity.ts';
import { formatMoment, formatRelative, timeFormats } from '../../format/time.ts';
import { createColorBook } from '../../parts/charts/assign-colors.ts';
import { createChartLink } from '../../parts/charts/chart-link.ts';
import { formatSpan, type TimeSpan } from '../../parts/charts/chart-series.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Choice } from '../../parts/controls/field.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { useLastingFailure } from '../../parts/messages/use-lasting-failure.ts';
import { useIsSettled } from '../../parts/use-is-settled.ts';
import { Cost } from '../generations/list/generation-columns.tsx';
import { StatusBadge } from '../generations/list/generation-status.tsx';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import { ActivityCharts } from './activity-charts.tsx';
import { figuresQuery } from './figures-query.ts';
import { activityMessages } from './messages.ts';
import { type OverviewSearch, type Range, rangeOf, type Split, splitOf, SPLITS } from './overview-search.ts';
import { SpanFigures, Versus } from './span-figures.tsx';
import { toLines } from './to-lines.ts';

/** Kept while the page is open, so that a series has its colour on the next visit, too. */
const colors = createColorBook();

interface ActivitySectionProps {
  /** The span and the split, as in the address. */
  readonly search: OverviewSearch;
  readonly onSearch: (search: OverviewSearch) => void;
  /** The filter of the page of a key, model or provider: its calls alone are shown. */
  readonly fixed?: GenerationSearch;
  /** The split that would show a single value there. */
  readonly without?: Split;
}

const NO_FILTER: GenerationSearch = {};

/** Calls over time: what they cost, how many they were, how many failed and how fast they came. */
export function ActivitySection({ search, onSearch, fixed = NO_FILTER, without }: ActivitySectionProps) {
  const t = activityMessages().state;
  const navigate = useNavigate();
  const [link] = useState(createChartLink);
  const query = useQuery({ ...figuresQuery(search, fixed), enabled: useIsSettled() });
  const { data, error, refetch, isPlaceholderData, dataUpdatedAt } = query;
  const failure = useLastingFailure(query);
  const { isError: isUnreachable } = useQuery({ ...healthQuery, enabled: false });
  const lines = useMemo(() => (data === undefined ? [] : toLines(data, colors)), [data]);
  const change = (next: Partial<Record<keyof OverviewSearch, string | undefined>>): void => {
    link.set({ index: null, anchor: null, highlighted: null });
    onSearch(withoutGaps({ ...search, ...next }));
  };
  const pick = (span: TimeSpan, isCloser: boolean): void => {
    const { fromMs, toMs } = data?.span ?? span;
    // A bucket at the edge reaches beyond what was counted.
    const filters = toFilters({ fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) });
    if (isCloser) change({ ...filters, range: undefined });
    else void navigate({ to: '/generations', search: { ...fixed, ...filters } });
  };
  const base = data === undefined ? fixed : { ...fixed, ...toFilters(data.span) };
  const isEmpty = data !== undefined && data.histogram.totals.requests === 0;
  return (
    <section aria-labelledby="activity-title" aria-busy={isPlaceholderData} className="flex flex-col gap-4">
      <ActivityControls search={search} onChange={change} without={without}>
        {data !== undefined &&
          (error !== null || isUnreachable ? (
            <p role="status" className="flex flex-wrap items-center gap-2 text-sm text-caution" title={t.asOfWhy}>
              {t.asOf(timeFormats().minute.format(dataUpdatedAt))}
              <Button look="quiet" onClick={() => void refetch()}>
                {t.retry}
              </Button>
            </p>
          ) : (
            <Versus figures={data} range={rangeOf(search)} />
          ))}
      </ActivityControls>
      {failure !== null && data === undefined && (
        <ErrorPanel error={failure} title={t.failed} onRetry={() => void refetch()} />
      )}
      {data === undefined ? (
        // The place of what comes, so that nothing below moves.
        failure === null && <p className="card h-164 p-4 text-sm text-ink-faint">{t.loading}</p>
      ) : isEmpty ? (
        <NoCalls search={search} onChange={change} />
      ) : (
        <div className={`flex flex-col gap-4 ${isPlaceholderData ? 'opacity-60' : ''}`}>
          <div className="card p-4">
            <SpanFigures figures={data} fixed={fixed} />
            {data.histogram.searched_from !== undefined && (
              <p className="mt-2 text-xs text-ink-faint">
                {t.countedSince(formatMoment(data.histogram.searched_from))}
              </p>
            )}
            {data.histogram.complete_from !== undefined && (
              <p className="mt-2 text-xs text-ink-faint">
                {t.completeSince(formatMoment(data.histogram.complete_from))}
              </p>
            )}
          </div>
          <ActivityCharts base={base} figures={data} lines={lines} link={link} onPick={pick} />
        </div>
      )}
    </section>
  );
}

const toFilters = ({ fromMs, toMs }: TimeSpan): { from: string; to: string } => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});

function withoutGaps(search: Readonly<Record<string, string | undefined>>): OverviewSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

interface ControlsProps {
  readonly search: OverviewSearch;
  readonly onChange: (change: Partial<Record<keyof OverviewSearch, string | undefined>>) => void;
  readonly without?: Split | undefined;
  /** Beside the title of the span. */
  readonly children?: ReactNode;
}

const toRangeLabels = (): Record<Range, string> =>
  Object.fromEntries(PERIOD_NAMES.map((range) => [range, toPeriodTexts(range).short])) as Record<Range, string>;

/** The span and the split, which the address holds. */
function ActivityControls({ search, onChange, without, children }: ControlsProps) {
  const { controls: t, splits } = activityMessages();
  const range = rangeOf(search);
  const { from, to } = search;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {/* As high as what stands there while the gateway is away, so that nothing below moves then. */}
      <div className="flex min-h-8 min-w-40 flex-1 flex-wrap items-center gap-x-3">
        <h2 id="activity-title" className="text-base font-semibold">
          {range === null ? t.selected : toPeriodTexts(range).label}
        </h2>
        {children}
      </div>
      {range === null && from !== undefined && to !== undefined && (
        <Button icon={<X size={15} />} title={t.back} onClick={() => onChange({ from: undefined, to: undefined })}>
          {formatSpan({ fromMs: Date.parse(from), toMs: Date.parse(to) })}
        </Button>
      )}
      <Choice
        label={t.span}
        value={range}
        onChange={(next) => onChange({ range: next, from: undefined, to: undefined })}
        options={toRangeLabels()}
      />
      <label className="flex items-center gap-2 text-sm">
        <span className="whitespace-nowrap text-ink-faint">{t.splitBy}</span>
        <Select
          value={splitOf(search)}
          options={SPLITS.filter((split) => split !== without).map((split) => [split, splits[split]])}
          onChange={(split) => onChange({ split })}
        />
      </label>
    </div>
  );
}

function NoCalls({ search, onChange }: ControlsProps) {
  const t = activityMessages().empty;
  return (
    <div className="card">
      <EmptyState icon={<ChartNoAxesColumn size={22} />} title={rangeOf(search) === null ? t.own : t.recent}>
        <p>{t.about}</p>
        <div className="flex flex-wrap justify-center gap-2">
          {rangeOf(search) !== '30d' && (
            <Button onClick={() => onChange({ range: '30d', from: undefined, to: undefined })}>{t.month}</Button>
          )}
          <Link to="/playground" className="inline-flex min-h-8 items-center px-2 text-accent underline">
            {t.playground}
          </Link>
        </div>
      </EmptyState>
    </div>
  );
}

interface RecentCardProps {
  readonly rows: readonly GenerationRow[];
  /** The filter that they are the latest of. */
  readonly filter?: GenerationSearch;
}

export function RecentCard({ rows, filter = {} }: RecentCardProps) {
  const t = activityMessages().recent;
  return (
    <section className="card min-w-0 p-4">
      <div className="mb-2 flex items-center justify-between">
        <h2 className="text-base font-semibold">{t.title}</h2>
        <Link to="/generations" search={filter} className="text-sm text-accent hover:underline">
          {t.all}
        </Link>
      </div>
      {rows.length === 0 ? (
        <p className="py-6 text-center text-sm text-ink-faint">{t.none}</p>
      ) : (
        <ul className="-mx-1 text-sm">
          {rows.map((row) => (
            <li key={row.id} className="border-b border-line/60 last:border-0">
              <Link
                to="/generations"
                search={{ ...filter, open: row.id }}
                className="figures flex min-h-9 items-center gap-3 rounded-md px-1 hover:bg-raised"
              >
                <span className="flex min-w-0 flex-1 items-center gap-2">
                  <span className="truncate font-medium">{row.model}</span>
                  {row.status !== 'ok' && <StatusBadge status={row.status} />}
                </span>
                <span className="text-ink-soft">
                  <Cost generation={row} />
                </span>
                <span className="hidden w-24 text-right text-ink-soft sm:inline">
                  {formatDuration(row.generation_time)}
                </span>
                <span className="w-28 truncate text-right text-xs text-ink-faint">
                  {formatRelative(row.created_at)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
