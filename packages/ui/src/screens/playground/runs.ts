import { createStore, type StoreApi } from 'zustand/vanilla';

import type { Run } from '../../features/playground/create-run.ts';

/** The runs of the columns of an experiment. Its state are the columns whose run is under way. */
export interface Runs extends Omit<StoreApi<ReadonlySet<string>>, 'setState'> {
  of(columnId: string): Run;
  isRunning(): boolean;
  /** Stops all, and resolves when what `track` was given has ended. */
  stopAll(): Promise<void>;
  /** Remembers work that follows the end of a run. */
  track(work: Promise<void>): void;
}

/** Creates a place for the run of each column, which is made when it is first asked for. */
export function createRuns(newRun: () => Run): Runs {
  const runs = new Map<string, Run>();
  const { setState, ...store } = createStore<ReadonlySet<string>>(() => new Set());
  const works = new Set<Promise<void>>();
  const note = (columnId: string, run: Run): void => {
    const before = store.getState();
    if (isUnderWay(run) === before.has(columnId)) return;
    const others = [...before].filter((other) => other !== columnId);
    setState(new Set(isUnderWay(run) ? [...others, columnId] : others), true);
  };
  return {
    ...store,
    of(columnId) {
      const known = runs.get(columnId);
      if (known !== undefined) return known;
      const run = newRun();
      run.subscribe(() => note(columnId, run));
      runs.set(columnId, run);
      return run;
    },
    isRunning: () => store.getState().size > 0,
    async stopAll() {
      for (const run of runs.values()) run.stop();
      await Promise.all(works);
    },
    track(work) {
      works.add(work);
      void work.finally(() => works.delete(work));
    },
  };
}

export const isUnderWay = (run: Run): boolean => ['waiting', 'streaming'].includes(run.getState().status);
