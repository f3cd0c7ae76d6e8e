import type { Instance } from './instances.ts';

/** What became of one call. */
export interface Outcome {
  /** Index of the instance that was called. */
  readonly instance: number;
  readonly key: string;
  /** Of the generation; null where no response came. */
  readonly id: string | null;
  /** 0 where no whole response came. */
  readonly status: number;
  /** What went wrong, for people. */
  readonly text: string;
  /** Monotonic times of its begin and end. */
  readonly startedAt: number;
  readonly ms: number;
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

const CALL_LIMIT_MS = 30_000;

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

interface Call {
  readonly key: string;
  readonly model: string;
  readonly isStreamed: boolean;
}

/** Makes one call. Its status is 200 only when the whole response says that it has succeeded. */
export async function ask(url: string, { key, model, isStreamed }: Call): Promise<Omit<Outcome, 'instance' | 'key'>> {
  const startedAt = performance.now();
  const end = (id: string | null, status: number, text: string) => ({
    id,
    status,
    // What went wrong in a stream stands at its end.
    text: text.slice(-300),
    startedAt,
    ms: performance.now() - startedAt,
  });
  try {
    const response = await fetch(`${url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream: isStreamed, messages: [{ role: 'user', content: 'Hello' }] }),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    });
    const id = response.headers.get('x-generation-id');
    const text = await response.text();
    const isWhole = isStreamed ? text.trimEnd().endsWith('data: [DONE]') && !text.includes('"error"') : true;
    return end(id, response.ok && !isWhole ? 0 : response.status, response.ok && isWhole ? '' : text);
  } catch (error) {
    return end(null, 0, String((error as Error).cause ?? error));
  }
}
