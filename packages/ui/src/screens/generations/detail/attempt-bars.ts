import type { Generation } from '@model-gateway/core/wire';

/** An attempt on the common scale of time, in percent of the whole. */
export interface AttemptBar {
  readonly start: number;
  /** Until the first chunk, or until it failed. */
  readonly waited: number;
  /** From there to the end of the completion; 0 for all but the last. */
  readonly streamed: number;
}

/** Lays attempts one after the other: the next begins when the one before has failed. */
export function toBars({
  provider_responses: attempts,
  generation_time: generationMs,
  latency,
}: Pick<Generation, 'provider_responses' | 'generation_time' | 'latency'>): {
  readonly bars: readonly AttemptBar[];
  readonly totalMs: number;
} {
  const waits = (attempts ?? []).map((attempt) => Math.max(0, attempt.latency ?? 0));
  const waited = waits.reduce((sum, ms) => sum + ms, 0);
  const streamedMs = Math.max(0, (generationMs ?? 0) - (latency ?? 0));
  const totalMs = Math.max(waited + streamedMs, 1);
  let elapsed = 0;
  const bars = waits.map((ms, at) => {
    const bar = {
      start: (elapsed / totalMs) * 100,
      // A sliver, so that an attempt that took no time can be seen.
      waited: Math.max((ms / totalMs) * 100, 0.5),
      streamed: at === waits.length - 1 ? (streamedMs / totalMs) * 100 : 0,
    };
    elapsed += ms;
    return bar;
  });
  return { bars, totalMs };
}
