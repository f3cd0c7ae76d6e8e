import { createMessages, perLocale } from '../messages/locale.ts';

const numbers = perLocale(({ tag }) => {
  const write = (options?: Intl.NumberFormatOptions): Intl.NumberFormat => new Intl.NumberFormat(tag, options);
  return {
    whole: write(),
    // German writes thousands in full: with their point, as everywhere else.
    compact: write({ notation: 'compact', maximumFractionDigits: 1, useGrouping: 'always' }),
    short: write({ maximumFractionDigits: 2 }),
    tenths: write({ minimumFractionDigits: 1, maximumFractionDigits: 1 }),
    hundredths: write({ minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  };
});

const words = createMessages(
  { tokens: 'tokens', speed: 'tokens/s', day: 'd' },
  { de: { tokens: 'Token', speed: 'Token/s', day: 'T' } },
);

/** `12,345`; a dash for what is not known. */
export const formatCount = (count: number | null | undefined): string =>
  count == null ? '—' : numbers().whole.format(count);

/** `12,345 tokens`; a dash for what is not known. */
export const formatTokens = (count: number | null | undefined): string =>
  count == null ? '—' : withUnits(`${numbers().whole.format(count)} ${words().tokens}`);

/** `12.3K`. */
export const formatCompact = (count: number | null | undefined): string =>
  count == null ? '—' : numbers().compact.format(count);

/** Milliseconds as `420 ms`, `2.10 s`, `3 min 5 s`, `2 h 5 min` or, from two days on, `17 d 16 h`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms == null || !Number.isFinite(ms)) return '—';
  // Each unit ends where its figure would be rounded up to the next: at 999.5 ms, 9.995 s, 59.95 s.
  if (ms < 999.5) return withUnits(`${Math.round(ms)} ms`);
  if (ms < 59_950) return withUnits(`${numbers()[ms < 9995 ? 'hundredths' : 'tenths'].format(ms / 1000)} s`);
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withUnits(`${minutes} min ${seconds % 60} s`);
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return withUnits(`${hours} h ${minutes % 60} min`);
  return withUnits(`${Math.floor(hours / 24)} ${words().day} ${hours % 24} h`);
}

/** A time beside an axis, without digits that say nothing: `500 ms`, `1 s`, `1.5 s`, `1 min`, `1 min 30 s`. */
export function formatTick(ms: number): string {
  if (ms < 1000 && ms > 0) return formatDuration(ms);
  if (ms < 60_000) return withUnits(`${numbers().short.format(ms / 1000)} s`);
  return ms % 60_000 === 0 && ms < 3_600_000 ? withUnits(`${ms / 60_000} min`) : formatDuration(ms);
}

/** Keeps numbers and their units on one line: a figure is read as a whole. */
const withUnits = (text: string): string => text.replaceAll(' ', '\u00a0');

/** `12.3 tokens/s`, `240 tokens/s`, `124.3K tokens/s`; a dash for what is not known. */
export const formatSpeed = (tokensPerSecond: number | null | undefined): string =>
  tokensPerSecond == null || !Number.isFinite(tokensPerSecond)
    ? '—'
    : withUnits(`${toSpeedFigure(tokensPerSecond)} ${words().speed}`);

function toSpeedFigure(speed: number): string {
  const { tenths, whole, compact } = numbers();
  if (speed < 100) return tenths.format(speed);
  return speed < 10_000 ? whole.format(Math.round(speed)) : compact.format(speed);
}

/** `99.5 %`. */
export const formatPercent = (percent: number): string => withUnits(`${numbers().tenths.format(percent)} %`);

/** `12 B`, `2.0 KB`, `3.3 MB`, `1.5 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return withUnits(`${bytes} B`);
  const write = (count: number, unit: string): string => withUnits(`${numbers().tenths.format(count)} ${unit}`);
  // 1023.95 would be written as 1024.0.
  const kilobytes = bytes / 1024;
  if (kilobytes < 1023.95) return write(kilobytes, 'KB');
  const megabytes = kilobytes / 1024;
  return megabytes < 1023.95 ? write(megabytes, 'MB') : write(megabytes / 1024, 'GB');
}
