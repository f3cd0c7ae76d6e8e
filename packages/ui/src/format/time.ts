const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const minute = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
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

/** `10:42` today, `Nov 20` on other days of this year, `Nov 2025` before. */
export function formatShortMoment(iso: string, now = new Date()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const form =
    date.toDateString() === now.toDateString() ? minute : date.getFullYear() === now.getFullYear() ? day : month;
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
