import type { Platform } from '../platform.ts';
import type { Awaitable } from './awaitable.ts';

/** Work that may pause after each step. A step must not take longer than some milliseconds. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** How long a piece of work may hold the event loop before others get their turn. */
const SLICE_MS = 10;

/** What pauses need. */
export type SlicingPlatform = Pick<Platform, 'monotonicNow' | 'nextTurn' | 'setTimer'>;

/** Does all steps without a pause. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Does the steps in slices of some 10 ms each, a turn of the event loop apart. The first slice is done at once, and
 * only work that takes longer is a promise. Throws, or rejects with, what a step throws.
 */
export function runInSlices<Result>(steps: Steps<Result>, platform: SlicingPlatform): Awaitable<Result> {
  const step = runSlice(steps, platform);
  return step.done === true ? step.value : runOtherSlices(steps, platform);
}

async function runOtherSlices<Result>(steps: Steps<Result>, platform: SlicingPlatform): Promise<Result> {
  for (;;) {
    await nextTurn(platform);
    const step = runSlice(steps, platform);
    if (step.done === true) return step.value;
  }
}

function runSlice<Result>(steps: Steps<Result>, platform: SlicingPlatform): IteratorResult<undefined, Result> {
  const startedAt = platform.monotonicNow();
  for (;;) {
    const step = steps.next();
    if (step.done === true || platform.monotonicNow() - startedAt >= SLICE_MS) return step;
  }
}

/** Lets everything else that waits for the event loop have its turn. */
export function nextTurn(platform: SlicingPlatform): Promise<void> {
  return platform.nextTurn?.() ?? new Promise((resolve) => void platform.setTimer(resolve, 0));
}
