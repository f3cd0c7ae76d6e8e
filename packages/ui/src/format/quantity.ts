const whole = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** `12,345`; a dash for what is not known. */
export const formatCount = (count: number | null | undefined): string => (count == null ? '—' : whole.format(count));

/** `12.3K`. */
export const formatCompact = (count: number | null | undefined): string =>
  count == null ? '—' : compact.format(count);

/** Milliseconds as `420 ms`, `2.1 s` or `3 min 5 s`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms == null || !Number.isFinite(ms)) return '—';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `12.3 tokens/s`, `240 tokens/s`; a dash for what is not known. */
export const formatSpeed = (tokensPerSecond: number | null | undefined): string =>
  tokensPerSecond == null || !Number.isFinite(tokensPerSecond)
    ? '—'
    : `${tokensPerSecond.toFixed(tokensPerSecond < 100 ? 1 : 0)} tokens/s`;

/** `99.5 %`. */
export const formatPercent = (percent: number): string => `${percent.toFixed(1)} %`;

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
