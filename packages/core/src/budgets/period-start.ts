/** How often what was spent counts from zero again; null for never. */
export type Period = 'daily' | 'weekly' | 'monthly' | null;

const DAY_MS = 24 * 60 * 60 * 1000;

/** First day of the period of `nowMs`, `YYYY-MM-DD` in UTC; weeks begin on Monday. Undefined without an end. */
export function periodStart(period: Period, nowMs: number): string | undefined {
  const now = new Date(nowMs);
  switch (period) {
    case 'daily':
      return dayOf(now);
    case 'weekly':
      return dayOf(new Date(nowMs - ((now.getUTCDay() + 6) % 7) * DAY_MS));
    case 'monthly':
      return `${dayOf(now).slice(0, 8)}01`;
    case null:
      return undefined;
  }
}

/** End of the period that contains `nowMs`, ISO 8601; null for a period without an end. */
export function periodEnd(period: Period, nowMs: number): string | null {
  const start = periodStart(period, nowMs);
  if (start === undefined) return null;
  const first = new Date(start);
  const end = new Date(first);
  if (period === 'monthly') end.setUTCMonth(first.getUTCMonth() + 1);
  else end.setUTCDate(first.getUTCDate() + (period === 'weekly' ? 7 : 1));
  return end.toISOString();
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
