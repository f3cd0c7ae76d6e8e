import { readBucket, spanOf } from './chart-series.ts';
import { type BucketReading, formatSpan } from './describe-bucket.ts';
import type { PlotArea } from './plot.tsx';
import { Swatch } from './swatch.tsx';

/** Rows of a tooltip; the least are added up. */
const MAX_ROWS = 6;

/** The values at a place, beside it. For the eye alone: a live region tells the same. */
export function ChartTooltip({
  buckets,
  series,
  index,
  anchor,
  formatValue,
  area,
}: BucketReading & { readonly area: PlotArea }) {
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
              <span>In all</span> {formatValue(sum)}
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
              {left.length} more
              {hasSum && `, ${formatValue(left.reduce((total, { value }) => total + value, 0))}`}
            </div>
          )}
          {values.length === 0 && <div>nothing</div>}
        </>
      )}
    </div>
  );
}
