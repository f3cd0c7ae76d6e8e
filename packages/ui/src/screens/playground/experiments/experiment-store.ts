import { createStore, type StoreApi } from 'zustand/vanilla';

import type { Experiment } from '../../../features/playground/experiment.ts';

export type Saving = 'saved' | 'saving' | { readonly leftOut: readonly string[] } | { readonly error: unknown };

/** The experiment on the screen. It outlives the screen until what came last has been kept. */
export interface ExperimentStore extends Omit<StoreApi<Experiment>, 'setState'> {
  readonly saving: Omit<StoreApi<Saving>, 'setState'>;
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
  const { setState, ...store } = createStore(() => initial);
  const saving = createStore<Saving>(() => 'saved');
  let kept = initial;
  let isDiscarded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const due = store.getState();
    if (kept === due || isDiscarded) return;
    kept = due;
    let next: Saving;
    try {
      const leftOut = await keep(due);
      next = leftOut.length === 0 ? 'saved' : { leftOut };
    } catch (error) {
      next = { error };
    }
    // What has changed meanwhile is saved after this.
    if (kept === due && store.getState() === due) saving.setState(next, true);
  };
  return {
    ...store,
    saving,
    update(change) {
      const next = change(store.getState());
      if (next === store.getState()) return;
      timer ??= setTimeout(() => void save(), SAVE_AFTER_MS);
      saving.setState('saving', true);
      setState(next, true);
    },
    flush: save,
    discard() {
      isDiscarded = true;
    },
  };
}
