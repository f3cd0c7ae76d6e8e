import { Play, Square } from 'lucide-react';

import type { ListPage } from '../../../features/generations/list/list-row.ts';
import { formatCount } from '../../../format/quantity.ts';
import { formatMoment } from '../../../format/time.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { generationSearchMessages } from './messages.ts';

interface SearchBarProps {
  readonly searched: SearchedSoFar;
  /** How many calls there are to look through; undefined until they are counted. */
  readonly total: number | undefined;
  readonly isRunning: boolean;
  readonly isStopped: boolean;
  readonly isDone: boolean;
  /** The list had been sorted otherwise, which a text search cannot be. */
  readonly isSortLost: boolean;
  readonly onStop: () => void;
  readonly onGoOn: () => void;
}

/** How far a text was looked for, with what stops that and what goes on with it. */
export function SearchBar({
  searched,
  total,
  isRunning,
  isStopped,
  isDone,
  isSortLost,
  onStop,
  onGoOn,
}: SearchBarProps) {
  const { records, backTo } = searched;
  const percent = toPercent(records, total, isDone);
  const t = generationSearchMessages().search;
  const count = formatCount(records);
  const soFar = isStopped ? t.stopped(count) : isRunning ? t.searching(count) : t.searched(count);
  const state = isDone
    ? t.all(count)
    : soFar + (total === undefined ? '' : t.of(formatCount(Math.max(total, records))));
  return (
    <div className="figures flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5 text-xs text-ink-soft">
      <div
        role="progressbar"
        aria-label={t.label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent ?? undefined}
        aria-valuetext={state}
        className="h-1.5 w-40 overflow-hidden rounded-full bg-line forced-colors:border"
      >
        <span
          className="block h-full rounded-full bg-accent forced-colors:bg-[CanvasText]"
          style={{ width: `${percent ?? 0}%` }}
        />
      </div>
      <span>
        {state}
        {percent !== null && ` (${percent} %)`}
        {backTo !== null && !isDone && t.backTo(formatMoment(backTo))}
        {!isDone && !isRunning && !isStopped && t.scroll}
        {isSortLost && t.sortLost}
      </span>
      {(isRunning || !isDone) && (
        <Button
          look="quiet"
          className="text-xs"
          icon={isRunning ? <Square size={12} /> : <Play size={12} />}
          onClick={isRunning ? onStop : onGoOn}
        >
          {isRunning ? t.stop : t.goOn}
        </Button>
      )}
    </div>
  );
}

/** How far a search for a text is. */
export interface SearchedSoFar {
  readonly records: number;
  /** When the oldest of them began. */
  readonly backTo: string | null;
}

/** Adds up what the pages of a search say of it. */
export function addUpSearch(pages: readonly Pick<ListPage, 'searched'>[]): SearchedSoFar {
  let records = 0;
  let backTo: string | null = null;
  for (const { searched } of pages) {
    records += searched?.records ?? 0;
    backTo = searched?.back_to ?? backTo;
  }
  return { records, backTo };
}

/** Percent of all there is; never 100 before the end, as more may have come meanwhile. */
export function toPercent(records: number, total: number | undefined, isDone: boolean): number | null {
  if (isDone) return 100;
  if (total === undefined) return null;
  return total === 0 ? 99 : Math.min(99, Math.floor((records / total) * 100));
}
