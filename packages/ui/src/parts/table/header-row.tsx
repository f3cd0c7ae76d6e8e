import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';

import { classNames } from '../class-names.ts';
import type { Column, TableSort } from './table-row.tsx';
import { type ColumnWidth, type DropPlace, useHeaderDrag } from './use-header-drag.ts';

type Head = Pick<Column<never>, 'id' | 'header' | 'isNumeric' | 'sort'>;

interface HeaderRowProps {
  readonly columns: readonly Head[];
  /** The tracks of the CSS grid. */
  readonly tracks: string;
  /** Undefined where the table cannot be sorted. */
  readonly sort: TableSort | undefined;
  readonly onSort: ((sort: TableSort) => void) | undefined;
  readonly onResizing: (width: ColumnWidth | null) => void;
  readonly onWidth: ((id: string, px: number | null) => void) | undefined;
  readonly onMove: ((id: string, place: DropPlace) => void) | undefined;
}

/** The heads of a table, which stay in sight. Their edges are dragged for the width, the heads themselves to another place. */
export function HeaderRow({ columns, tracks, sort, onSort, onResizing, onWidth, onMove }: HeaderRowProps) {
  const { place, handlers } = useHeaderDrag({ onResizing, onWidth, onMove });
  return (
    <div
      role="row"
      aria-rowindex={1}
      style={{ gridTemplateColumns: tracks }}
      className="sticky top-0 z-10 grid items-center gap-4 border-b border-line bg-raised px-4 text-xs group-data-tight/grid:gap-2 group-data-tight/grid:px-3 font-medium text-ink-faint select-none group/heads"
      {...handlers}
    >
      {columns.map((column) => (
        <HeaderCell
          key={column.id}
          column={column}
          sort={sort}
          onSort={onSort}
          drop={place?.id === column.id ? place.side : undefined}
          isResizable={onWidth !== undefined}
        />
      ))}
    </div>
  );
}

interface HeaderCellProps extends Pick<HeaderRowProps, 'sort' | 'onSort'> {
  readonly column: Head;
  /** The side at which a column would be put down. */
  readonly drop: DropPlace['side'] | undefined;
  readonly isResizable: boolean;
}

function HeaderCell({ column, sort, onSort, drop, isResizable }: HeaderCellProps) {
  const { id, header, isNumeric, sort: by } = column;
  const isSorted = by !== undefined && sort?.by === by;
  return (
    <div
      role="columnheader"
      data-column={id}
      aria-sort={
        by === undefined || onSort === undefined
          ? undefined
          : isSorted
            ? sort.order === 'asc'
              ? 'ascending'
              : 'descending'
            : 'none'
      }
      className={classNames(
        'relative min-w-0',
        drop === 'before' && 'shadow-[-3px_0_0_-1px_var(--accent)]',
        drop === 'after' && 'shadow-[3px_0_0_-1px_var(--accent)]',
      )}
    >
      {by === undefined || onSort === undefined ? (
        <div className={classNames('truncate py-2', isNumeric === true && 'text-right')}>{header}</div>
      ) : (
        <SortButton isNumeric={isNumeric === true} by={by} sort={isSorted ? sort : undefined} onSort={onSort}>
          {header}
        </SortButton>
      )}
      {isResizable && (
        <span
          data-edge
          aria-hidden="true"
          className="group/edge absolute inset-y-0 -right-3 flex w-3 cursor-col-resize touch-none justify-center group-data-tight/grid:-right-2 group-data-tight/grid:w-2"
        >
          <span className="my-1.5 w-px bg-line-strong/60 opacity-0 group-hover/edge:bg-accent group-hover/heads:opacity-100" />
        </span>
      )}
    </div>
  );
}

interface SortButtonProps {
  readonly isNumeric: boolean;
  readonly by: string;
  /** Undefined where the table is sorted by something else. */
  readonly sort: TableSort | undefined;
  readonly onSort: (sort: TableSort) => void;
  readonly children: ReactNode;
}

/**
 * The head of a column that can be sorted by. The greatest figure comes first, and names from A on; a second click turns
 * them round.
 */
function SortButton({ isNumeric, by, sort, onSort, children }: SortButtonProps) {
  const first = isNumeric || by === 'time' ? 'desc' : 'asc';
  const order = sort === undefined ? first : sort.order === 'asc' ? 'desc' : 'asc';
  const Arrow = sort?.order === 'asc' ? ArrowUp : ArrowDown;
  const mark = (
    <Arrow
      size={12}
      className={classNames(
        'shrink-0',
        sort === undefined && 'opacity-0 group-hover/head:opacity-60 group-focus-visible/head:opacity-60',
      )}
    />
  );
  return (
    <button
      type="button"
      className={classNames(
        'group/head flex w-full min-w-0 items-center gap-1 py-2 hover:text-ink',
        sort !== undefined && 'text-ink',
        isNumeric ? 'justify-end text-right' : 'text-left',
      )}
      onClick={() => onSort({ by, order })}
    >
      {isNumeric && mark}
      <span className="truncate">{children}</span>
      {!isNumeric && mark}
    </button>
  );
}
