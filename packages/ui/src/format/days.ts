import { createMessages, getLocale } from '../messages/locale.ts';

/*
 * Days, and the spans of time that have names. A day begins at midnight of the zone that times are shown in, so that
 * lists, charts and figures mean the same by "today".
 */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The last midnight, in Unix milliseconds. */
export function toDayStart(ms: number): number {
  return getLocale().zone === 'utc' ? Math.floor(ms / DAY_MS) * DAY_MS : new Date(ms).setHours(0, 0, 0, 0);
}

/** The next midnight, which is 23 or 25 hours after the last one on two days of a year. */
export function toDayEnd(ms: number): number {
  return getLocale().zone === 'utc' ? toDayStart(ms) + DAY_MS : new Date(ms).setHours(24, 0, 0, 0);
}

/** The same time of the clock on the day before. */
export const toDayBefore = (ms: number): number =>
  getLocale().zone === 'utc' ? ms - DAY_MS : new Date(ms).setDate(new Date(ms).getDate() - 1);

/** The last beginning of a month, in Unix milliseconds. */
export function toMonthStart(ms: number): number {
  const date = new Date(ms);
  return getLocale().zone === 'utc'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
    : new Date(date.getFullYear(), date.getMonth()).getTime();
}

/** How far a clock of the zone is behind UTC at a moment, in milliseconds; negative in the east. */
export const zoneOffsetMs = (ms: number): number =>
  getLocale().zone === 'utc' ? 0 : new Date(ms).getTimezoneOffset() * MINUTE_MS;

export const isMidnight = (ms: number): boolean => toDayStart(ms) === ms;

export const isSameDay = (one: Date, other: Date): boolean => toDayStart(one.getTime()) === toDayStart(other.getTime());

export const isSameYear = (one: Date, other: Date): boolean =>
  getLocale().zone === 'utc'
    ? one.getUTCFullYear() === other.getUTCFullYear()
    : one.getFullYear() === other.getFullYear();

/** How far back each period reaches; null for whole days. */
const PERIOD_MS = {
  today: null,
  yesterday: null,
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
} as const;

/** A span of time by its name, counted back from now. All of them end now, but for yesterday. */
export type PeriodName = keyof typeof PERIOD_MS;

export const PERIOD_NAMES = Object.keys(PERIOD_MS) as PeriodName[];

interface PeriodTexts {
  readonly label: string;
  /** In a row of others. */
  readonly short: string;
}

const periods = createMessages<Readonly<Record<PeriodName, PeriodTexts>>>(
  {
    today: { label: 'Today', short: 'Today' },
    yesterday: { label: 'Yesterday', short: 'Yesterday' },
    '1h': { label: 'Last hour', short: '1\u00a0h' },
    '24h': { label: 'Last 24 hours', short: '24\u00a0h' },
    '7d': { label: 'Last 7 days', short: '7\u00a0d' },
    '30d': { label: 'Last 30 days', short: '30\u00a0d' },
  },
  {
    de: {
      today: { label: 'Heute', short: 'Heute' },
      yesterday: { label: 'Gestern', short: 'Gestern' },
      '1h': { label: 'Letzte Stunde', short: '1\u00a0h' },
      '24h': { label: 'Letzte 24 Stunden', short: '24\u00a0h' },
      '7d': { label: 'Letzte 7 Tage', short: '7\u00a0T' },
      '30d': { label: 'Letzte 30 Tage', short: '30\u00a0T' },
    },
  },
);

/** The one meaning of these words, in lists, in charts and in the head. */
export const toPeriodTexts = (name: PeriodName): PeriodTexts => periods()[name];

export const isPeriod = (text: unknown): text is PeriodName =>
  typeof text === 'string' && Object.hasOwn(PERIOD_MS, text);

/** The beginning of a period at a moment, in Unix milliseconds. */
export function toPeriodStart(name: PeriodName, now: number): number {
  const ms = PERIOD_MS[name];
  if (ms !== null) return now - ms;
  const today = toDayStart(now);
  // A day before by the calendar: it may have had 23 or 25 hours.
  return name === 'today' ? today : toDayStart(today - 1);
}

/** The end of a period that is over, in Unix milliseconds; null for those that end now, whenever that is. */
export const toPeriodEnd = (name: PeriodName, now: number): number | null =>
  name === 'yesterday' ? toDayStart(now) : null;
