import type { GenerationFilter } from '@model-gateway/core';

/** A part of a span of time that may have no beginning or no end. */
export interface Step {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The span of a filter in up to three steps, newest first: a plan for few partitions is made in a tenth of the time of one
 * for all.
 */
export function toSteps(
  { createdFromMs: fromMs, createdBeforeMs: toMs }: Pick<GenerationFilter, 'createdFromMs' | 'createdBeforeMs'>,
  newestMs: number,
): Step[] {
  const steps: Step[] = [];
  let end = toMs;
  for (const days of [1, 5]) {
    const startMs = Math.min(newestMs, toMs ?? newestMs) - days * DAY_MS;
    if (fromMs !== undefined && startMs <= fromMs) break;
    steps.push({ fromMs: startMs, toMs: end });
    end = startMs;
  }
  return [...steps, { fromMs, toMs: end }];
}
