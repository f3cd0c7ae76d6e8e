const whole = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** `12,345`; a dash for what is not known. */
export const formatCount = (count: number | null | undefined): string => (count == null ? '—' : whole.format(count));

/** `12,345 tokens`; a dash for what is not known. */
export const formatTokens = (count: number | null | undefined): string =>
  count == null ? '—' : withUnits(`${whole.format(count)} tokens`);

/** `12.3K`. */
export const formatCompact = (count: number | null | undefined): string =>
  count == null ? '—' : compact.format(count);

/** Milliseconds as `420 ms`, `2.10 s`, `3 min 5 s` or `2 h 5 min`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms == null || !Number.isFinite(ms)) return '—';
  if (ms < 1000) return withUnits(`${Math.round(ms)} ms`);
  if (ms < 60_000) return withUnits(`${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`);
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withUnits(`${minutes} min ${seconds % 60} s`);
  return withUnits(`${Math.floor(minutes / 60)} h ${minutes % 60} min`);
}

/** Keeps numbers and their units on one line: a figure is read as a whole. */
const withUnits = (text: string): string => text.replaceAll(' ', '\u00a0');

/** `12.3 tokens/s`, `1,240 tokens/s`; a dash for what is not known. */
export const formatSpeed = (tokensPerSecond: number | null | undefined): string =>
  tokensPerSecond == null || !Number.isFinite(tokensPerSecond)
    ? '—'
    : withUnits(
        `${tokensPerSecond < 100 ? tokensPerSecond.toFixed(1) : whole.format(Math.round(tokensPerSecond))} tokens/s`,
      );

/** `99.5 %`. */
export const formatPercent = (percent: number): string => withUnits(`${percent.toFixed(1)} %`);

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return withUnits(`${bytes} B`);
  if (bytes < 1024 * 1024) return withUnits(`${(bytes / 1024).toFixed(1)} KB`);
  return withUnits(`${(bytes / 1024 / 1024).toFixed(1)} MB`);
}
