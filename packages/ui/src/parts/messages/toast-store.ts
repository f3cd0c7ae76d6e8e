import { createStore, useStore } from 'zustand';

/** A short message in the corner. */
export interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad' | 'neutral';
  readonly title: string;
  readonly detail?: string | undefined;
  /** Action that is offered for as long as the message is shown. */
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
  /** Called when the message goes, in whatever way; after the action, if that was taken. */
  readonly onGone?: (() => void) | undefined;
}

const store = createStore<readonly Toast[]>(() => []);
let nextId = 1;
/** Older ones make room, so that a failing loop cannot fill the screen. */
const MAX_TOASTS = 4;

export const getToasts = store.getState;

export const useToasts = (): readonly Toast[] => useStore(store);

/** Shows a message. Errors stay until they are dismissed, all others go by themselves. */
export function showToast(toast: Omit<Toast, 'id'>): void {
  change([...getToasts(), { ...toast, id: nextId++ }].slice(-MAX_TOASTS));
}

export function dismissToast(id: number): void {
  change(getToasts().filter((toast) => toast.id !== id));
}

function change(next: readonly Toast[]): void {
  const gone = getToasts().filter((toast) => !next.includes(toast));
  store.setState(next, true);
  for (const toast of gone) toast.onGone?.();
}
