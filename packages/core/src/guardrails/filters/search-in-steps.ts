import type { RE2Set } from 're2js';

import type { Steps } from '../../foundation/queues.ts';

/** The engine's automaton at one place of a text. */
interface State {
  readonly isMatch: boolean;
  readonly matchIDs: readonly number[];
  /** The state behind each class of characters, as far as it is known. */
  readonly next: readonly (State | null)[] | null;
}

/** What this file uses of the automaton, which the engine's types show and its documentation does not. */
interface Automaton {
  readonly failed: boolean;
  readonly latin1Class: Int32Array;
  readonly numClasses: number;
  runeClass(rune: number): number;
  start(input: { context(): number; step(): number }, position: number): State | null;
  stepOrReset(
    state: State,
    cls: number,
    rune: number,
    anchor: number,
    position: number,
    progress: object,
  ): State | null;
}

const UNANCHORED = 0;
const END_OF_TEXT = -1;
const MAX_LATIN1 = 0xff;
/** All flags of a place: the text begins here. */
const BEGINNING = { context: () => -1, step: () => 0 };
/** So many characters take less than 5 ms, even while the automaton is still being built. */
const STEP_LENGTH = 4096;

/**
 * Does in steps what `match` of the set does at once: the automaton is kept from step to step. Returns null where its
 * states take too much memory, and `match` would have to change to an engine that cannot pause.
 */
export function* searchInSteps(set: RE2Set, text: string): Steps<readonly number[] | null> {
  const automaton = set.dfa as Automaton;
  let state = automaton.failed ? null : automaton.start(BEGINNING, 0);
  const found = new Set<number>();
  const progress = { resetPos: -1 };
  let at = 0;
  while (at < text.length && state !== null) {
    for (const stop = Math.min(at + STEP_LENGTH, text.length); at < stop && state !== null;) {
      const rune: number = text.codePointAt(at) ?? 0;
      const cls = rune <= MAX_LATIN1 ? (automaton.latin1Class[rune] as number) : automaton.runeClass(rune);
      state = state.next?.[cls] ?? automaton.stepOrReset(state, cls, rune, UNANCHORED, at, progress);
      if (state?.isMatch === true) for (const id of state.matchIDs) found.add(id);
      at += rune > 0xffff ? 2 : 1;
    }
    yield;
  }
  if (state !== null) {
    state = automaton.stepOrReset(state, automaton.numClasses, END_OF_TEXT, UNANCHORED, at, progress);
  }
  if (state === null) return null;
  if (state.isMatch) for (const id of state.matchIDs) found.add(id);
  return [...found].toSorted((a, b) => a - b);
}
