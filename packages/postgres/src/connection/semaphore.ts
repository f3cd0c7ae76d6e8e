/** Does work when it is its turn. Rejects where that does not come in time. */
type Semaphore = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Lets so much work be done at once; what comes meanwhile waits, in order, for at most `waitMs`. */
export function createSemaphore(atOnce: number, waitMs: number): Semaphore {
  let free = atOnce;
  const waiting = new Set<() => void>();

  const begin = (): Promise<void> | undefined => {
    if (free > 0) {
      free -= 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(start);
        reject(new Error(`timeout: ${atOnce} others were not done within ${waitMs} ms`));
      }, waitMs);
      waiting.add(start);
    });
  };
  const end = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  return async (work) => {
    await begin();
    try {
      return await work();
    } finally {
      end();
    }
  };
}
