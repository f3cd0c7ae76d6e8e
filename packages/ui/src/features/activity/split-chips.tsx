import { Link } from '@tanstack/react-router';

import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import type { ChartLink } from '../../parts/charts/chart-link.ts';
import { Swatch } from '../../parts/charts/swatch.tsx';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import { SPLITS, type Split } from './overview-search.ts';
import type { Line } from './to-lines.ts';

interface SplitChipsProps {
  readonly split: Split;
  readonly lines: readonly Line[];
  readonly link: ChartLink;
  /** The filters of the span. */
  readonly span: GenerationSearch;
}

/** The legend of all four charts: each thing with its colour and its cost, or its requests where nothing has a cost. */
export function SplitChips({ split, lines, link, span }: SplitChipsProps) {
  const hasCost = lines.some(({ totals }) => totals.cost > 0);
  return (
    <ul aria-label={`Legend by ${SPLITS[split].toLowerCase()}`} className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {lines.map(({ key, label, color, filter, totals }) => (
        <li
          key={key}
          className="inline-flex max-w-full min-w-0 items-center gap-1.5 leading-6"
          onPointerEnter={() => link.set({ highlighted: key })}
          onPointerLeave={() => link.set({ highlighted: null })}
          onFocus={() => link.set({ highlighted: key })}
          onBlur={() => link.set({ highlighted: null })}
        >
          <Swatch series={{ color, shape: 'bar' }} />
          {filter === null ? (
            <span className="truncate text-ink-soft">{label}</span>
          ) : (
            <Link
              to="/generations"
              search={{ ...span, ...filter }}
              className="truncate text-accent hover:underline"
              title={`List the calls of ${label}`}
            >
              {label}
            </Link>
          )}
          <span className="figures text-ink-faint">
            {hasCost ? formatUsd(totals.cost) : formatCount(totals.requests)}
          </span>
        </li>
      ))}
    </ul>
  );
}
