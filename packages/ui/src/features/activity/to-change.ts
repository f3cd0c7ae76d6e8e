/** Words for a figure that has risen, for one that has fallen, and for one that is several times what it was. */
export interface ChangeWords {
  readonly rise: string;
  readonly fall: string;
  readonly times: string;
}

export interface Change {
  readonly direction: 'rise' | 'fall' | 'same';
  /** `12 % more`, or `3.5 times as much` where per cent would be hard to read. */
  readonly text: string;
}

/** Below this part of the figure before, it has not changed. */
const LEAST = 0.005;
const MANY_TIMES = 3;

/** How a figure differs from that of the span before; null where either is not known. */
export function toChange(now: number | null, before: number | null, { rise, fall, times }: ChangeWords): Change | null {
  if (now === null || before === null) return null;
  if (before === 0)
    return now === 0 ? { direction: 'same', text: 'as before' } : { direction: 'rise', text: 'none before' };
  const ratio = now / before;
  if (Math.abs(ratio - 1) < LEAST) return { direction: 'same', text: 'as before' };
  if (ratio >= MANY_TIMES) return { direction: 'rise', text: `${formatTimes(ratio)} times ${times}` };
  const percent = `${formatPercent(Math.abs(ratio - 1) * 100)}\u00a0%`;
  return ratio > 1
    ? { direction: 'rise', text: `${percent} ${rise}` }
    : { direction: 'fall', text: `${percent} ${fall}` };
}

const formatTimes = (ratio: number): string =>
  ratio < 10 ? ratio.toFixed(1) : Math.round(ratio).toLocaleString('en-US');
const formatPercent = (percent: number): string => percent.toFixed(percent < 1 ? 1 : 0);
