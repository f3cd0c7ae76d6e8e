import { type KeyboardEvent, type PointerEvent, useId, useRef, useState } from 'react';
import { useStore } from 'zustand';

import type { ChartLink } from './chart-link.ts';
import {
  bucketAt,
  type BucketReading,
  type Buckets,
  describeBucket,
  formatSpan,
  readBucket,
  type Series,
  spanOf,
  type TimeSpan,
} from './chart-series.ts';
import { chartsMessages } from './messages.ts';
import { Plot, type PlotArea } from './plot.tsx';
import { Swatch } from './swatch.tsx';

interface LinkedChartProps {
  /** What it shows, for people who do not see it; the numbers belong in a table beside it. */
  readonly label: string;
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly height?: number;
  readonly formatValue: (value: number) => string;
  /** For the axis, where it must be short. */
  readonly formatAxis?: (value: number, step: number) => string;
  /** Shared by the charts that show the same times. */
  readonly link: ChartLink;
  /** Called with a bucket that was clicked, or several that were dragged over; `isCloser` while Shift was held. */
  readonly onPick: (span: TimeSpan, isCloser: boolean) => void;
}

/** A chart over time that is read and used with the mouse and the keyboard, together with others of its group. */
export function LinkedChart(props: LinkedChartProps) {
  const { label, buckets, series, height = 180, formatValue, formatAxis = formatValue, link, onPick } = props;
  const t = chartsMessages();
  const hintId = useId();
  const [area, setArea] = useState<PlotArea>({ left: 0, right: 0, top: 0, width: 0, height: 0 });
  const pointer = useStore(link);
  const { handlers, isByKey } = useChartInput({ buckets, series, link, onPick });
  const count = buckets.starts.length;
  const index = pointer.index === null || pointer.index >= count ? null : pointer.index;
  const anchor = pointer.anchor ?? index;
  const first = Math.min(index ?? 0, anchor ?? 0);
  const last = Math.max(index ?? 0, anchor ?? 0);
  const takeArea = (next: PlotArea): void =>
    setArea((before) =>
      before.left === next.left && before.width === next.width && before.height === next.height ? before : next,
    );
  return (
    <div className="relative" style={{ height }}>
      <Plot buckets={buckets} series={series} height={height} formatValue={formatAxis} link={link} onArea={takeArea} />
      <div
        role="application"
        tabIndex={0}
        aria-label={label}
        aria-describedby={hintId}
        className="absolute cursor-crosshair touch-pan-y select-none"
        // By its distances from the edges: with the width of the drawing it would, for a moment, stand out of a chart
        // that has become narrower.
        style={{ left: area.left, right: area.right, top: area.top, height: area.height }}
        {...handlers}
      >
        {index !== null && (
          <div
            data-part="band"
            className={`pointer-events-none absolute inset-y-0 forced-color-adjust-none ${first === last ? 'bg-ink/10' : 'border-x border-accent bg-accent/20'}`}
            style={{ left: `${(first / count) * 100}%`, width: `${((last - first + 1) / count) * 100}%` }}
          />
        )}
      </div>
      {index !== null && area.width > 0 && (
        <ChartTooltip
          buckets={buckets}
          series={series}
          index={index}
          anchor={pointer.anchor}
          formatValue={formatValue}
          area={area}
        />
      )}
      <p id={hintId} hidden>
        {t.keys}
      </p>
      <p aria-live="polite" className="sr-only">
        {isByKey && index !== null && describeBucket({ buckets, series, index, anchor: pointer.anchor, formatValue })}
      </p>
    </div>
  );
}

/** Rows of a tooltip; the least are added up. */
const MAX_ROWS = 6;

/** The values at a place, beside it. For the eye alone: a live region tells the same. */
function ChartTooltip({
  buckets,
  series,
  index,
  anchor,
  formatValue,
  area,
}: BucketReading & { readonly area: PlotArea }) {
  const t = chartsMessages();
  const { values, sum } = readBucket(series, index);
  const shown = values.length > MAX_ROWS ? values.slice(0, MAX_ROWS - 1) : values;
  const left = values.slice(shown.length);
  const isRight = index >= buckets.starts.length / 2;
  const step = area.width / buckets.starts.length;
  const side = isRight
    ? { right: `calc(100% - ${area.left + index * step - 6}px)` }
    : { left: `${area.left + (index + 1) * step + 6}px` };
  const hasSum = sum !== null && series.filter(({ shape }) => shape === 'bar').length > 1;
  return (
    <div
      aria-hidden="true"
      data-part="tooltip"
      className="figures pointer-events-none absolute top-1 z-10 max-w-64 min-w-32 rounded-md border border-line-strong/60 bg-surface px-2 py-1.5 text-xs shadow-md"
      style={side}
    >
      <div className="text-ink-faint">{formatSpan(spanOf(buckets, index, anchor ?? index))}</div>
      {(anchor === null || anchor === index) && (
        <>
          {hasSum && (
            <div className="flex justify-between gap-3 font-medium">
              <span>{t.total}</span> {formatValue(sum)}
            </div>
          )}
          {shown.map(({ series: one, value }) => (
            <div key={one.key} className="flex items-center gap-1.5">
              <Swatch series={one} />
              <span className="min-w-0 flex-1 truncate">{one.label}</span>
              <span className="pl-2">{formatValue(value)}</span>
            </div>
          ))}
          {left.length > 0 && (
            <div className="text-ink-faint">
              {t.more(left.length)}
              {hasSum && `, ${formatValue(left.reduce((total, { value }) => total + value, 0))}`}
            </div>
          )}
          {values.length === 0 && <div>{t.nothing}</div>}
          <div className="mt-1 border-t border-line pt-1 text-2xs text-ink-faint">{t.mouse}</div>
        </>
      )}
    </div>
  );
}

interface ChartInput {
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly link: ChartLink;
  readonly onPick: (span: TimeSpan, isCloser: boolean) => void;
}

/** Moves the pointer of a group of charts by mouse, finger and keyboard, and picks what it is at. */
function useChartInput({ buckets, series, link, onPick }: ChartInput) {
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
