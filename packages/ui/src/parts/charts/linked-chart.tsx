import { useId, useState } from 'react';
import { useStore } from 'zustand';

import type { ChartLink } from './chart-link.ts';
import type { Buckets, Series, TimeSpan } from './chart-series.ts';
import { ChartTooltip } from './chart-tooltip.tsx';
import { describeBucket } from './describe-bucket.ts';
import { Plot, type PlotArea } from './plot.tsx';
import { useChartInput } from './use-chart-input.ts';

interface LinkedChartProps {
  /** What it shows, for people who do not see it; the numbers belong in a table beside it. */
  readonly label: string;
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly height?: number;
  readonly formatValue: (value: number) => string;
  /** For the axis, where it must be short. */
  readonly formatAxis?: (value: number) => string;
  /** Shared by the charts that show the same times. */
  readonly link: ChartLink;
  /** Called with a bucket that was clicked, or several that were dragged over; `isCloser` while Shift was held. */
  readonly onPick: (span: TimeSpan, isCloser: boolean) => void;
}

/** A chart over time that is read and used with the mouse and the keyboard, together with others of its group. */
export function LinkedChart(props: LinkedChartProps) {
  const { label, buckets, series, height = 180, formatValue, formatAxis = formatValue, link, onPick } = props;
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
        Left and right arrow keys read the values. Shift with them chooses a range. Enter lists those calls, Shift with
        Enter looks closer.
      </p>
      <p aria-live="polite" className="sr-only">
        {isByKey && index !== null && describeBucket({ buckets, series, index, anchor: pointer.anchor, formatValue })}
      </p>
    </div>
  );
}
