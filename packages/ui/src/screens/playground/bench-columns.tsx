import type { Model } from '@model-gateway/core/wire';
import { useMemo } from 'react';

import type { Column } from '../../features/playground/experiment.ts';
import { BenchColumn, type ColumnActions } from './column/bench-column.tsx';
import type { Estimate } from './estimate/estimate-cost.ts';
import { lastCompletion } from './experiment/edit-turns.ts';
import type { Runs } from './runs.ts';

interface BenchColumnsProps {
  readonly columns: readonly Column[];
  /** Id of the column that the others are compared with; empty for none. */
  readonly baseId: string;
  readonly runs: Runs;
  readonly models: readonly Model[];
  readonly actions: ColumnActions;
  readonly estimates: ReadonlyMap<string, Estimate>;
}

/** The columns, in as many rows as they need. */
export function BenchColumns({ columns, baseId, runs, models, actions, estimates }: BenchColumnsProps) {
  const sharing = useMemo(() => countTurns(columns), [columns]);
  const base = columns.find(({ id }) => id === baseId);
  const baseText = base && lastCompletion(base.turns)?.text;
  return (
    <div
      className="grid min-h-72 flex-1 auto-rows-[minmax(18rem,1fr)] gap-3"
      style={{ gridTemplateColumns: `repeat(auto-fit,minmax(min(100%,max(19rem,${toShare(columns.length)})),1fr))` }}
    >
      {columns.map((column, at) => (
        <BenchColumn
          key={column.id}
          column={column}
          at={at}
          run={runs.of(column.id)}
          models={models}
          actions={actions}
          isRemovable={columns.length > 1}
          sharing={sharing}
          baseText={column.id === baseId ? undefined : baseText}
          baseName={base === undefined ? '' : `column ${columns.indexOf(base) + 1}`}
          estimate={estimates.get(column.id)}
        />
      ))}
    </div>
  );
}

/** The width of a column where the rows are equally long: up to four stand side by side, more in two rows. */
function toShare(count: number): string {
  const perRow = count <= 4 ? count : Math.ceil(count / 2);
  return `(100% - ${(perRow - 1) * 0.75}rem) / ${perRow}`;
}

/** In how many columns that can be changed each turn stands. */
function countTurns(columns: readonly Column[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { isOriginal, turns } of columns) {
    if (!isOriginal) for (const { id } of turns) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}
