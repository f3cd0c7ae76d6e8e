import { RE2JSCompileException, RE2Set } from 're2js';

import type { Steps } from '../../foundation/queues.ts';
import { PATTERN_FLAGS } from './parse-pattern.ts';
import { searchInSteps } from './search-in-steps.ts';

/** Finds the patterns of a list that match a text, in one pass. */
export interface PatternSet {
  /** Returns the indices of those that match. */
  (text: string): readonly number[];
  /** The same for a text of any length; null when it cannot be found out in steps. Only where nothing is anchored. */
  readonly search?: ((text: string) => Steps<readonly number[] | null>) | undefined;
}

/**
 * Compiles patterns into one automaton; into several where one would be too large. `isAnchored`: they must match where
 * the text begins, and no more of the text is read than it takes to know.
 */
export function createPatternSet(patterns: readonly string[], isAnchored: boolean): PatternSet {
  if (patterns.length === 0) return () => [];
  const set = new RE2Set(isAnchored ? RE2Set.ANCHOR_START : RE2Set.UNANCHORED, PATTERN_FLAGS);
  for (const pattern of patterns) set.add(pattern);
  try {
    set.compile();
  } catch (error) {
    if (!(error instanceof RE2JSCompileException) || patterns.length === 1) throw error;
    const half = Math.ceil(patterns.length / 2);
    const [first, second] = [patterns.slice(0, half), patterns.slice(half)].map((part) =>
      createPatternSet(part, isAnchored),
    ) as [PatternSet, PatternSet];
    return joinSets(first, second, half);
  }
  const match = (text: string): readonly number[] => set.match(text);
  return isAnchored ? match : Object.assign(match, { search: (text: string) => searchInSteps(set, text) });
}

/** One set of two; the indices of the second begin behind those of the first. */
function joinSets(first: PatternSet, second: PatternSet, offset: number): PatternSet {
  const join = (one: readonly number[], other: readonly number[]): number[] => [
    ...one,
    ...other.map((id) => id + offset),
  ];
  const match = (text: string): readonly number[] => join(first(text), second(text));
  const { search: searchFirst } = first;
  const { search: searchSecond } = second;
  if (searchFirst === undefined || searchSecond === undefined) return match;
  return Object.assign(match, {
    *search(text: string) {
      const ofFirst = yield* searchFirst(text);
      const ofSecond = yield* searchSecond(text);
      return ofFirst === null || ofSecond === null ? null : join(ofFirst, ofSecond);
    },
  });
}
