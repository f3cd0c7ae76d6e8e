import { useEffect, useEffectEvent } from 'react';
import { createStore, useStore } from 'zustand';

/** What a command asks of a screen that it leads to: to open a form, which is no part of an address. */
export type Task =
  | 'create-key'
  | 'add-provider'
  | 'new-video'
  | 'new-batch'
  | 'upload-files'
  | 'new-rerun'
  | 'new-experiment'
  | 'open-prompts'
  | 'save-prompt'
  | 'new-guardrail'
  | 'new-destination'
  | 'export-generations';

const store = createStore<{ readonly task: Task | null }>(() => ({ task: null }));

export const requestTask = (task: Task): void => store.setState({ task });

/** Does a task once, when the screen is there or the next time that it is requested. */
export function useTask(task: Task, run: () => void): void {
  const isRequested = useStore(store, (state) => state.task === task);
  const runLatest = useEffectEvent(run);
  useEffect(() => {
    if (!isRequested) return;
    store.setState({ task: null });
    runLatest();
  }, [isRequested]);
}
