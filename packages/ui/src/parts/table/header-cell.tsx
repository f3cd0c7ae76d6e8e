import { ArrowDown, ArrowUp } from 'lucide-react';

import { classNames } from '../class-names.ts';
import type { Column } from './table-row.tsx';

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
      aria-hidden
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
