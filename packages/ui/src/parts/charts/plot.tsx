import { useEffect, useEffectEvent, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { useIsDark } from '../../app/preferences.ts';
import { DAY_MS, isMidnight } from '../../format/days.ts';
import { timeFormats } from '../../format/time.ts';
import type { ChartLink } from './chart-link.ts';
import type { Buckets, Series } from './chart-series.ts';

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
  readonly formatValue: (value: number) => string;
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
      formatValue: (value) => formatLatest(value),
      isDimmed: (key) => ![null, key].includes(link.getState().highlighted),
    });
    const plot = new uPlot(
      { ...options, hooks: { draw: [(drawn) => tellArea(drawn)] } },
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

interface PlotLook {
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly height: number;
  readonly formatValue: (value: number) => string;
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
  const paths = uPlot.paths.bars?.({ size: [0.7, 40], align: 0, radius: 0.15 });
  const bars = barsOf(series)
    .toReversed()
    .map((one) => ({ label: one.label, fill: shade(one), width: 0, points: { show: false }, ...(paths && { paths }) }));
  const lines = linesOf(series).map((one) => {
    const stroke = shade(one);
    const dash = one.isDashed === true ? { dash: [5, 4] } : {};
    const spanGaps = one.hasGaps !== true;
    return {
      label: one.label,
      stroke,
      width: 1.5,
      spanGaps,
      ...dash,
      points: { show: true, size: 5, width: 0, fill: stroke },
    };
  });
  return {
    width: element.clientWidth,
    height,
    // A label is centred below its bar, and the last bar is at the edge.
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: true, range: (_plot, low, high) => [low - half, high + half] },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        grid: { show: false },
        space: 70,
        ...(isDaily && { splits: () => middles.filter((_, at) => (middles.length - 1 - at) % every === 0) }),
        values: (_plot: uPlot, splits: number[]) => splits.map((time) => formatTime(time, isDaily)),
      },
      {
        ...axis,
        size: 64,
        space: 28,
        grid: { stroke: colorOf('--line'), width: 1 },
        values: (_plot, splits) => splits.map((value) => formatValue(value)),
      },
    ],
    series: [{}, ...bars, ...lines],
  };
}
