import { createStore, useStore } from 'zustand';

import { showToast } from './toast-store.ts';

const store = createStore<ReadonlySet<string>>(() => new Set());

export interface Deletion {
  readonly id: string;
  /** When the page is closed before: it is deleted, or kept as it is. Absent: kept. */
  readonly onClosing?: 'delete';
  /** `“Personal data” will be deleted`. */
  readonly title: string;
  /** What holds until then. */
  readonly detail: string;
  /** Above the reason, when it could not be deleted. */
  readonly failed?: string;
  /** Deletes it. What it rejects with is shown. */
  readonly run: () => Promise<unknown>;
  /** Takes back what was done until then. What it rejects with is shown. */
  readonly undo?: () => Promise<unknown>;
}

/**
 * Deletes something once the message about it has gone, which offers to take it back until then.
 *
 * What guards calls, such as a guardrail, stays in force until then, and is kept when the page is closed before. What
 * gives access, such as a key, is switched off by the caller at once, and deleted with the page. Either way, nobody may do
 * more in the meantime than before.
 */
export function holdDeletion({
  id,
  title,
  detail,
  onClosing,
  failed = 'It was not deleted',
  run,
  undo,
}: Deletion): void {
  if (store.getState().has(id)) return;
  let isUndone = false;
  let isFinished = false;
  store.setState((held) => new Set([...held, id]), true);
  const finish = async (): Promise<void> => {
    if (isFinished) return;
    isFinished = true;
    removeEventListener('pagehide', onPageHide);
    try {
      await (isUndone ? undo?.() : run());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      showToast({ tone: 'bad', title: isUndone ? 'It could not be taken back' : failed, detail: reason });
    }
    store.setState((held) => new Set([...held].filter((other) => other !== id)), true);
  };
  const onPageHide = (): void => void finish();
  if (onClosing === 'delete') addEventListener('pagehide', onPageHide);
  const action = { label: 'Undo', run: () => void (isUndone = true) };
  showToast({ tone: 'neutral', title, detail, action, onGone: () => void finish() });
}

/** Ids of what is about to be deleted. */
export const useHeldDeletions = (): ReadonlySet<string> => useStore(store);
