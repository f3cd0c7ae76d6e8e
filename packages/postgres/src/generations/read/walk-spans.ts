import { SlowQueryError } from './reader.ts';

/** A span of time, its end excluded. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Walk {
  readonly span: Span;
  /** For all of it, in milliseconds. */
  readonly budgetMs: number;
  readonly monotonicNow: () => number;
}

const MINUTE_MS = 60_000;
/** In whole milliseconds, as columns have them. */
const toStep = (ms: number): number => Math.max(MINUTE_MS, Math.floor(ms));
const FIRST_STEP_MS = 6 * 60 * MINUTE_MS;
/** No query ends in less. */
const LEAST_MS = 2;
/** A step that takes less makes the next one longer. */
const SHORT_MS = 60;
const LONG_MS = 250;
/** The part of the time that is left after which a step is stopped, so that there is some for a shorter one. */
const PATIENCE = 0.6;
/** The part of it which a step is to take, by the pace of the one before. */
const CAUTION = 0.5;

/**
 * Looks at a span in steps, newest first, for as long as the budget lasts; `look` returns whether that is enough.
 * Resolves with the beginning of what was looked at: that of the span where nothing is left out. A step whose query is
 * too slow is tried again as a shorter one.
 */
export async function walkSpans(
  { span, budgetMs, monotonicNow }: Walk,
  look: (part: Span, limitMs: number) => Promise<boolean>,
): Promise<number> {
  const until = monotonicNow() + budgetMs;
  let stepMs = FIRST_STEP_MS;
  let { toMs } = span;
  while (toMs > span.fromMs) {
    const startedAt = monotonicNow();
    const limitMs = (until - startedAt) * PATIENCE;
    if (limitMs < LEAST_MS) return toMs;
    const part = { fromMs: Math.max(span.fromMs, toMs - stepMs), toMs };
    try {
      const isEnough = await look(part, limitMs);
      toMs = part.fromMs;
      if (isEnough) return toMs;
    } catch (error) {
      if (!(error instanceof SlowQueryError)) throw error;
      if (stepMs <= MINUTE_MS) return toMs;
      stepMs = toStep(stepMs / 8);
      continue;
    }
    const endedAt = monotonicNow();
    const tookMs = endedAt - startedAt;
    // A step that is stopped has cost its time for nothing.
    const affordableMs = ((part.toMs - part.fromMs) / Math.max(1, tookMs)) * (until - endedAt) * CAUTION;
    if (tookMs < SHORT_MS) stepMs *= 4;
    else if (tookMs > LONG_MS) stepMs /= 2;
    stepMs = toStep(Math.min(stepMs, affordableMs));
  }
  return span.fromMs;
}
