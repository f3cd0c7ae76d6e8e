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
  const all = [...toasts, { ...toast, id: nextId++ }];
  change(all.slice(-MAX_TOASTS));
  for (const gone of all.slice(0, -MAX_TOASTS)) gone.onGone?.();
}

export function dismissToast(id: number): void {
  const gone = toasts.find((toast) => toast.id === id);
  change(toasts.filter((toast) => toast !== gone));
  gone?.onGone?.();
}

export function onToastsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}
