import { useEffect, useEffectEvent, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { useIsDark } from '../../app/preferences.ts';
import { DAY_MS, isMidnight } from '../../format/days.ts';
import { timeFormats } from '../../format/time.ts';
import type { ChartLink } from './chart-link.ts';
import { type Buckets, type Series, toScale } from './chart-series.ts';

/** The place of the drawing within a chart, in CSS pixels: `left` and `right` are distances from its edges. */
export interface PlotArea {
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly top: number;
  readonly height: number;
}

interface PlotProps {
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly height: number;
  /** Writes a value beside the axis, whose labels are a step apart. */
  readonly formatValue: (value: number, step: number) => string;
  readonly link: ChartLink;
  readonly onArea: (area: PlotArea) => void;
}

/**
 * Draws bars and lines over time. It begins with a layout of the whole page, so callers give it times only once the page
 * has come to rest. Says nothing to assistive technology: what is around it does.
 */
export function Plot({ buckets, series, height, formatValue, link, onArea }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const formatLatest = useEffectEvent(formatValue);
  const tellArea = useEffectEvent((plot: uPlot): void => {
    const toCss = (size: number): number => size / devicePixelRatio;
    const { bbox } = plot;
    const [left, width] = [toCss(bbox.left), toCss(bbox.width)];
    const right = plot.width - left - width;
    onArea({ left, right, width, top: toCss(bbox.top), height: toCss(bbox.height) });
  });
  const isPageDark = useIsDark();
  const isDrawn = buckets.starts.length > 0;
  useEffect(() => {
    const element = host.current;
    if (element === null || !isDrawn) return;
    const options = toPlotOptions(element, {
      buckets,
      series,
      height,
      formatValue: (value, step) => formatLatest(value, step),
      isDimmed: (key) => ![null, key].includes(link.getState().highlighted),
    });
    const plot = new uPlot(
      { ...options, hooks: { draw: [...(options.hooks?.draw ?? []), (drawn) => tellArea(drawn)] } },
      toPlotData(buckets, series),
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    let { highlighted } = link.getState();
    const unsubscribe = link.subscribe(() => {
      if (link.getState().highlighted === highlighted) return;
      highlighted = link.getState().highlighted;
      plot.redraw(false);
    });
    return () => {
      unsubscribe();
      observer.disconnect();
      plot.destroy();
    };
    // The colours are read from the theme when the chart is made.
  }, [isDrawn, buckets, series, height, link, isPageDark]);
  return <div ref={host} aria-hidden="true" className="w-full overflow-hidden" style={{ height }} />;
}

/** Room for half a label of the axis of times. */
const HALF_LABEL_PX = 22;

/** Whether the label of a time would be cut off. */
function isAtEdge(plot: uPlot, time: number): boolean {
  const at = plot.valToPos(time, 'x');
  return at < HALF_LABEL_PX || at > plot.bbox.width / devicePixelRatio - HALF_LABEL_PX;
}

interface LabelColors {
  readonly ink: string;
  readonly ground: string;
}

/** Writes values on their lines, with a rim that keeps them readable on bars. */
function drawLabels(
  plot: uPlot,
  labels: readonly { readonly value: number; readonly text: string }[],
  { ink, ground }: LabelColors,
): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  ctx.lineJoin = 'round';
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.strokeStyle = ground;
  ctx.fillStyle = ink;
  for (const { value, text } of labels) {
    const y = plot.valToPos(value, 'y', true) - 2 * devicePixelRatio;
    if (value === 0 || text === '' || y < bbox.top + 11 * devicePixelRatio) continue;
    ctx.strokeText(text, bbox.left + 6 * devicePixelRatio, y);
    ctx.fillText(text, bbox.left + 6 * devicePixelRatio, y);
  }
  ctx.restore();
}

/** Marks values beyond the upper edge by an arrow there. */
function drawOutliers(plot: uPlot, { color, values }: Series, middles: readonly number[], high: number): void {
  const { ctx, bbox } = plot;
  const size = 4 * devicePixelRatio;
  ctx.save();
  ctx.fillStyle = color;
  for (const [at, value] of values.entries()) {
    if (value === null || value <= high) continue;
    const x = plot.valToPos(middles[at] ?? 0, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x + size, bbox.top + size * 1.5);
    ctx.lineTo(x - size, bbox.top + size * 1.5);
    ctx.fill();
  }
  ctx.restore();
}

interface PlotLook {
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly height: number;
  readonly formatValue: PlotProps['formatValue'];
  /** Whether another series is brought out. */
  readonly isDimmed: (key: string) => boolean;
}

/** The last two digits of the colour of a series that is not highlighted. */
const DIM = '30';

/** Midnights are shown by their day. */
function formatTime(seconds: number, isDaily: boolean): string {
  const ms = seconds * 1000;
  const { day, minute } = timeFormats();
  return isDaily || isMidnight(ms) ? day.format(ms) : minute.format(ms);
}

/** The middle of each bucket, in Unix seconds. */
const middlesOf = ({ starts, ms }: Buckets): number[] => starts.map((start) => (start + ms / 2) / 1000);

const barsOf = (series: readonly Series[]): Series[] => series.filter(({ shape }) => shape === 'bar');
const linesOf = (series: readonly Series[]): Series[] => series.filter(({ shape }) => shape === 'line');

/** uPlot draws each series whole, so that the lower bars must come last and carry the sum of those below. */
function toPlotData(buckets: Buckets, series: readonly Series[]): uPlot.AlignedData {
  const sums = buckets.starts.map(() => 0);
  const stacked = barsOf(series).map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at] ?? 0;
    }),
  );
  return [middlesOf(buckets), ...stacked.toReversed(), ...linesOf(series).map(({ values }) => [...values])];
}

function toPlotOptions(element: HTMLElement, look: PlotLook): uPlot.Options {
  const { buckets, series, height, formatValue, isDimmed } = look;
  const middles = middlesOf(buckets);
  const half = buckets.ms / 2000;
  const isDaily = buckets.ms >= DAY_MS;
  const every = Math.ceil(middles.length / Math.max(2, Math.floor(element.clientWidth / 90)));
  const style = getComputedStyle(element);
  const colorOf = (name: string): string => style.getPropertyValue(name).trim();
  const shade = ({ key, color }: Series) => {
    const shown = colorOf(color);
    return () => (isDimmed(key) ? shown + DIM : shown);
  };
  const axis = { stroke: colorOf('--ink-faint'), font: '11px sans-serif', ticks: { show: false } };
  const paths = uPlot.paths.bars?.({ size: [0.94, Number.POSITIVE_INFINITY, 1], align: 0, radius: 0.05 });
  const scale = toScale(series);
  const hasData = series.some(({ values }) => values.some((value) => value !== null && value !== 0));
  const labels: { value: number; text: string }[] = [];
  const bars = barsOf(series)
    .toReversed()
    .map((one) => ({ label: one.label, fill: shade(one), width: 0, points: { show: false }, ...(paths && { paths }) }));
  const lines = linesOf(series).map((one) => {
    const stroke = shade(one);
    // A line needs two ends; a value by itself is a point.
    const isAlone = (_: number | null, at: number): boolean =>
      one.values[at] != null && one.values[at - 1] == null && one.values[at + 1] == null;
    const alone = one.values.flatMap((value, at) => (isAlone(value, at) ? [at] : []));
    const dash = one.isDashed === true ? { dash: [5, 4] } : {};
    return {
      label: one.label,
      stroke,
      width: 1.5,
      // Over hours without a value nothing is drawn.
      spanGaps: false,
      ...dash,
      points: { show: true, size: 4, width: 0, fill: stroke, filter: () => alone },
    };
  });
  return {
    width: element.clientWidth,
    height,
    padding: [6, 0, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: true, range: (_plot, low, high) => [low - half, high + half] },
      y: { range: () => [scale.low, scale.high] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        grid: { show: false },
        space: 70,
        ...(isDaily && { splits: () => middles.filter((_, at) => (middles.length - 1 - at) % every === 0) }),
        values: (plot: uPlot, splits: number[]) =>
          splits.map((time) => (isAtEdge(plot, time) ? null : formatTime(time, isDaily))),
      },
      {
        ...axis,
        // Its labels are within the plot, which has the whole width.
        size: 0,
        space: 36,
        grid: { stroke: colorOf('--line'), width: 1 },
        values: (_plot, splits) => {
          const step = (splits[1] ?? 0) - (splits[0] ?? 0);
          const texts = hasData ? splits.map((value) => ({ value, text: formatValue(value, step) })) : [];
          labels.splice(0, labels.length, ...texts);
          return splits.map(() => null);
        },
      },
    ],
    series: [{}, ...bars, ...lines],
    hooks: {
      draw: [
        (plot) => {
          drawLabels(plot, labels, { ink: colorOf('--ink-faint'), ground: colorOf('--surface') });
          for (const one of linesOf(series)) drawOutliers(plot, { ...one, color: shade(one)() }, middles, scale.high);
        },
      ],
    },
  };
}
