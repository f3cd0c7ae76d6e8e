import type { Platform } from '../platform.ts';

/** Work that is done one piece after the other. */
export interface SerialQueue {
  /** Runs this after all earlier work, synchronously where there is none. The work must not reject. */
  run(work: () => Promise<void>): void;
}

/**
 * Creates the queue. Between two pieces, other work of the process can run. Where timers belong to requests nothing waits
 * for the work of others.
 */
export function createSerialQueue({
  setTimer,
  isPerRequest,
}: Pick<Platform, 'setTimer' | 'isPerRequest'>): SerialQueue {
  if (isPerRequest === true) return { run: (work) => void work() };
  const waiting: (() => Promise<void>)[] = [];
  let isBusy = false;
  const begin = (): void => {
    const work = waiting.shift();
    isBusy = work !== undefined;
    if (work !== undefined) void work().then(() => setTimer(begin, 0));
  };
  return {
    run(work) {
      waiting.push(work);
      if (!isBusy) begin();
    },
  };
}
