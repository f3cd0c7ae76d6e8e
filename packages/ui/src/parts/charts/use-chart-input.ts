import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';

import type { ChartLink } from './chart-link.ts';
import { bucketAt, type Buckets, readBucket, type Series, spanOf, type TimeSpan } from './chart-series.ts';

interface ChartInput {
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly link: ChartLink;
  readonly onPick: (span: TimeSpan, isCloser: boolean) => void;
}

/** Moves the pointer of a group of charts by mouse, finger and keyboard, and picks what it is at. */
export function useChartInput({ buckets, series, link, onPick }: ChartInput) {
  /** The bucket where a drag has begun. */
  const pressed = useRef<number | null>(null);
  const [isByKey, setIsByKey] = useState(false);
  const last = buckets.starts.length - 1;
  const leave = (): void => {
    pressed.current = null;
    link.set({ index: null, anchor: null });
  };
  const pick = (isCloser: boolean): void => {
    const { index, anchor } = link.getState();
    if (index === null || index > last) return;
    leave();
    onPick(spanOf(buckets, index, anchor ?? index), isCloser);
  };
  const placeOf = ({ currentTarget, clientX }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return bucketAt(buckets, (clientX - left) / width);
  };
  const follow = (event: PointerEvent): void => {
    setIsByKey(false);
    link.set({ index: placeOf(event), anchor: pressed.current });
  };
  const step = (event: KeyboardEvent, to: number): void => {
    event.preventDefault();
    const { index, anchor } = link.getState();
    setIsByKey(true);
    link.set({ index: Math.min(last, Math.max(0, to)), anchor: event.shiftKey ? (anchor ?? index) : null });
  };
  /** The last bucket that has something to read. */
  const start = (): number => {
    const found = buckets.starts.findLastIndex((_, at) => readBucket(series, at).values.length > 0);
    return found === -1 ? last : found;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { index } = link.getState();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowLeft') step(event, index === null ? start() : index - 1);
    else if (event.key === 'ArrowRight') step(event, index === null ? start() : index + 1);
    else if (event.key === 'Home') step(event, 0);
    else if (event.key === 'End') step(event, last);
    else if (event.key === 'Escape' && index !== null) {
      event.preventDefault();
      leave();
    } else if (event.key === 'Enter' && index !== null) {
      event.preventDefault();
      pick(event.shiftKey);
    }
  };
  const handlers = {
    onPointerMove: follow,
    onPointerDown(event: PointerEvent<HTMLElement>): void {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      pressed.current = placeOf(event);
      follow(event);
    },
    onPointerUp(event: PointerEvent): void {
      if (pressed.current === null) return;
      follow(event);
      pick(event.shiftKey);
    },
    onPointerCancel: leave,
    onPointerLeave(): void {
      if (pressed.current === null) leave();
    },
    onKeyDown,
    onBlur: leave,
  };
  return { handlers, isByKey };
}
