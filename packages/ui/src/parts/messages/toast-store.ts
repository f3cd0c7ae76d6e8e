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

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
/** Older ones make room, so that a failing loop cannot fill the screen. */
const MAX_TOASTS = 4;

export const getToasts = (): readonly Toast[] => toasts;

/** Shows a message. Errors stay until they are dismissed, all others go by themselves. */
export function showToast(toast: Omit<Toast, 'id'>): void {
  change([...toasts, { ...toast, id: nextId++ }].slice(-MAX_TOASTS));
}

export function dismissToast(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

export function onToastsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: readonly Toast[]): void {
  const gone = toasts.filter((toast) => !next.includes(toast));
  toasts = next;
  for (const listener of listeners) listener();
  for (const toast of gone) toast.onGone?.();
}
