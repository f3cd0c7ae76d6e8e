import { Link } from '@tanstack/react-router';

import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration, formatSpeed } from '../../format/quantity.ts';
import type { ChartLink } from '../../parts/charts/chart-link.ts';
import { Swatch } from '../../parts/charts/swatch.tsx';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import { type Split, SPLITS } from './overview-search.ts';
import type { Figures, Line } from './to-charts.ts';

interface SplitTableProps {
  readonly split: Split;
  readonly lines: readonly Line[];
  readonly link: ChartLink;
  /** The filters of the span. */
  readonly span: GenerationSearch;
}

/** Columns with what they read; those with a class are left out where there is little room. */
const COLUMNS: readonly { label: string; read: (totals: Figures) => string; className?: string }[] = [
  { label: 'Cost', read: ({ cost }) => formatUsd(cost) },
  { label: 'Requests', read: ({ requests }) => formatCount(requests) },
  { label: 'Failed', read: ({ failed }) => formatCount(failed), className: 'hidden sm:table-cell' },
  {
    label: 'First token p50',
    read: (totals) => formatDuration(totals.first_token_p50),
    className: 'hidden xl:table-cell',
  },
  {
    label: 'First token p95',
    read: (totals) => formatDuration(totals.first_token_p95),
    className: 'hidden xl:table-cell',
  },
  {
    label: 'Speed p50',
    read: (totals) => formatSpeed(totals.tokens_per_second_p50),
    className: 'hidden xl:table-cell',
  },
];

/** The values of a split with all their figures. Each links to its calls, and is highlighted in all charts. */
export function SplitTable({ split, lines, link, span }: SplitTableProps) {
  return (
    <table className="figures w-full table-fixed text-sm" aria-label={`Figures by ${SPLITS[split].toLowerCase()}`}>
      <thead>
        <tr className="border-b border-line text-xs text-ink-faint">
          <th scope="col" className="w-2/5 py-1 xl:w-1/4 pr-4 text-left font-medium">
            {SPLITS[split]}
          </th>
          {COLUMNS.map(({ label, className = '' }) => (
            <th key={label} scope="col" className={`py-1 pl-2 text-right font-medium ${className}`}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr
            key={line.key}
            className="border-b border-line/60 last:border-0 hover:bg-raised"
            {...highlight(link, line.key)}
          >
            <th scope="row" className="py-1 pr-4 text-left font-normal">
              <span className="flex min-w-0 items-center gap-2">
                <ThingName line={line} span={span} />
              </span>
            </th>
            {COLUMNS.map(({ label: name, read, className = '' }) => (
              <td key={name} className={`py-1 pl-2 text-right whitespace-nowrap ${className}`}>
                {read(line.totals)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The legend of all four charts: each series with its colour and its cost, or its requests where nothing has a cost. */
export function SplitChips({ split, lines, link, span }: SplitTableProps) {
  const hasCost = lines.some(({ totals }) => totals.cost > 0);
  return (
    <ul aria-label={`Legend by ${SPLITS[split].toLowerCase()}`} className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {lines.map((line) => (
        <li
          key={line.key}
          className="inline-flex max-w-full min-w-0 items-center gap-1.5 leading-6"
          {...highlight(link, line.key)}
        >
          <ThingName line={line} span={span} />
          <span className="figures text-ink-faint">
            {hasCost ? formatUsd(line.totals.cost) : formatCount(line.totals.requests)}
          </span>
        </li>
      ))}
    </ul>
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
          className="truncate leading-6 text-accent hover:underline"
          title={`List the calls of ${label}`}
        >
          {label}
        </Link>
      )}
    </>
  );
}
