import type { Series } from './chart-series.ts';

/** The colour of a series, in its form. */
export function Swatch({
  series: { color, shape, isDashed },
}: {
  series: Pick<Series, 'color' | 'shape' | 'isDashed'>;
}) {
  const ground =
    isDashed === true ? `repeating-linear-gradient(90deg, var(${color}) 0 4px, transparent 4px 6px)` : `var(${color})`;
  return (
    <span
      aria-hidden="true"
      className={`shrink-0 rounded forced-color-adjust-none ${shape === 'bar' ? 'size-2.5' : 'h-0.5 w-3'}`}
      style={{ background: ground }}
    />
  );
}
