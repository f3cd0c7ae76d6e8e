import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { useIsDark } from '../shell/preferences.ts';
import { useIsSettled } from './use-is-settled.ts';

/** A series of a chart. `values` has one for each of the chart's times; null where there is none. */
export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A CSS variable: `--chart-1`. */
  readonly color: string;
}

interface ChartProps {
  /** Description of the chart for users who do not see it; the numbers belong in a table beside it. */
  readonly summary: string;
  /** The middle of each bar in Unix seconds, rising by equal steps. */
  readonly times: readonly number[];
  /** Each bar is a day of UTC. */
  readonly isDaily?: boolean;
  readonly series: readonly Series[];
  readonly height?: number;
  readonly formatValue: (value: number) => string;
  /** Called with a span of time that was dragged over, Unix seconds. */
  readonly onSelect?: ((from: number, to: number) => void) | undefined;
}

const days = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const localDays = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** Midnights are shown by their day. */
function formatTime(time: number, isDaily: boolean): string {
  if (isDaily) return days.format(time * 1000);
  const date = new Date(time * 1000);
  return date.getHours() === 0 && date.getMinutes() === 0 ? localDays.format(date) : clock.format(date);
}

/** Bars over time, stacked in the order of the series. */
export function Chart({ summary, times, series, isDaily = false, height = 180, formatValue, onSelect }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ formatValue, onSelect });
  useEffect(() => {
    latest.current = { formatValue, onSelect };
  });
  const isPageDark = useIsDark();
  // Drawing begins with a layout of the whole page; and without times there is nothing to draw.
  const isDrawn = useIsSettled() && times.length > 0;
  useEffect(() => {
    const element = host.current;
    if (element === null || !isDrawn) return;
    const plot = new uPlot(
      toOptions(element, { times, series, isDaily, height, ...latest.current }),
      toStack(times, series),
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
    // The colours are read from the theme when the chart is made.
  }, [isDrawn, times, series, isDaily, height, isPageDark]);
  return <div ref={host} role="img" aria-label={summary} className="w-full overflow-hidden" style={{ height }} />;
}

/** uPlot draws each series whole, so that the lower ones must come last and carry the sum of those below. */
function toStack(times: readonly number[], series: readonly Series[]): uPlot.AlignedData {
  const sums = times.map(() => 0);
  const stacked = series.map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at] ?? 0;
    }),
  );
  return [[...times], ...stacked.toReversed()];
}

function toOptions(
  element: HTMLElement,
  chart: Required<Pick<ChartProps, 'times' | 'series' | 'isDaily' | 'height'>> &
    Pick<ChartProps, 'formatValue' | 'onSelect'>,
): uPlot.Options {
  const { times, series, isDaily, height, formatValue, onSelect } = chart;
  const half = ((times[1] ?? 0) - (times[0] ?? 0)) / 2;
  const every = Math.ceil(times.length / Math.max(2, Math.floor(element.clientWidth / 80)));
  const style = getComputedStyle(element);
  const colorOf = (name: string): string => style.getPropertyValue(name).trim();
  const axis = { stroke: colorOf('--ink-faint'), font: '11px sans-serif', ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.7, 40], align: 0, radius: 0.15 });
  const drawn = series.toReversed().map(({ label, color }) => ({
    label,
    fill: colorOf(color),
    width: 0,
    points: { show: false },
    ...(bars === undefined ? {} : { paths: bars }),
  }));
  return {
    width: element.clientWidth,
    height,
    // A label is centred below its bar, and the last bar is at the edge.
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: onSelect !== undefined, setScale: false } },
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
        ...(isDaily && { splits: () => times.filter((_, at) => (times.length - 1 - at) % every === 0) }),
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
    series: [{}, ...drawn],
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width > 4) onSelect?.(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
        },
      ],
    },
  };
}
