import type { Run } from '../../features/playground/create-run.ts';

/** The runs of the columns of an experiment. */
export interface Runs {
  of(columnId: string): Run;
  isRunning(): boolean;
  /** Calls back whenever a run changes; the returned function ends that. */
  subscribe(listener: () => void): () => void;
  /** Stops all, and resolves when what `track` was given has ended. */
  stopAll(): Promise<void>;
  /** Remembers work that follows the end of a run. */
  track(work: Promise<void>): void;
}

/** Creates a place for the run of each column, which is made when it is first asked for. */
export function createRuns(newRun: () => Run): Runs {
  const runs = new Map<string, Run>();
  const listeners = new Set<() => void>();
  const works = new Set<Promise<void>>();
  const tell = (): void => listeners.forEach((listener) => listener());
  return {
    of(columnId) {
      const known = runs.get(columnId);
      if (known !== undefined) return known;
      const run = newRun();
      run.subscribe(tell);
      runs.set(columnId, run);
      return run;
    },
    isRunning: () => [...runs.values()].some((run) => isUnderWay(run)),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
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
