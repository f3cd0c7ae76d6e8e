import uPlot from 'uplot';

import type { Buckets, Series } from './chart-series.ts';

interface PlotLook {
  readonly buckets: Buckets;
  readonly series: readonly Series[];
  readonly height: number;
  readonly formatValue: (value: number) => string;
  /** Whether another series is brought out. */
  readonly isDimmed: (key: string) => boolean;
}

const DAY_MS = 86_400_000;
/** Of a series that steps back: the last two digits of its colour. */
const DIM = '30';

const days = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** Midnights are shown by their day. */
function formatTime(seconds: number, isDaily: boolean): string {
  const date = new Date(seconds * 1000);
  return isDaily || (date.getHours() === 0 && date.getMinutes() === 0) ? days.format(date) : clock.format(date);
}

/** The middle of each bucket, in Unix seconds. */
const middlesOf = ({ starts, ms }: Buckets): number[] => starts.map((start) => (start + ms / 2) / 1000);

const barsOf = (series: readonly Series[]): Series[] => series.filter(({ shape }) => shape === 'bar');
const linesOf = (series: readonly Series[]): Series[] => series.filter(({ shape }) => shape === 'line');

/** uPlot draws each series whole, so that the lower bars must come last and carry the sum of those below. */
export function toPlotData(buckets: Buckets, series: readonly Series[]): uPlot.AlignedData {
  const sums = buckets.starts.map(() => 0);
  const stacked = barsOf(series).map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at] ?? 0;
    }),
  );
  return [middlesOf(buckets), ...stacked.toReversed(), ...linesOf(series).map(({ values }) => [...values])];
}

export function toPlotOptions(element: HTMLElement, look: PlotLook): uPlot.Options {
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
