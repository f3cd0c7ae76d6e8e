import { createStore, type StoreApi } from 'zustand/vanilla';

import type { KindOutcome } from './kind-spec.ts';

/** One call of a kind, while it runs and afterwards. */
export interface KindRun<Draft, Result> {
  readonly id: number;
  readonly model: string;
  /** What was entered when it was sent. */
  readonly draft: Draft;
  readonly status: 'running' | 'done' | 'failed' | 'stopped';
  readonly outcome: KindOutcome<Result> | null;
  readonly error: unknown;
  readonly elapsedMs: number | null;
}

interface KindState<Draft, Result> {
  readonly draft: Draft;
  readonly model: string;
  /** The latest first. */
  readonly runs: readonly KindRun<Draft, Result>[];
}

/** What is entered and what has come, for as long as the page lives. */
export interface KindRuns<Draft, Result> extends StoreApi<KindState<Draft, Result>> {
  start(model: string, draft: Draft, send: (signal: AbortSignal) => Promise<KindOutcome<Result>>): Promise<void>;
  stop(): void;
}

/** Sounds and vectors are large: no more are held. */
const MAX_RUNS = 12;

export function createKindRuns<Draft, Result>(draft: Draft, now = () => performance.now()): KindRuns<Draft, Result> {
  const store = createStore<KindState<Draft, Result>>(() => ({ draft, model: '', runs: [] }));
  let count = 0;
  let abort: AbortController | undefined;
  return {
    ...store,
    stop: () => abort?.abort(),
    async start(model, sent, send) {
      abort?.abort();
      const own = new AbortController();
      abort = own;
      count += 1;
      const id = count;
      const begun: KindRun<Draft, Result> = {
        id,
        model,
        draft: sent,
        status: 'running',
        outcome: null,
        error: null,
        elapsedMs: null,
      };
      store.setState(({ runs }) => ({ runs: [begun, ...runs].slice(0, MAX_RUNS) }));
      const startedAt = now();
      const end = (change: Partial<KindRun<Draft, Result>>): void =>
        store.setState(({ runs }) => ({
          runs: runs.map((run) => (run.id === id ? { ...run, ...change, elapsedMs: now() - startedAt } : run)),
        }));
      try {
        end({ status: 'done', outcome: await send(own.signal) });
      } catch (error) {
        end(own.signal.aborted ? { status: 'stopped' } : { status: 'failed', error });
      }
    },
  };
}
