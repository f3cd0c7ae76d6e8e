import { getLocale, perLocale } from '../messages/locale.ts';
import { isSameDay, isSameYear, zoneOffsetMs } from './days.ts';

/**
 * Formatters of moments. Clocks have 24 hours, in every language: a narrow column has no room for `10:42 PM`. All that
 * shows a time takes them from here, so that one screen does not differ from the next.
 */
export const timeFormats = perLocale(({ tag, zone }) => {
  const write = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(tag, { ...options, hourCycle: 'h23', ...(zone === 'utc' && { timeZone: 'UTC' }) });
  return {
    /** `22:42:03`. */
    clock: write({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    /** `22:42`. */
    minute: write({ hour: '2-digit', minute: '2-digit' }),
    /** `Nov 20`. */
    day: write({ month: 'short', day: 'numeric' }),
    /** `Fri, Nov 20`. */
    weekday: write({ weekday: 'short', month: 'short', day: 'numeric' }),
    /** `Fri, Nov 20, 2025`. */
    weekdayOfYear: write({ weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }),
    /** `Fri 20`. */
    shortWeekday: write({ weekday: 'short', day: 'numeric' }),
    /** `Nov 2025`. */
    month: write({ month: 'short', year: 'numeric' }),
    /** `Nov 20, 2025, 22:42:03 GMT+1`. */
    full: write({
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    }),
  };
});

const relative = perLocale(({ tag }) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }));

/** `22:42:03` today, `Nov 20 22:42` on other days. */
export function formatMoment(iso: string, now = new Date()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const { clock, day, minute } = timeFormats();
  if (isSameDay(date, now)) return clock.format(date);
  // On one line: a moment is read as a whole.
  return `${day.format(date)} ${minute.format(date)}`.replaceAll(/\s/g, '\u00a0');
}

/** `22:42` today, `Nov 20` on other days of this year, `Nov 2025` before. */
export function formatShortMoment(iso: string, now = new Date()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const { minute, day, month } = timeFormats();
  const format = isSameDay(date, now) ? minute : isSameYear(date, now) ? day : month;
  return format.format(date).replaceAll(/\s/g, '\u00a0');
}

/** To the second, with the zone: for tooltips and details. */
export function formatFull(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : timeFormats().full.format(date);
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
  if (step === undefined) return relative().format(Math.round(seconds / 31_536_000), 'year');
  return relative().format(Math.round(seconds / step[2]), step[1]);
}

/** The zone of this browser: `Europe/Berlin`. */
export const localZoneName = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A moment as a field for date and time has it, in the zone that times are shown in: `2026-03-01T10:00`; empty for none. */
export function toLocalMoment(iso: string | null): string {
  if (iso === null) return '';
  const ms = new Date(iso).getTime();
  return new Date(ms - zoneOffsetMs(ms)).toISOString().slice(0, 16);
}

/** The last moment that a field takes. Without it, browsers take years of six digits. */
export const LAST_LOCAL_MOMENT = '9999-12-31T23:59';

/** The same for the gateway; null for none. */
export function fromLocalMoment(local: string): string | null {
  if (local === '') return null;
  // Years of more digits are written with a sign, which fields leave out.
  const moment = local.replace(/^\d{5,6}(?=-)/, (year) => `+${year.padStart(6, '0')}`);
  return new Date(getLocale().zone === 'utc' ? `${moment}Z` : moment).toISOString();
}
