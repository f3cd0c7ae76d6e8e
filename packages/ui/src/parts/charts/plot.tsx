import { useEffect, useEffectEvent, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { useIsDark } from '../../app/preferences.ts';
import type { ChartLink } from './chart-link.ts';
import type { Buckets, Series } from './chart-series.ts';
import { toPlotData, toPlotOptions } from './plot-options.ts';

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
