/** A span of time by its name, counted back from now. */
export interface Period {
  readonly label: string;
  /** In a row of others. */
  readonly short: string;
  /** How far back; null for the beginning of the day here. */
  readonly ms: number | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The one meaning of these words, in lists, in charts and in the head. */
export const PERIODS = {
  today: { label: 'Today', short: 'Today', ms: null },
  '1h': { label: 'Last hour', short: '1\u00a0h', ms: HOUR_MS },
  '24h': { label: 'Last 24 hours', short: '24\u00a0h', ms: DAY_MS },
  '7d': { label: 'Last 7 days', short: '7\u00a0d', ms: 7 * DAY_MS },
  '30d': { label: 'Last 30 days', short: '30\u00a0d', ms: 30 * DAY_MS },
} as const satisfies Readonly<Record<string, Period>>;
export type PeriodName = keyof typeof PERIODS;

export const isPeriod = (text: unknown): text is PeriodName => typeof text === 'string' && Object.hasOwn(PERIODS, text);

/** The beginning of a period at a moment. A day begins at midnight of the user's clock, where all times are shown. */
export function toPeriodStart(name: PeriodName, now: number): number {
  const { ms } = PERIODS[name];
  return ms === null ? new Date(now).setHours(0, 0, 0, 0) : now - ms;
}
