import { useEffect, useEffectEvent } from 'react';
import { createStore, useStore } from 'zustand';

import { getPreferences } from './preferences.ts';

/** The fields of a keyboard event that are used. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

export type KeyMatch<Entry> =
  | { readonly type: 'match'; readonly entry: Entry }
  /** The press begins a pair. */
  | { readonly type: 'prefix' }
  | { readonly type: 'none' };

/** Finds the first entry that a press means, given the press just before it, where that began a pair. */
export function matchKeys<Entry extends { readonly keys: string }>(
  press: KeyPress,
  before: string | null,
  entries: readonly Entry[],
): KeyMatch<Entry> {
  if (press.altKey) return { type: 'none' };
  const name = toName(press);
  const whole = before === null ? name : `${before} ${name}`;
  const entry = entries.find(({ keys }) => keys === whole) ?? entries.find(({ keys }) => keys === name);
  if (entry !== undefined) return { type: 'match', entry };
  return entries.some(({ keys }) => keys.startsWith(`${name} `)) ? { type: 'prefix' } : { type: 'none' };
}

function toName({ key, ctrlKey, metaKey, shiftKey }: KeyPress): string {
  const isLetter = /^[a-z]$/i.test(key);
  const name = isLetter ? key.toLowerCase() : key;
  if (ctrlKey || metaKey) return `mod+${name}`;
  // A sign such as ? already says that Shift was held.
  return shiftKey && isLetter ? `Shift+${key.toUpperCase()}` : name;
}

/** An action that a key starts, as the help lists it. */
export interface Shortcut {
  /** `/`, `mod+k` (Ctrl or Cmd), `Shift+C`, or two keys one after the other: `g m`. */
  readonly keys: string;
  readonly label: string;
  /** The heading in the help. */
  readonly group: string;
}

interface Registered extends Shortcut {
  readonly run: () => void;
}

const store = createStore<readonly Registered[]>(() => []);
/** The first key of a pair, while the second is awaited. */
let pending: { readonly key: string; readonly at: number } | null = null;
const PAIR_LIMIT_MS = 1200;

/** Starts an action by key while the component is there. The latest registered wins, so that a dialog goes first. */
export function useShortcut(shortcut: Shortcut, run: () => void, isEnabled = true): void {
  const runLatest = useEffectEvent(run);
  const { keys, label, group } = shortcut;
  useEffect(() => {
    if (!isEnabled) return;
    const entry: Registered = { keys, label, group, run: () => runLatest() };
    store.setState((registered) => [entry, ...registered], true);
    return () => store.setState((registered) => registered.filter((other) => other !== entry), true);
  }, [keys, label, group, isEnabled]);
}

/** All shortcuts that do something now. */
export const useShortcuts = (): readonly Shortcut[] => useStore(store);

/** Listens on the page; the returned function ends that. */
export function listenForShortcuts(): () => void {
  // The second key of a pair has no other effect, even where it has one alone, as `k` does in a table.
  const onPair = (event: KeyboardEvent): void => {
    if (pending === null || event.timeStamp - pending.at >= PAIR_LIMIT_MS) return;
    const { key } = pending;
    if (!store.getState().some(({ keys }) => keys === `${key} ${event.key}`)) return;
    onKeyDown(event);
    event.stopPropagation();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    const before = pending !== null && event.timeStamp - pending.at < PAIR_LIMIT_MS ? pending.key : null;
    pending = null;
    const isSingle = !event.ctrlKey && !event.metaKey;
    // With single-letter shortcuts off, Escape still closes dialogs and panels.
    if (isSingle && (isTyping(event.target) || (event.key.length === 1 && !getPreferences().singleKeys))) return;
    // A modal dialog keeps the page behind it still.
    if (isSingle && document.querySelector('dialog[open]:modal') !== null) return;
    const outcome = matchKeys(event, before, store.getState());
    if (outcome.type === 'prefix') pending = { key: event.key, at: event.timeStamp };
    if (outcome.type !== 'match') return;
    event.preventDefault();
    outcome.entry.run();
  };
  addEventListener('keydown', onPair, true);
  addEventListener('keydown', onKeyDown);
  return () => {
    removeEventListener('keydown', onPair, true);
    removeEventListener('keydown', onKeyDown);
  };
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches('input:not([type=checkbox], [type=radio], [type=range]), textarea, select, option')
  );
}
