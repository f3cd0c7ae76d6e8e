import type { Experiment } from '../../../features/playground/experiment/experiment.ts';

export type Saving = 'saved' | 'saving' | { readonly leftOut: readonly string[] } | { readonly error: unknown };

/** The experiment on the screen. It outlives the screen until what came last has been kept. */
export interface ExperimentStore {
  getState(): Experiment;
  getSaving(): Saving;
  /** Calls back after every change; the returned function ends that. */
  subscribe(listener: () => void): () => void;
  update(change: (experiment: Experiment) => Experiment): void;
  /** Keeps what has changed, now. */
  flush(): Promise<void>;
  /** Keeps nothing any more: it has been deleted. */
  discard(): void;
}

const SAVE_AFTER_MS = 400;

/** Creates the place of an experiment, which `keep` is called for a little after each change. */
export function createExperimentStore(
  initial: Experiment,
  keep: (experiment: Experiment) => Promise<readonly string[]>,
): ExperimentStore {
  let state = initial;
  let kept = initial;
  let saving: Saving = 'saved';
  let isDiscarded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const tell = (): void => listeners.forEach((listener) => listener());
  const save = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (kept === state || isDiscarded) return;
    const due = state;
    kept = due;
    let next: Saving;
    try {
      const leftOut = await keep(due);
      next = leftOut.length === 0 ? 'saved' : { leftOut };
    } catch (error) {
      next = { error };
    }
    // What has changed meanwhile is saved after this.
    if (kept !== due || state !== due) return;
    saving = next;
    tell();
  };
  return {
    getState: () => state,
    getSaving: () => saving,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    update(change) {
      const next = change(state);
      if (next === state) return;
      state = next;
      saving = 'saving';
      timer ??= setTimeout(() => void save(), SAVE_AFTER_MS);
      tell();
    },
    flush: save,
    discard() {
      isDiscarded = true;
    },
  };
}
