import { type MouseEvent, type PointerEvent, useRef, useState } from 'react';

/** Where a column would be put down: before or after another. */
export interface DropPlace {
  readonly id: string;
  readonly side: 'before' | 'after';
}

interface HeaderDragOptions {
  /** Called while an edge is dragged, with the width in pixels so far; null once it has been taken over or given up. */
  readonly onResizing: (width: ColumnWidth | null) => void;
  /** Takes over a width; null goes back to the usual one. */
  readonly onWidth: ((id: string, px: number | null) => void) | undefined;
  readonly onMove: ((id: string, place: DropPlace) => void) | undefined;
}

export interface ColumnWidth {
  readonly id: string;
  readonly px: number;
}

interface Drag {
  readonly id: string;
  readonly isEdge: boolean;
  readonly startX: number;
  readonly startPx: number;
  hasMoved: boolean;
}

const LEAST_PX = 44;
/** A click that shakes is no drag. */
const THRESHOLD_PX = 6;
const EDGE_THRESHOLD_PX = 2;

/**
 * Lets the heads of a table be dragged: their edges for the width, the rest to another place. The heads are found by
 * `data-column`, the edges by `data-edge`. Pointer events, because buttons cannot be dragged natively everywhere.
 */
export function useHeaderDrag({ onResizing, onWidth, onMove }: HeaderDragOptions) {
  const drag = useRef<Drag | null>(null);
  const [place, setPlace] = useState<DropPlace | null>(null);
  const width = useRef<ColumnWidth | null>(null);

  const end = (): void => {
    drag.current = null;
    width.current = null;
    setPlace(null);
    onResizing(null);
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    const head = toHead(event.target);
    if (event.button !== 0 || head === null) return;
    const isEdge = isOnEdge(event.target);
    // A finger that moves over the heads scrolls the table.
    if (isEdge ? onWidth === undefined : onMove === undefined || event.pointerType === 'touch') return;
    const startPx = head.getBoundingClientRect().width;
    drag.current = { id: idOf(head), isEdge, startX: event.clientX, startPx, hasMoved: false };
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    const { current } = drag;
    if (current === null) return;
    const by = event.clientX - current.startX;
    if (!current.hasMoved && Math.abs(by) < (current.isEdge ? EDGE_THRESHOLD_PX : THRESHOLD_PX)) return;
    // Not before it moves: clicks and double clicks would go to the row instead of what was clicked.
    if (!current.hasMoved) event.currentTarget.setPointerCapture(event.pointerId);
    current.hasMoved = true;
    if (current.isEdge) {
      width.current = { id: current.id, px: Math.max(LEAST_PX, Math.round(current.startPx + by)) };
      onResizing(width.current);
    } else setPlace(findPlace(event.currentTarget, event.clientX, current.id));
  };
  const onPointerUp = (): void => {
    const { current } = drag;
    if (current?.hasMoved === true) {
      if (width.current !== null) onWidth?.(current.id, width.current.px);
      else if (place !== null) onMove?.(current.id, place);
    }
    end();
  };
  const onDoubleClick = (event: MouseEvent<HTMLElement>): void => {
    const head = toHead(event.target);
    if (head !== null && isOnEdge(event.target)) onWidth?.(idOf(head), null);
  };
  return { place, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: end, onDoubleClick } };
}

const toHead = (target: EventTarget): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null;

const isOnEdge = (target: EventTarget): boolean => target instanceof Element && target.closest('[data-edge]') !== null;

const idOf = (head: HTMLElement): string => head.dataset['column'] ?? '';

/** The side of the head under the pointer; null at the one that is dragged itself. */
function findPlace(row: HTMLElement, x: number, draggedId: string): DropPlace | null {
  for (const head of row.querySelectorAll<HTMLElement>('[data-column]')) {
    const { left, right } = head.getBoundingClientRect();
    if (x < left || x > right) continue;
    const id = idOf(head);
    return id === draggedId ? null : { id, side: x < (left + right) / 2 ? 'before' : 'after' };
  }
  return null;
}
