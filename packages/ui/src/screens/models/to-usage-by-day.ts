import type { ActivityItem } from '@model-gateway/core/wire';

export interface UsageOfDay {
  /** `2026-03-01` */
  readonly date: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly usd: number;
}

const NOTHING = { requests: 0, promptTokens: 0, completionTokens: 0, usd: 0 };

/** Adds up a model's activity over its endpoints, newest day first; days without any are left out. */
export function toUsageByDay(
  items: readonly ActivityItem[],
  model: string,
): { readonly days: readonly UsageOfDay[]; readonly total: Omit<UsageOfDay, 'date'> } {
  const byDay = new Map<string, Omit<UsageOfDay, 'date'>>();
  let total: Omit<UsageOfDay, 'date'> = NOTHING;
  for (const item of items) {
    if (item.model !== model) continue;
    const date = item.date.slice(0, 10);
    byDay.set(date, add(byDay.get(date) ?? NOTHING, item));
    total = add(total, item);
  }
  const days = [...byDay].map(([date, usage]) => ({ date, ...usage }));
  return { days: days.toSorted((a, b) => b.date.localeCompare(a.date)), total };
}

const add = (sum: Omit<UsageOfDay, 'date'>, item: ActivityItem): Omit<UsageOfDay, 'date'> => ({
  requests: sum.requests + item.requests,
  promptTokens: sum.promptTokens + item.prompt_tokens,
  completionTokens: sum.completionTokens + item.completion_tokens,
  usd: sum.usd + item.usage,
});
