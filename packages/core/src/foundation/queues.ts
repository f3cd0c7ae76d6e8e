import type { Awaitable } from './awaitable.ts';
import type { Platform } from './platform.ts';

/** Does a piece of work once all earlier ones have ended, with success or without. */
export type InTurn = <Result>(work: () => Awaitable<Result>) => Promise<Result>;

/** Creates a queue of work that is done one after the other. */
export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

/** The same for work on things, by their ids: work on one waits for no other. */
export type InTurnOf = <Result>(id: string, work: () => Awaitable<Result>) => Promise<Result>;

/** Creates queues that are there while there is work in them. */
export function createTurnsOf(): InTurnOf {
  const queues = new Map<string, { readonly inTurn: InTurn; waiting: number }>();
  return async (id, work) => {
    const queue = queues.get(id) ?? { inTurn: createTurns(), waiting: 0 };
    queues.set(id, queue);
    queue.waiting += 1;
    try {
      return await queue.inTurn(work);
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(id);
    }
  };
}

/** Work that is begun in order, and of which only so much is under way at once. */
export interface BoundedQueue {
  /**
   * Runs this after all earlier work has begun: at once where there is room for its weight, and whatever it weighs when
   * nothing else is under way. The work must not reject.
   */
  run(work: () => Promise<void>, weight: number): void;
}

interface Waiting {
  readonly work: () => Promise<void>;
  readonly weight: number;
}

/**
 * Creates the queue; `capacity` is the weight of what may be under way at once. When a piece is done, other work of the
 * process can run before the next. Where timers belong to requests nothing waits for the work of others.
 */
export function createBoundedQueue(
  { setTimer, isPerRequest }: Pick<Platform, 'setTimer' | 'isPerRequest'>,
  capacity: number,
): BoundedQueue {
  if (isPerRequest === true) return { run: (work) => void work() };
  const waiting: Waiting[] = [];
  let underWay = 0;
  const begin = (): void => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const { work, weight } = next;
      if (underWay > 0 && underWay + weight > capacity) return;
      waiting.shift();
      underWay += weight;
      void work().then(() =>
        setTimer(() => {
          underWay -= weight;
          begin();
        }, 0),
      );
    }
  };
  return {
    run(work, weight) {
      waiting.push({ work, weight });
      begin();
    },
  };
}

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
 * only work that takes longer is a promise. Throws, or rejects with, what a step throws; rejects with `RangeError` when
 * the slices together take longer than `limitMs`.
 */
export function runInSlices<Result>(
  steps: Steps<Result>,
  platform: SlicingPlatform,
  limitMs = Number.POSITIVE_INFINITY,
): Awaitable<Result> {
  const step = runSlice(steps, platform);
  return step.done === true ? step.value : runOtherSlices(steps, platform, limitMs);
}

async function runOtherSlices<Result>(
  steps: Steps<Result>,
  platform: SlicingPlatform,
  limitMs: number,
): Promise<Result> {
  let tookMs = 0;
  while (tookMs < limitMs) {
    await nextTurn(platform);
    const startedAt = platform.monotonicNow();
    const step = runSlice(steps, platform);
    if (step.done === true) return step.value;
    tookMs += platform.monotonicNow() - startedAt;
  }
  throw new RangeError(`it takes longer than ${Math.round(limitMs)} ms`);
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
