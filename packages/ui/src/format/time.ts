const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const minute = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const shortClock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `10:42:03` today, `Nov 20 10:42` on other days. */
export function formatMoment(iso: string, now = new Date()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  if (date.toDateString() === now.toDateString()) return clock.format(date);
  // On one line: a moment is read as a whole.
  return `${day.format(date)} ${minute.format(date)}`.replaceAll(/\s/g, '\u00a0');
}

/**
 * `22:42` today, `Nov 20` on other days of this year, `Nov 2025` before. The clock has 24 hours, as in charts: a narrow
 * column has no room for `10:42 PM`.
 */
export function formatShortMoment(iso: string, now = new Date()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const form =
    date.toDateString() === now.toDateString() ? shortClock : date.getFullYear() === now.getFullYear() ? day : month;
  return form.format(date).replaceAll(/\s/g, '\u00a0');
}

/** In the local zone, for tooltips and details. */
export function formatFull(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : full.format(date);
}

const STEPS = [
  [60, 'second', 1],
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [2_592_000, 'day', 86_400],
  [31_536_000, 'month', 2_592_000],
] as const;

/** `5 minutes ago`, `in 3 days`. */
export function formatRelative(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  if (Number.isNaN(seconds)) return iso;
  const step = STEPS.find(([below]) => Math.abs(seconds) < below);
  if (step === undefined) return relative.format(Math.round(seconds / 31_536_000), 'year');
  return relative.format(Math.round(seconds / step[2]), step[1]);
}

/** A span of time by its name, counted back from now. */
export interface Period {
  readonly label: string;
  /** In a row of others. */
  readonly short: string;
  /** How far back; null for the beginning of the day here. */
  readonly ms: number | null;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

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
