import type { Forecast } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { may } from '../../api/session.ts';
import { formatUsd } from '../../format/money.ts';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { forecastMessages } from './messages.ts';

/** `of`: `account`, or `key:`, `member:`, `workspace:` or `model:` with an id. */
const forecastQuery = (of: string) =>
  queryOptions({
    queryKey: ['forecast', of],
    queryFn: async ({ signal }) =>
      (
        await callApi<{ data: Forecast }>(`/admin/v1/forecast?period=month&of=${encodeURIComponent(of)}`, {
          signal,
        })
      ).data,
  });

/** What a month has cost so far and will have cost at its end, drawn with its range; nothing for roles that see no sums. */
export function ForecastCard({ of }: { readonly of: string }) {
  return may('getForecast') ? <PermittedForecast of={of} /> : null;
}

function PermittedForecast({ of }: { readonly of: string }) {
  const t = forecastMessages();
  const query = useQuery(forecastQuery(of));
  return (
    <section className="card min-w-0 p-4" aria-label={t.title}>
      <h2 className="mb-3 flex min-h-8 items-center text-base font-semibold">{t.title}</h2>
      <Loaded what={t.what} query={query} data={query.data} isFlush>
        {(forecast) => <LoadedForecast forecast={forecast} />}
      </Loaded>
    </section>
  );
}

function LoadedForecast({ forecast }: { readonly forecast: Forecast }) {
  const t = forecastMessages();
  const { projected_usd: projected, low_usd: low, high_usd: high, spent_usd: spent } = forecast;
  if (projected === null || low === null || high === null) {
    return (
      <div className="text-sm">
        <p className="figures">
          {t.spent}: {formatUsd(spent)}
        </p>
        <p className="text-ink-faint">{t.unknown}</p>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p className="figures text-base font-medium">{t.expected(formatUsd(projected))}</p>
      <p className="figures text-ink-soft">
        {t.spent}: {formatUsd(spent)} · {t.range(formatUsd(low), formatUsd(high))}
      </p>
      <ForecastChart
        forecast={forecast}
        label={t.chart(formatUsd(spent), formatUsd(projected), formatUsd(low), formatUsd(high))}
      />
    </div>
  );
}

/** A moment of the month as a share of it, and what it has cost by then in USD. */
type Point = readonly [share: number, usd: number];

/** What is spent, up to now, and what is expected, from now on: sums at the ends of days. */
export function toForecastLines({ days, from, until }: Forecast, nowMs: number): Record<'known' | 'expected', Point[]> {
  const [begin, end] = [Date.parse(from), Date.parse(until)];
  const today = days.findIndex(({ date }) => date === new Date(nowMs).toISOString().slice(0, 10));
  const toEnd = (day: number): number => (day + 1) / days.length;
  const known: Point[] = [[0, 0]];
  let usd = 0;
  for (const [day, { spent_usd: spent }] of days.slice(0, today + 1).entries()) {
    usd += spent;
    known.push([day === today ? (nowMs - begin) / (end - begin) : toEnd(day), usd]);
  }
  const expected: Point[] = known.slice(-1);
  for (const [ahead, day] of days.slice(today).entries()) {
    usd += day.expected_usd ?? 0;
    expected.push([toEnd(today + ahead), usd]);
  }
  return { known, expected };
}

const WIDTH = 480;
const HEIGHT = 120;

function ForecastChart({ forecast, label }: { readonly forecast: Forecast; readonly label: string }) {
  const { known, expected } = toForecastLines(forecast, Date.now());
  const { low_usd: low, high_usd: high } = forecast;
  const highest = Math.max(high ?? 0, ...expected.map(([, usd]) => usd), Number.MIN_VALUE);
  const toText = (points: readonly Point[]): string =>
    points
      .map(
        ([share, usd]) => `${(share * WIDTH).toFixed(1)},${(HEIGHT - 1 - (usd / highest) * (HEIGHT - 4)).toFixed(1)}`,
      )
      .join(' ');
  return (
    <figure className="m-0">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-28 w-full text-accent"
      >
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--line-strong)" />
        <polygon
          points={toText([...expected.slice(0, 1), [1, high ?? 0], [1, low ?? 0]])}
          fill="currentColor"
          opacity={0.18}
        />
        <polyline
          points={toText(expected)}
          fill="none"
          stroke="currentColor"
          strokeWidth={2}
          strokeDasharray="5 4"
          vectorEffect="non-scaling-stroke"
        />
        <polyline
          points={toText(known)}
          fill="none"
          stroke="currentColor"
          strokeWidth={2}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <figcaption className="figures flex justify-between text-xs text-ink-faint">
        <span>{forecast.days[0]?.date}</span>
        <span>{forecast.days.at(-1)?.date}</span>
      </figcaption>
    </figure>
  );
}
