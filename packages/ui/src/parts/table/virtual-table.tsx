import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';

import { usePreferences } from '../../app/preferences.ts';
import { useWidth } from '../use-width.ts';
import { withWidths } from './column-order.ts';
import { HeaderRow } from './header-row.tsx';
import { moveCursor } from './move-cursor.ts';
import { type Column, TableRow, type TableSort } from './table-row.tsx';
import { fitColumns, toMinWidth } from './to-fitting.ts';
import type { ColumnWidth, DropPlace } from './use-header-drag.ts';

interface VirtualTableProps<Row> {
  /** Read out as the name of the table. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  /** Called for a click and the space bar, and for every move of the cursor while a row is open. */
  readonly onOpen: (row: Row) => void;
  /** Called for Enter, when Enter does something else. */
  readonly onEnter?: (row: Row) => void;
  /** The row that is open beside the table. */
  readonly openId?: string | undefined;
  /** Lines of a row; 1 by default. */
  readonly lines?: 1 | 2;
  /** Ids of columns that are not shown. */
  readonly hidden?: readonly string[];
  /** Nothing in a cell can be operated, so that a row that goes out of sight may be filled with another. */
  readonly isRecycled?: boolean;
  /** The order of the rows, and what a click on the head of a column asks for; without, no column can be sorted by. */
  readonly sort?: TableSort | undefined;
  readonly onSort?: ((sort: TableSort) => void) | undefined;
  /** Widths that the user has chosen, by the ids of columns in pixels; and the next one, null for the usual width. */
  readonly widths?: Readonly<Record<string, number>> | undefined;
  readonly onWidth?: ((id: string, px: number | null) => void) | undefined;
  /** Called when a column was dragged to another place. */
  readonly onMove?: ((id: string, place: DropPlace) => void) | undefined;
  /** Number of all rows, when more can be loaded than are present; -1 when it is unknown. Used by screen readers. */
  readonly total?: number | undefined;
  readonly onEndReached?: (() => void) | undefined;
  /** Called with true while the first row is in sight. */
  readonly onTopChange?: ((isAtTop: boolean) => void) | undefined;
  /** Further keys on the row at the cursor; true when one was taken. */
  readonly onKey?: (key: string, row: Row) => boolean;
}

/** In pixels, by how many lines a row has. */
const ROW_HEIGHTS = { comfortable: { 1: 40, 2: 56 }, compact: { 1: 32, 2: 46 } } as const;
const END_MARGIN_ROWS = 20;
const OVERSCAN_ROWS = 4;

/**
 * A table that keeps only the rows in sight in the document, and is walked by keys: arrows or j and k, Home, End,
 * Enter. The focus stays on the table, so that it survives rows coming and going.
 */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { rows, openId } = props;
  const rowHeight = ROW_HEIGHTS[usePreferences().density][props.lines ?? 1];
  const scroller = useRef<HTMLDivElement>(null);
  const baseId = useId();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN_ROWS,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  const { shown, isTight, tracks, setResizing } = useShownColumns(props, scroller);
  useEffect(() => virtual.measure(), [rowHeight, virtual]);
  // The offset comes from the virtualizer: a read from the element would force a layout of the latest changes.
  useReports(props, (virtual.scrollOffset ?? 0) < rowHeight, last);
  const { activeIndex, onKeyDown, onPick } = useCursor(props, {
    scrollTo: (index) => virtual.scrollToIndex(index),
    countRowsInSight: () => Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight),
  });
  const isActiveShown = activeIndex >= first && activeIndex <= last;
  const toRow = (index: number, place: number): ReactNode => {
    const row = rows[index];
    if (row === undefined) return null;
    const id = props.idOf(row);
    return (
      <TableRow
        key={props.isRecycled === true ? place : id}
        id={`${baseId}${index}`}
        row={row}
        index={index}
        columns={shown}
        height={rowHeight}
        tracks={tracks}
        isOpen={id === openId}
        isActive={index === activeIndex}
        onPick={onPick}
      />
    );
  };
  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={props.label}
      aria-rowcount={props.total === -1 ? -1 : (props.total ?? rows.length) + 1}
      aria-colcount={shown.length}
      aria-activedescendant={isActiveShown ? `${baseId}${activeIndex}` : undefined}
      onKeyDown={onKeyDown}
      data-tight={isTight || undefined}
      className="group/grid scroll-thin relative min-h-60 flex-1 overflow-auto outline-offset-[-2px]"
    >
      {/* Where the columns need more than there is, the table scrolls sideways. */}
      <div style={{ minWidth: toMinWidth(shown, isTight) }}>
        <HeaderRow
          columns={shown}
          tracks={tracks}
          sort={props.sort}
          onSort={props.onSort}
          onResizing={setResizing}
          onWidth={props.onWidth}
          onMove={props.onMove}
        />
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          <div
            role="rowgroup"
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
          >
            {items.map(({ index }, place) => toRow(index, place))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The columns that are neither hidden nor too many for the width, and their tracks of a CSS grid. */
function useShownColumns<Row>(
  { columns, hidden, widths }: Pick<VirtualTableProps<Row>, 'columns' | 'hidden' | 'widths'>,
  scroller: RefObject<HTMLElement | null>,
) {
  const width = useWidth(scroller);
  /** The column whose edge is being dragged. */
  const [resizing, setResizing] = useState<ColumnWidth | null>(null);
  const fitting = useMemo(() => {
    const visible = columns.filter(({ id }) => hidden?.includes(id) !== true);
    const wide = withWidths(visible, { ...widths, ...(resizing !== null && { [resizing.id]: resizing.px }) });
    const fit = width === 0 ? { columns: wide, isTight: false } : fitColumns(wide, width);
    return { shown: fit.columns, isTight: fit.isTight, tracks: fit.columns.map((column) => column.width).join(' ') };
  }, [columns, hidden, widths, resizing, width]);
  return { ...fitting, setResizing };
}

/** Tells the caller when the first row comes into sight or leaves it, and when the end comes near. */
function useReports<Row>(
  { rows, onEndReached, onTopChange }: VirtualTableProps<Row>,
  isAtTop: boolean,
  last: number,
): void {
  useEffect(() => onTopChange?.(isAtTop), [isAtTop, onTopChange]);
  useEffect(() => {
    if (last >= rows.length - END_MARGIN_ROWS) onEndReached?.();
  }, [last, rows.length, onEndReached]);
}

interface CursorPlace {
  readonly scrollTo: (index: number) => void;
  readonly countRowsInSight: () => number;
}

/** The row at the cursor, and what keys and clicks do with rows. */
function useCursor<Row>(props: VirtualTableProps<Row>, { scrollTo, countRowsInSight }: CursorPlace) {
  const { rows, idOf, openId } = props;
  const [cursor, setCursor] = useState(0);
  const activeIndex = Math.min(cursor, rows.length - 1);
  useEffect(() => {
    if (openId === undefined) return;
    const index = rows.findIndex((row) => idOf(row) === openId);
    if (index >= 0) setCursor(index);
  }, [openId, rows, idOf]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[activeIndex];
    if (row === undefined) return;
    const next = moveCursor(event.key, activeIndex, rows.length, countRowsInSight() - 2);
    if (next !== null) {
      setCursor(next);
      scrollTo(next);
      const target = rows[next];
      if (openId !== undefined && target !== undefined) props.onOpen(target);
    } else if (event.key === 'Enter') (props.onEnter ?? props.onOpen)(row);
    else if (event.key === ' ') props.onOpen(row);
    else if (props.onKey?.(event.key, row) !== true) return;
    event.preventDefault();
    event.stopPropagation();
  };

  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  // The same for as long as the table is there, so that rows are drawn again only when they change.
  const onPick = useCallback((index: number): void => {
    const row = latest.current.rows[index];
    if (row === undefined) return;
    setCursor(index);
    latest.current.onOpen(row);
  }, []);
  return { activeIndex, onKeyDown, onPick };
}
