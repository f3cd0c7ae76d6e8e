import { ArrowDown, ArrowUp, Equal } from 'lucide-react';

import { MINUTE_MS } from '../../format/days.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration, formatSpeed } from '../../format/quantity.ts';
import { formatSpan } from '../../parts/charts/chart-series.ts';
import type { SpanFigures as Figures } from './figures-query.ts';
import type { Figures as Totals } from './to-charts.ts';

/** The end of a span that has ended in the middle of a second. */
const toMinute = (iso: string): number => Math.round(Date.parse(iso) / MINUTE_MS) * MINUTE_MS;

interface Row {
  readonly label: string;
  readonly title?: string;
  readonly read: (totals: Totals) => number | null;
  readonly format: (value: number | null) => string;
  readonly words: ChangeWords;
}

const MUCH = { rise: 'more', fall: 'less', times: 'as much' };
const MANY = { rise: 'more', fall: 'fewer', times: 'as many' };
const LONG = { rise: 'slower', fall: 'faster', times: 'as long' };
const FAST = { rise: 'faster', fall: 'slower', times: 'as fast' };

const ROWS: readonly Row[] = [
  { label: 'spent', read: ({ cost }) => cost, format: formatUsd, words: MUCH },
  { label: 'requests', read: ({ requests }) => requests, format: formatCount, words: MANY },
  { label: 'failed', read: ({ failed }) => failed, format: formatCount, words: MANY },
  {
    label: 'first token, p50',
    title: 'Median time to first token of streamed calls',
    read: (totals) => totals.first_token_p50,
    format: formatDuration,
    words: LONG,
  },
  {
    label: 'first token, p95',
    title: '95% of streamed calls had their first token sooner',
    read: (totals) => totals.first_token_p95,
    format: formatDuration,
    words: LONG,
  },
  {
    label: 'speed, p50',
    title: 'Median tokens per second',
    read: (totals) => totals.tokens_per_second_p50,
    format: formatSpeed,
    words: FAST,
  },
];

const ICONS = { rise: ArrowUp, fall: ArrowDown, same: Equal };

/** What was counted in part cannot be compared. */
const isWhole = (counted: {
  readonly searched_from?: string | undefined;
  readonly complete_from?: string | undefined;
}): boolean => counted.searched_from === undefined && counted.complete_from === undefined;

/** The totals of a span, each with how it differs from the span of the same length before. */
export function SpanFigures({ figures: { histogram } }: { figures: Figures }) {
  const { totals } = histogram;
  const before = isWhole(histogram) && histogram.before && isWhole(histogram.before) ? histogram.before : undefined;
  const beforeSpan = before && formatSpan({ fromMs: Date.parse(before.from), toMs: toMinute(before.to) });
  return (
    <div>
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,9rem),1fr))] gap-x-4 gap-y-3">
        {ROWS.map(({ label, title, read, format, words }) => {
          const value = read(totals);
          const change = before === undefined ? null : toChange(value, read(before.totals), words);
          const Icon = ICONS[change?.direction ?? 'same'];
          return (
            <div key={label} className="flex flex-col-reverse justify-end" title={title}>
              <dd className="text-xs text-ink-soft">
                {change === null ? (
                  <span className="text-ink-faint">no comparison</span>
                ) : (
                  <span className="inline-flex items-center gap-0.5">
                    <Icon size={13} /> {change.text}
                  </span>
                )}
              </dd>
              <dd
                className={`figures text-xl font-semibold tracking-tight whitespace-nowrap ${label === 'failed' && totals.failed > 0 ? 'text-bad' : ''}`}
              >
                {format(value)}
              </dd>
              <dt className="text-xs text-ink-faint">{label}</dt>
            </div>
          );
        })}
      </dl>
      {beforeSpan !== undefined && <p className="mt-2 text-xs text-ink-faint">Compared with {beforeSpan}</p>}
    </div>
  );
}

/** Words for a figure that has risen, for one that has fallen, and for one that is several times what it was. */
interface ChangeWords {
  readonly rise: string;
  readonly fall: string;
  readonly times: string;
}

export interface Change {
  readonly direction: 'rise' | 'fall' | 'same';
  /** `12 % more`, or `3.5 times as much` where per cent would be hard to read. */
  readonly text: string;
}

/** Below this part of the figure before, it has not changed. */
const LEAST = 0.005;
const MANY_TIMES = 3;

/** How a figure differs from that of the span before; null where either is not known. */
export function toChange(now: number | null, before: number | null, { rise, fall, times }: ChangeWords): Change | null {
  if (now === null || before === null) return null;
  if (before === 0) return now === 0 ? { direction: 'same', text: 'no change' } : { direction: 'rise', text: 'new' };
  const ratio = now / before;
  if (Math.abs(ratio - 1) < LEAST) return { direction: 'same', text: 'no change' };
  if (ratio >= MANY_TIMES) return { direction: 'rise', text: `${formatTimes(ratio)} times ${times}` };
  const percent = `${formatPercent(Math.abs(ratio - 1) * 100)}\u00a0%`;
  return ratio > 1
    ? { direction: 'rise', text: `${percent} ${rise}` }
    : { direction: 'fall', text: `${percent} ${fall}` };
}

const formatTimes = (ratio: number): string => (ratio < 10 ? ratio.toFixed(1) : Math.round(ratio).toString());
const formatPercent = (percent: number): string => percent.toFixed(percent < 1 ? 1 : 0);
