import type { ActivityItem } from '@model-gateway/core/wire';

import type { Series } from '../../parts/chart.tsx';

interface Spending {
  /** `2026-03-01`, rising. */
  readonly days: readonly string[];
  /** The same in Unix seconds. */
  readonly times: readonly number[];
  /** The models with the largest share, and all others together. */
  readonly series: readonly (Series & { readonly values: readonly number[] })[];
  readonly total: number;
}

const MAX_MODELS = 5;
const DAY_MS = 86_400_000;

/** Adds up activity by day and model; days without any are there with 0. */
export function toSpending(
  items: readonly ActivityItem[],
  { days: count, unit, today }: { readonly days: number; readonly unit: 'usage' | 'requests'; readonly today: Date },
): Spending {
  const days = Array.from({ length: count }, (_, at) =>
    new Date(today.getTime() - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
  const indexOf = new Map(days.map((day, at) => [day, at]));
  const byModel = new Map<string, number[]>();
  for (const item of items) {
    const at = indexOf.get(item.date.slice(0, 10));
    if (at === undefined) continue;
    const values = byModel.get(item.model) ?? days.map(() => 0);
    values[at] = (values[at] ?? 0) + item[unit];
    byModel.set(item.model, values);
  }
  const ranked = [...byModel].toSorted(([, a], [, b]) => sum(b) - sum(a));
  const shown = ranked
    .slice(0, MAX_MODELS)
    .map(([label, values], at) => ({ label, values, color: `--chart-${at + 1}` }));
  const others = ranked.slice(MAX_MODELS).map(([, values]) => values);
  const rest = days.map((_, at) => sum(others.map((values) => values[at] ?? 0)));
  return {
    days,
    times: days.map((day) => Date.parse(day) / 1000),
    series:
      others.length === 0 ? shown : [...shown, { label: `${others.length} others`, values: rest, color: '--chart-6' }],
    total: sum([...byModel.values()].map(sum)),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
