import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useEffectEvent, useState } from 'react';

import { panBy, toView, zoomAt } from './lay-out.ts';
import type { Timeline, Span } from './timeline.ts';

const WHEEL_FACTOR = 1.0015;
const KEY_FACTOR = 0.6;
const PAN_SHARE = 0.15;
/** A shorter drag is a click. */
const LEAST_DRAG_PX = 4;

export interface Zoom {
  readonly view: Span;
  readonly isZoomed: boolean;
  /** The span that is being dragged over, in pixels of the plot. */
  readonly dragged: { readonly fromPx: number; readonly toPx: number } | null;
  readonly nearer: () => void;
  readonly farther: () => void;
  readonly reset: () => void;
  readonly showAll: () => void;
  /** True when the key did something. */
  readonly onKey: (event: KeyboardEvent) => boolean;
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
  readonly onPointerCancel: () => void;
}

/**
 * Zooms by drag, wheel and keys. A plain wheel zooms over the axis alone: elsewhere it scrolls the page, and zooms with
 * Ctrl, as a pinch does.
 */
export function useZoom(
  { home, whole }: Timeline,
  plot: RefObject<HTMLElement | null>,
  axis: RefObject<HTMLElement | null>,
  widthPx: number,
): Zoom {
  const [chosen, setChosen] = useState<Span | null>(null);
  const [dragged, setDragged] = useState<Zoom['dragged']>(null);
  const view = chosen ?? home;
  const toMs = (px: number): number => view.fromMs + (px / Math.max(1, widthPx)) * (view.toMs - view.fromMs);
  const toPx = (event: { readonly clientX: number }): number => {
    const left = axis.current?.getBoundingClientRect().left ?? 0;
    return Math.min(Math.max(event.clientX - left, 0), widthPx);
  };
  const zoom = (factor: number, atMs = (view.fromMs + view.toMs) / 2): void =>
    setChosen(zoomAt(view, whole, factor, atMs));
  const pan = (share: number): void => setChosen(panBy(view, whole, share * (view.toMs - view.fromMs)));

  const onWheel = useEffectEvent((event: WheelEvent): void => {
    const isOverAxis = event.target instanceof Element && event.target.closest('[data-axis]') !== null;
    const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!isPan && !isOverAxis && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (isPan) pan(((event.deltaX || event.deltaY) / Math.max(1, widthPx)) * 2);
    else zoom(WHEEL_FACTOR ** event.deltaY, toMs(toPx(event)));
  });
  useEffect(() => {
    const element = plot.current;
    if (element === null) return;
    // React's own listener is passive, and could not keep the page from scrolling.
    const listen = (event: WheelEvent): void => onWheel(event);
    element.addEventListener('wheel', listen, { passive: false });
    return () => element.removeEventListener('wheel', listen);
  }, [plot]);

  const KEYS: Readonly<Record<string, () => void>> = {
    '+': () => zoom(KEY_FACTOR),
    '=': () => zoom(KEY_FACTOR),
    '-': () => zoom(1 / KEY_FACTOR),
    ArrowLeft: () => pan(-PAN_SHARE),
    ArrowRight: () => pan(PAN_SHARE),
    '0': () => setChosen(null),
  };
  return {
    view,
    isZoomed: chosen !== null && (chosen.fromMs !== home.fromMs || chosen.toMs !== home.toMs),
    dragged,
    nearer: () => zoom(KEY_FACTOR),
    farther: () => zoom(1 / KEY_FACTOR),
    reset: () => setChosen(null),
    showAll: () => setChosen(whole),
    onKey(event) {
      const run = KEYS[event.key];
      if (run === undefined || event.ctrlKey || event.metaKey || event.altKey) return false;
      run();
      return true;
    },
    onPointerDown(event) {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      const px = toPx(event);
      setDragged({ fromPx: px, toPx: px });
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event) {
      if (dragged !== null) setDragged({ ...dragged, toPx: toPx(event) });
    },
    onPointerUp(event) {
      if (dragged === null) return;
      setDragged(null);
      const px = toPx(event);
      if (Math.abs(px - dragged.fromPx) >= LEAST_DRAG_PX) setChosen(toView(whole, toMs(dragged.fromPx), toMs(px)));
    },
    onPointerCancel: () => setDragged(null),
  };
}
