import type { Platform } from '../platform.ts';

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

/** Does the steps in slices of some 10 ms each, a turn of the event loop apart. Rejects with what a step throws. */
export async function runInSlices<Result>(steps: Steps<Result>, platform: SlicingPlatform): Promise<Result> {
  let startedAt = platform.monotonicNow();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (platform.monotonicNow() - startedAt < SLICE_MS) continue;
    await nextTurn(platform);
    startedAt = platform.monotonicNow();
  }
}

/** Lets everything else that waits for the event loop have its turn. */
function nextTurn(platform: SlicingPlatform): Promise<void> {
  return platform.nextTurn?.() ?? new Promise((resolve) => void platform.setTimer(resolve, 0));
}
