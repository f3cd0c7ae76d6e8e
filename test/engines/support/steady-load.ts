import { ask, type Asked } from './ask.ts';
import type { Instance } from './instances.ts';

/** What became of one call of the load. */
export interface Outcome extends Asked {
  /** Index of the instance that was called. */
  readonly instance: number;
  readonly key: string;
}

export interface SteadyLoad {
  /** Every call that has ended. */
  readonly outcomes: readonly Outcome[];
  /** Begins no more calls, and resolves when all have ended. */
  stop(): Promise<void>;
}

export interface SteadyLoadOptions {
  readonly instances: readonly Instance[];
  /** Taken in turn. */
  readonly keys: readonly string[];
  readonly perSecond: number;
  readonly model: string;
}

/** Calls the instances in turn, so many times a second whether or not earlier calls have ended; half are streams. */
export function startSteadyLoad({ instances, keys, perSecond, model }: SteadyLoadOptions): SteadyLoad {
  const outcomes: Outcome[] = [];
  const open = new Set<Promise<void>>();
  let calls = 0;
  const startedAt = performance.now();
  const begin = (): void => {
    const number = calls;
    calls += 1;
    const instance = number % instances.length;
    const key = keys[Math.floor(number / instances.length) % keys.length] ?? '';
    const call = ask(instances[instance]?.url ?? '', { key, model, isStreamed: number % 2 === 0 })
      .then((outcome) => void outcomes.push({ instance, key, ...outcome }))
      .finally(() => open.delete(call));
    open.add(call);
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) * perSecond) / 1000;
    while (calls < due) begin();
  }, 5);
  return {
    outcomes,
    async stop() {
      clearInterval(timer);
      while (open.size > 0) await Promise.all(open);
    },
  };
}
