import { useSyncExternalStore } from 'react';

import { showToast } from './toast-store.ts';

let held: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

export interface Deletion {
  readonly id: string;
  /** `“Personal data” will be deleted`. */
  readonly title: string;
  /** What holds until then. */
  readonly detail: string;
  /** Deletes it. What it rejects with is shown. */
  readonly run: () => Promise<unknown>;
  /** Takes back what was done until then. What it rejects with is shown. */
  readonly undo?: () => Promise<unknown>;
}

/**
 * Deletes something once the message about it has gone, which offers to take it back until then. A page that is closed
 * before deletes nothing.
 */
export function holdDeletion({ id, title, detail, run, undo }: Deletion): void {
  if (held.has(id)) return;
  let isUndone = false;
  change(new Set([...held, id]));
  const finish = async (): Promise<void> => {
    try {
      await (isUndone ? undo?.() : run());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      showToast({ tone: 'bad', title: isUndone ? 'It could not be taken back' : 'It was not deleted', detail: reason });
    }
    change(new Set([...held].filter((other) => other !== id)));
  };
  const action = { label: 'Undo', run: () => void (isUndone = true) };
  showToast({ tone: 'neutral', title, detail, action, onGone: () => void finish() });
}

/** Ids of what is about to be deleted. */
export function useHeldDeletions(): ReadonlySet<string> {
  return useSyncExternalStore(subscribe, () => held);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: ReadonlySet<string>): void {
  held = next;
  for (const listener of listeners) listener();
}
