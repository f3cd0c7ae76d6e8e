import type { Platform } from '../platform.ts';

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
