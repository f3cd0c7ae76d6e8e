import { RE2JSCompileException, RE2Set } from 're2js';

import { PATTERN_FLAGS } from './parse-pattern.ts';

/** Returns in one pass the indices of those patterns in the list that match. */
export type PatternSet = (text: string) => readonly number[];

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
    return (text) => [...first(text), ...second(text).map((id) => id + half)];
  }
  return (text) => set.match(text);
}
