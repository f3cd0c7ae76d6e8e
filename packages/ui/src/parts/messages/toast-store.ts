import { useState } from 'react';
import { createStore, useStore } from 'zustand';

import { messageOf } from '../../api/api-error.ts';
import { onUserLeft } from '../../api/session.ts';
import type { Outcome } from '../../desktop-bridge.ts';
import { partMessages } from '../part-messages.ts';

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

const shownToasts = createStore<readonly Toast[]>(() => []);
let nextId = 1;
/** Older ones make room, so that a failing loop cannot fill the screen. */
const MAX_TOASTS = 4;

export const getToasts = shownToasts.getState;

export const useToasts = (): readonly Toast[] => useStore(shownToasts);

/** Shows a message. Errors stay until they are dismissed, all others go by themselves. */
export function showToast(toast: Omit<Toast, 'id'>): void {
  change([...getToasts(), { ...toast, id: nextId++ }].slice(-MAX_TOASTS));
}

/** Says what failed, and why. */
export const showFailure = (title: string, error: unknown): void =>
  showToast({ tone: 'bad', title, detail: messageOf(error) });

export function dismissToast(id: number): void {
  change(getToasts().filter((toast) => toast.id !== id));
}

function change(next: readonly Toast[]): void {
  const gone = getToasts().filter((toast) => !next.includes(toast));
  shownToasts.setState(next, true);
  for (const toast of gone) toast.onGone?.();
}

interface Undoable {
  readonly title: string;
  /** Makes it as it was. What it rejects with is shown. */
  readonly undo: () => Promise<unknown>;
  /** What is said then. */
  readonly undone: string;
}

/** Says that something was changed, and offers to take it back. */
export function showUndo({ title, undo, undone }: Undoable): void {
  const run = async (): Promise<void> => {
    try {
      await undo();
      showToast({ tone: 'neutral', title: undone });
    } catch (error) {
      showFailure(partMessages().toasts.notUndone, error);
    }
  };
  showToast({ tone: 'good', title, action: { label: partMessages().actions.undo, run: () => void run() } });
}

const heldDeletions = createStore<ReadonlySet<string>>(() => new Set());

let usersBefore = 0;
// What one user has begun is neither finished nor taken back by the next.
onUserLeft(() => {
  usersBefore += 1;
  const isOwn = ({ action, onGone }: Toast): boolean => action !== undefined || onGone !== undefined;
  shownToasts.setState(
    getToasts().filter((toast) => !isOwn(toast)),
    true,
  );
  heldDeletions.setState(new Set(), true);
});

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
 * more in the meantime than before. Where its user leaves before, it stays as it is then.
 */
export function holdDeletion({ id, title, detail, onClosing, failed, run, undo }: Deletion): void {
  if (heldDeletions.getState().has(id)) return;
  let isUndone = false;
  let isFinished = false;
  const user = usersBefore;
  heldDeletions.setState((held) => new Set([...held, id]), true);
  const finish = async (): Promise<void> => {
    if (isFinished) return;
    isFinished = true;
    removeEventListener('pagehide', onPageHide);
    if (user !== usersBefore) return;
    try {
      await (isUndone ? undo?.() : run());
    } catch (error) {
      const { notUndone, notDeleted } = partMessages().toasts;
      showFailure(isUndone ? notUndone : (failed ?? notDeleted), error);
    }
    heldDeletions.setState((held) => new Set([...held].filter((other) => other !== id)), true);
  };
  const onPageHide = (): void => void finish();
  if (onClosing === 'delete') addEventListener('pagehide', onPageHide);
  const action = { label: partMessages().actions.undo, run: () => void (isUndone = true) };
  showToast({ tone: 'neutral', title, detail, action, onGone: () => void finish() });
}

/** Ids of what is about to be deleted. */
export const useHeldDeletions = (): ReadonlySet<string> => useStore(heldDeletions);

/** Has the app do something and says what came of it. Resolves to whether it was done. */
export type Ask = (action: Promise<Outcome> | undefined, done?: string) => Promise<boolean>;

/** One task at a time; `isBusy` while the app works on it. */
export function useOutcome(): { readonly ask: Ask; readonly isBusy: boolean } {
  const [isBusy, setIsBusy] = useState(false);
  const ask: Ask = async (action, done) => {
    if (action === undefined) return false;
    setIsBusy(true);
    try {
      const outcome = await action;
      // A dialog that was left with Cancel has nothing to say.
      const title = outcome.message || (outcome.done ? (done ?? '') : '');
      if (title !== '') showToast({ tone: outcome.done ? 'good' : 'neutral', title });
      return outcome.done;
    } catch (error) {
      showFailure(partMessages().error.appFailed, error);
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  return { ask, isBusy };
}
