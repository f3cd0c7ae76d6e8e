import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';

import { toUsdColumn } from '../../format/money.ts';
import { formatCompact, formatCount, formatDuration, formatPercent } from '../../format/quantity.ts';
import type { ChartLink } from '../../parts/charts/chart-link.ts';
import { Swatch } from '../../parts/charts/swatch.tsx';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import { activityMessages } from './messages.ts';
import type { Split } from './overview-search.ts';
import { cacheShareOf, errorRateOf, type Figures } from './to-charts.ts';
import { type Line, OTHER } from './to-lines.ts';

interface SplitTableProps {
  readonly split: Split;
  readonly lines: readonly Line[];
  readonly link: ChartLink;
  /** The filters of the span. */
  readonly span: GenerationSearch;
}

interface Column {
  readonly key: string;
  readonly label: string;
  readonly title?: string;
  readonly read: (totals: Figures) => number | null;
  readonly format: (value: number | null) => string;
  /** Leaves it out where there is little room. */
  readonly className?: string;
}

const toPercent = (percent: number | null): string => (percent === null ? '—' : formatPercent(percent));
const toSpeed = (speed: number | null): string =>
  speed === null || speed >= 10_000 ? formatCompact(speed) : formatCount(Math.round(speed));

function toColumns(lines: readonly Line[]): readonly Column[] {
  const t = activityMessages().table;
  return [
    {
      key: 'cost',
      label: t.cost,
      read: ({ cost }) => cost,
      format: toUsdColumn(lines.map(({ totals }) => totals.cost)),
    },
    { key: 'requests', label: t.requests, read: ({ requests }) => requests, format: formatCount },
    { key: 'errors', label: t.errors, read: errorRateOf, format: toPercent, className: 'hidden @sm:table-cell' },
    {
      key: 'duration',
      label: t.duration,
      title: t.durationTitle,
      read: (totals) => totals.duration_p95,
      format: formatDuration,
      className: 'hidden @md:table-cell',
    },
    {
      key: 'firstToken',
      label: t.firstToken,
      title: t.firstTokenTitle,
      read: (totals) => totals.first_token_p50,
      format: formatDuration,
      className: 'hidden @3xl:table-cell',
    },
    {
      key: 'speed',
      label: t.speed,
      title: t.speedTitle,
      read: (totals) => totals.tokens_per_second_p50,
      format: toSpeed,
      className: 'hidden @lg:table-cell',
    },
    {
      key: 'cached',
      label: t.cached,
      title: t.cachedTitle,
      read: cacheShareOf,
      format: toPercent,
      className: 'hidden @2xl:table-cell',
    },
  ];
}

interface Sort {
  readonly key: string;
  readonly isRising: boolean;
}

/** Lines by a figure, unknown ones after the others, and all that are not named at the end. */
export function sortLines(
  lines: readonly Line[],
  read: (totals: Figures) => number | null,
  isRising: boolean,
): readonly Line[] {
  const sign = isRising ? 1 : -1;
  return lines.toSorted((one, two) => {
    if (one.key === OTHER || two.key === OTHER) return one.key === OTHER ? 1 : -1;
    const [a, b] = [read(one.totals), read(two.totals)];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return sign * (a - b);
  });
}

/** The legend of all charts: the values of a split with their figures. Each links to its calls. */
export function SplitTable({ split, lines, link, span }: SplitTableProps) {
  const t = activityMessages();
  const [sort, setSort] = useState<Sort>({ key: 'cost', isRising: false });
  const columns = toColumns(lines);
  const sorted = sortLines(lines, columns.find(({ key }) => key === sort.key)?.read ?? (() => null), sort.isRising);
  return (
    <section className="card @container min-w-0 overflow-x-auto p-4 pt-3">
      <h3 className="mb-1 flex min-h-8 items-center text-sm font-semibold">{t.table.title(t.splits[split])}</h3>
      <table className="figures w-full text-[13px]" aria-label={t.table.label(t.splits[split])}>
        <thead>
          <tr className="border-b border-line text-xs text-ink-faint">
            <th scope="col" className="py-1 pr-4 text-left font-medium">
              {t.splits[split]}
            </th>
            {columns.map(({ key, label, title, className = '' }) => {
              const isSorted = sort.key === key;
              const Icon = sort.isRising ? ArrowUp : ArrowDown;
              return (
                <th
                  key={key}
                  scope="col"
                  aria-sort={isSorted ? (sort.isRising ? 'ascending' : 'descending') : undefined}
                  className={`py-0.5 pl-3 text-right font-medium ${className}`}
                >
                  <button
                    type="button"
                    title={title}
                    className={`inline-flex min-h-6 items-center gap-0.5 whitespace-nowrap hover:text-ink ${isSorted ? 'text-ink' : ''}`}
                    onClick={() => setSort({ key, isRising: isSorted && !sort.isRising })}
                  >
                    {isSorted && <Icon size={12} />} {label}
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {sorted.map((line) => (
            <tr
              key={line.key}
              className="border-b border-line/60 last:border-0 hover:bg-raised"
              {...highlight(link, line.key)}
            >
              <th scope="row" className="w-full max-w-0 py-0.5 pr-2 text-left font-normal">
                <span className="flex min-w-0 items-center gap-2">
                  <ThingName line={line} span={span} />
                </span>
              </th>
              {columns.map(({ key, read, format, className = '' }) => (
                <td key={key} className={`py-0.5 pl-3 text-right whitespace-nowrap ${className}`}>
                  {format(read(line.totals))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Brings a thing out in all charts while the pointer or the focus is on it. */
const highlight = (link: ChartLink, key: string) => ({
  onPointerEnter: () => link.set({ highlighted: key }),
  onPointerLeave: () => link.set({ highlighted: null }),
  onFocus: () => link.set({ highlighted: key }),
  onBlur: () => link.set({ highlighted: null }),
});

interface ThingNameProps extends Pick<SplitTableProps, 'span'> {
  readonly line: Line;
}

/** A thing with its colour; it leads to its calls, where they can be distinguished. */
function ThingName({ line: { label, color, filter }, span }: ThingNameProps) {
  return (
    <>
      <Swatch series={{ color, shape: 'bar' }} />
      {filter === null ? (
        <span className="truncate text-ink-soft" title={label}>
          {label}
        </span>
      ) : (
        <Link
          to="/generations"
          search={{ ...span, ...filter }}
          className="truncate leading-6 hover:text-accent hover:underline"
          title={activityMessages().table.list(label)}
        >
          {label}
        </Link>
      )}
    </>
  );
}
