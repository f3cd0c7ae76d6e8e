import { useQuery } from '@tanstack/react-query';

import { MINUTE_MS } from '../../format/days.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCompact, formatCount, formatDuration, formatPercent } from '../../format/quantity.ts';
import { formatSpan } from '../../parts/charts/chart-series.ts';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import { monthQuery, type SpanFigures as Figures } from './figures-query.ts';
import { activityMessages } from './messages.ts';
import type { Range } from './overview-search.ts';
import { errorRateOf, type Figures as Totals } from './to-charts.ts';

/** The end of a span that has ended in the middle of a second. */
const toMinute = (iso: string): number => Math.round(Date.parse(iso) / MINUTE_MS) * MINUTE_MS;

interface Figure {
  readonly label: string;
  readonly title?: string;
  readonly read: (totals: Totals) => number | null;
  readonly format: (value: number | null) => string;
}

/** The unit is in the label. */
const toSpeed = (speed: number | null): string =>
  speed === null || speed < 100 || speed >= 10_000 ? formatCompact(speed) : formatCount(Math.round(speed));

/** Savings are known where a provider tells what came from its cache. */
const savedOf = ({ cache_saved: saved, prompt_tokens: tokens }: Totals): number | null =>
  tokens === 0 && saved === 0 ? null : saved;

function toFigures(): readonly Figure[] {
  const t = activityMessages().figures;
  return [
    { label: t.spent, read: ({ cost }) => cost, format: formatUsd },
    { label: t.requests, read: ({ requests }) => requests, format: formatCount },
    { label: t.failed, title: t.failedTitle, read: ({ failed }) => failed, format: formatCount },
    { label: t.duration, title: t.durationTitle, read: (totals) => totals.duration_p95, format: formatDuration },
    { label: t.firstToken, title: t.firstTokenTitle, read: (totals) => totals.first_token_p50, format: formatDuration },
    { label: t.speed, title: t.speedTitle, read: (totals) => totals.tokens_per_second_p50, format: toSpeed },
    { label: t.saved, title: t.savedTitle, read: savedOf, format: formatUsd },
  ];
}

/** What was counted in part cannot be compared. */
const isWhole = (counted: {
  readonly searched_from?: string | undefined;
  readonly complete_from?: string | undefined;
}): boolean => counted.searched_from === undefined && counted.complete_from === undefined;

interface SpanFiguresProps {
  readonly figures: Figures;
  readonly fixed: GenerationSearch;
}

/** The span before, where both were counted as a whole. */
const comparedOf = ({ histogram }: Figures): Figures['histogram']['before'] =>
  isWhole(histogram) && histogram.before && isWhole(histogram.before) ? histogram.before : undefined;

/** What the changes of the figures are against: `vs previous 24 hours`. */
export function Versus({ figures, range }: { readonly figures: Figures; readonly range: Range | null }) {
  const before = comparedOf(figures);
  if (before === undefined) return null;
  return (
    <p
      className="text-xs text-ink-faint"
      title={formatSpan({ fromMs: Date.parse(before.from), toMs: toMinute(before.to) })}
    >
      {activityMessages().figures.versus[range ?? 'own']}
    </p>
  );
}

/** The totals of a span, each with how it differs from the span of the same length before, and those of the month. */
export function SpanFigures({ figures, fixed }: SpanFiguresProps) {
  const t = activityMessages().figures;
  const { totals } = figures.histogram;
  const before = comparedOf(figures);
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,7.75rem),1fr))] gap-x-4 gap-y-3">
      {toFigures().map(({ label, title, read, format }) => {
        const value = read(totals);
        const isFailed = label === t.failed;
        return (
          <div key={label} className="flex flex-col-reverse justify-end" title={title}>
            <dd className="text-xs text-ink-soft">
              {before === undefined ? (
                <span className="text-ink-faint">{t.unknown}</span>
              ) : (
                // The line is there for all figures, so that they stand in one row.
                (toChange(value, read(before.totals)) ?? '\u00a0')
              )}
              {isFailed && <OtherEnds totals={totals} />}
            </dd>
            <dd
              className={`figures text-xl font-semibold tracking-tight whitespace-nowrap ${isFailed && totals.failed > 0 ? 'text-bad' : ''}`}
            >
              {format(value)}
              {isFailed && <ErrorRate totals={totals} />}
            </dd>
            <dt className="text-xs text-ink-faint">{label}</dt>
          </div>
        );
      })}
      <MonthFigure fixed={fixed} />
    </dl>
  );
}

/** The part of the requests that failed. */
function ErrorRate({ totals }: { totals: Totals }) {
  const rate = errorRateOf(totals);
  if (rate === null || totals.failed === 0) return null;
  return <span className="text-xs font-normal text-ink-faint"> {formatPercent(rate)}</span>;
}

/** How many ended otherwise without being failures. */
function OtherEnds({ totals: { cancelled, interrupted } }: { totals: Totals }) {
  if (cancelled + interrupted === 0) return null;
  const toText = (count: number): string => (count === 0 ? '' : formatCount(count));
  return (
    <span className="block text-ink-faint">
      {activityMessages().figures.apart(toText(cancelled), toText(interrupted))}
    </span>
  );
}

/** Spending since the first of the month, and what it comes to if it goes on like that. */
function MonthFigure({ fixed }: { fixed: GenerationSearch }) {
  const t = activityMessages().figures;
  const { data } = useQuery(monthQuery(fixed));
  return (
    <div className="flex flex-col-reverse justify-end" title={t.monthTitle}>
      <dd className="text-xs text-ink-soft">
        {data === undefined || data.forecast === null ? '–' : t.onTrack(formatUsd(data.forecast))}
      </dd>
      <dd className="figures text-xl font-semibold tracking-tight whitespace-nowrap">
        {formatUsd(data === undefined ? null : data.spent)}
      </dd>
      <dt className="text-xs text-ink-faint">{t.month}</dt>
    </div>
  );
}

/** Below this part of the figure before, it has not changed. */
const LEAST = 0.005;

/** How a figure differs from that of the span before: `+12 %`, `new`, `no change`; null where either is not known. */
export function toChange(now: number | null, before: number | null): string | null {
  const { added, same } = activityMessages().figures;
  if (now === null || before === null) return null;
  if (before === 0) return now === 0 ? same : added;
  const change = (now - before) / Math.abs(before);
  if (Math.abs(change) < LEAST) return same;
  const size = Math.abs(change) * 100;
  const percent = size < 1 ? formatPercent(size) : `${formatCount(Math.round(size))}\u00a0%`;
  return `${change > 0 ? '+' : '−'}${percent}`;
}
