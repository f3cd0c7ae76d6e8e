import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo, type ReactNode } from 'react';

import { classNames } from '../class-names.ts';

export interface Column<Row> {
  readonly id: string;
  readonly header: ReactNode;
  /** A CSS grid track: `120px`, `minmax(160px,2fr)`. */
  readonly width: string;
  readonly isNumeric?: boolean;
  /** Left out where the table is too narrow for all columns: 1 first, then 2. Without, it always stays. */
  readonly leaves?: number;
  /** Instead, where the table has too little room for the columns that stay. */
  readonly narrow?: { readonly width: string; readonly cell?: (row: Row) => ReactNode };
  /** What the table is sorted by at this column, where it can be. */
  readonly sort?: string;
  readonly cell: (row: Row) => ReactNode;
}

interface TableRowProps<Row> {
  readonly id: string;
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly Column<Row>[];
  /** In pixels. */
  readonly height: number;
  /** The tracks of the CSS grid. */
  readonly tracks: string;
  readonly isOpen: boolean;
  /** Whether the cursor stands on it. */
  readonly isActive: boolean;
  readonly onPick: (index: number) => void;
}

/** A row of a `VirtualTable`. Its size is fixed, so that nothing else is laid out when its contents change. */
export const TableRow = memo(function TableRow<Row>(props: TableRowProps<Row>) {
  const { id, row, index, columns, height, tracks, isOpen, isActive, onPick } = props;
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      style={{ gridTemplateColumns: tracks, height }}
      className={classNames(
        'grid cursor-pointer items-center gap-4 border-b border-line/70 px-4 text-sm contain-strict group-data-tight/grid:gap-2 group-data-tight/grid:px-3 group-data-tight/grid:text-[13px] hover:bg-raised/60',
        isOpen && 'bg-accent-soft',
        isActive &&
          'group-focus-visible/grid:shadow-[inset_3px_0_0_var(--accent)] group-focus-visible/grid:bg-raised forced-colors:group-focus-visible/grid:outline-2 forced-colors:group-focus-visible/grid:-outline-offset-2',
      )}
      onClick={() => onPick(index)}
    >
      {columns.map((column) => (
        <div
          key={column.id}
          role="gridcell"
          className={classNames('min-w-0 truncate', column.isNumeric && 'figures text-right')}
        >
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}) as <Row>(props: TableRowProps<Row>) => ReactNode;

export interface TableSort {
  /** `sort` of a column. */
  readonly by: string;
  readonly order: 'asc' | 'desc';
}

interface HeaderCellProps {
  readonly column: Pick<Column<never>, 'header' | 'isNumeric' | 'sort'>;
  /** Undefined where the table cannot be sorted. */
  readonly sort: TableSort | undefined;
  readonly onSort: ((sort: TableSort) => void) | undefined;
}

/**
 * The head of a column; a button where it can be sorted by. The greatest figure comes first, and names from A on; a
 * second click turns them round.
 */
export function HeaderCell({ column, sort, onSort }: HeaderCellProps) {
  const { header, isNumeric, sort: by } = column;
  const isSorted = by !== undefined && sort?.by === by;
  const place = isNumeric === true ? 'justify-end text-right' : 'text-left';
  if (by === undefined || onSort === undefined) {
    return (
      <div role="columnheader" className={classNames('truncate py-2', isNumeric === true && 'text-right')}>
        {header}
      </div>
    );
  }
  const first = isNumeric === true || by === 'time' ? 'desc' : 'asc';
  const order = isSorted ? (sort.order === 'asc' ? 'desc' : 'asc') : first;
  const Arrow = isSorted && sort.order === 'asc' ? ArrowUp : ArrowDown;
  const mark = (
    <Arrow
      size={12}
      className={classNames(
        'shrink-0',
        !isSorted && 'opacity-0 group-hover/head:opacity-60 group-focus-visible/head:opacity-60',
      )}
    />
  );
  return (
    <div
      role="columnheader"
      aria-sort={isSorted ? (sort.order === 'asc' ? 'ascending' : 'descending') : 'none'}
      className="min-w-0"
    >
      <button
        type="button"
        className={classNames(
          'group/head flex w-full min-w-0 items-center gap-1 py-2 hover:text-ink',
          isSorted && 'text-ink',
          place,
        )}
        onClick={() => onSort({ by, order })}
      >
        {isNumeric === true && mark}
        <span className="truncate">{header}</span>
        {isNumeric !== true && mark}
      </button>
    </div>
  );
}
