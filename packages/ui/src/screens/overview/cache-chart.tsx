import type { CacheCausePart } from '@model-gateway/core/wire';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';

import { cacheMessages } from '../../features/generations/cost/cache-messages.ts';
import { formatUsd } from '../../format/money.ts';
import { createColorBook } from '../../parts/charts/assign-colors.ts';
import { createChartLink } from '../../parts/charts/chart-link.ts';
import type { Buckets, Series, TimeSpan } from '../../parts/charts/chart-series.ts';
import { LinkedChart } from '../../parts/charts/linked-chart.tsx';
import { Swatch } from '../../parts/charts/swatch.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { cacheSectionMessages } from './cache-messages.ts';

/** A cause has the same colour for as long as the page is open. */
const colors = createColorBook();
/** Stands for all apps; an app may be called anything, but not nothing. */
const ALL = '';
const NO_APP = ' ';

interface CacheChartProps {
  /** Parts of the span in which something was missed. */
  readonly timeline: readonly CacheCausePart[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
}

/** The money that misses cost over the span, by cause: of all apps, or of one. */
export function CacheChart({ timeline, fromMs, toMs, bucketMs }: CacheChartProps) {
  const t = cacheSectionMessages();
  const navigate = useNavigate();
  const [link] = useState(createChartLink);
  const [app, setApp] = useState(ALL);
  const apps = useMemo(() => [...new Set(timeline.map(keyOf))].toSorted(), [timeline]);
  const buckets = useMemo((): Buckets => toBuckets({ fromMs, toMs, bucketMs }), [fromMs, toMs, bucketMs]);
  const chosen = apps.includes(app) ? app : ALL;
  const series = useMemo(
    () =>
      toSeries(
        timeline.filter((part) => chosen === ALL || keyOf(part) === chosen),
        buckets,
      ),
    [timeline, buckets, chosen],
  );
  const open = ({ fromMs: from, toMs: to }: TimeSpan): void =>
    void navigate({
      to: '/generations',
      search: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    });
  return (
    <div className="min-w-0">
      <div className="mb-1 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="flex-1 text-sm font-semibold">{t.overTime}</h3>
        {apps.length > 1 && (
          <Select
            aria-label={t.app}
            value={chosen}
            options={[
              [ALL, t.allApps],
              ...apps.map((one) => [one, one === NO_APP ? t.noApp : showControls(one)] as const),
            ]}
            onChange={setApp}
          />
        )}
      </div>
      <LinkedChart
        label={t.overTime}
        buckets={buckets}
        series={series}
        height={HEIGHT_PX}
        formatValue={formatUsd}
        link={link}
        onPick={open}
      />
      <ul className="flex flex-wrap gap-x-4 gap-y-1 pt-1 text-xs text-ink-soft">
        {series.map((one) => (
          <li
            key={one.key}
            className="inline-flex items-center gap-1.5"
            onPointerEnter={() => link.set({ highlighted: series.length > 1 ? one.key : null })}
            onPointerLeave={() => link.set({ highlighted: null })}
          >
            <Swatch series={one} />
            {one.label}
          </li>
        ))}
      </ul>
    </div>
  );
}

const HEIGHT_PX = 180;

const keyOf = ({ app }: CacheCausePart): string => app ?? NO_APP;

function toBuckets({ fromMs, toMs, bucketMs }: Pick<CacheChartProps, 'fromMs' | 'toMs' | 'bucketMs'>): Buckets {
  const count = Math.max(1, Math.ceil((toMs - fromMs) / bucketMs));
  return { starts: Array.from({ length: count }, (_, at) => fromMs + at * bucketMs), ms: bucketMs };
}

/** A series for each cause, the dearest at the bottom. */
function toSeries(parts: readonly CacheCausePart[], { starts }: Buckets): Series[] {
  const { causes } = cacheMessages();
  const places = new Map(starts.map((start, at) => [start, at]));
  const sums = new Map<CacheCausePart['cause'], number[]>();
  for (const { start, cause, would_have_saved: usd } of parts) {
    const values = sums.get(cause) ?? starts.map(() => 0);
    sums.set(cause, values);
    const at = places.get(Date.parse(start));
    if (at !== undefined) values[at] = (values[at] ?? 0) + usd;
  }
  const byName = colors.colorsOf([...sums.keys()]);
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  return [...sums]
    .toSorted(([, one], [, other]) => total(other) - total(one))
    .map(([cause, values]) => ({
      key: cause,
      label: causes[cause],
      values,
      color: byName.get(cause) ?? '',
      shape: 'bar',
    }));
}
