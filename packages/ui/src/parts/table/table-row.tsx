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
