import { type KeyboardEvent, useId, useState } from 'react';

import { scrollIntoView } from '../scroll-into-view.ts';

interface ComboboxOptions {
  /** Options in the list now. */
  readonly count: number;
  readonly isOpen: boolean;
  /** Whether the first option is active from the start. Else none is until an arrow key is pressed. */
  readonly startsActive: boolean;
  /** Whether an arrow key leads from the last option to the first. Such a short list has no pages. */
  readonly isRound?: boolean;
  /** For a list that arrow keys open. */
  readonly onOpen?: () => void;
  /** Called with the place of an option that was clicked. */
  readonly onTake: (place: number) => void;
}

interface Combobox {
  /** The place of the option that Enter takes; -1 for none. */
  readonly active: number;
  /** What the field needs beside its name, its text and its key events. */
  readonly input: {
    readonly role: 'combobox';
    readonly 'aria-expanded': boolean;
    readonly 'aria-controls': string | undefined;
    readonly 'aria-autocomplete': 'list';
    readonly 'aria-activedescendant': string | undefined;
    readonly autoComplete: 'off';
    readonly spellCheck: false;
  };
  readonly list: { readonly id: string; readonly role: 'listbox' };
  optionAt(place: number): { readonly id: string; readonly role: 'option'; readonly onClick: () => void };
  /** Goes back to the start, as after a change of the text. */
  reset(): void;
  /** Goes on by an arrow key or by pages. Returns false for every other key, which is left to the caller. */
  walk(event: KeyboardEvent): boolean;
}

const PAGE = 8;

/** A field with a list of options that are found by typing. The focus stays in the field. It draws nothing. */
export function useCombobox(options: ComboboxOptions): Combobox {
  const { count, isOpen, startsActive, isRound = false, onOpen, onTake } = options;
  const listId = useId();
  const start = startsActive ? 0 : -1;
  const [place, setPlace] = useState(start);
  const active = Math.min(place, count - 1);
  const idAt = (at: number): string => `${listId}-${at}`;
  return {
    active,
    input: {
      role: 'combobox',
      'aria-expanded': isOpen,
      'aria-controls': isOpen ? listId : undefined,
      'aria-autocomplete': 'list',
      'aria-activedescendant': isOpen && active >= 0 ? idAt(active) : undefined,
      autoComplete: 'off',
      spellCheck: false,
    },
    list: { id: listId, role: 'listbox' },
    optionAt: (at) => ({ id: idAt(at), role: 'option', onClick: () => onTake(at) }),
    reset: () => setPlace(start),
    walk(event) {
      const next = findNextPlace(event.key, { active, count, isOpen, isRound });
      if (next === undefined || (!isOpen && onOpen === undefined)) return false;
      event.preventDefault();
      onOpen?.();
      setPlace(next);
      scrollIntoView(document.getElementById(idAt(next)));
      return true;
    },
  };
}

/** The place that a key leads to; undefined for a key that leads nowhere. */
export function findNextPlace(
  key: string,
  {
    active,
    count,
    isOpen,
    isRound,
  }: { active: number } & Required<Pick<ComboboxOptions, 'count' | 'isOpen' | 'isRound'>>,
): number | undefined {
  const last = Math.max(0, count - 1);
  if (key === 'ArrowDown') return isOpen ? stepTo(active + 1) : 0;
  if (key === 'ArrowUp') return stepTo(active - 1);
  if (isRound) return undefined;
  if (key === 'PageDown') return stepTo(active + PAGE);
  return key === 'PageUp' ? stepTo(active - PAGE) : undefined;

  function stepTo(place: number): number {
    if (place < 0) return isRound ? last : 0;
    if (place > last) return isRound ? 0 : last;
    return place;
  }
}
