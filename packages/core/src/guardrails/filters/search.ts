import type { Steps } from '../../foundation/queues.ts';

/** The number of UTF-16 units of the character at a place. */
export const unitsAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/**
 * The most characters of a match whose pattern has an endless repetition. A longer text has such a match only where this
 * much of it suffices; then at least this much is taken.
 */
export const MAX_PATTERN_MATCH = 4096;

/** How much of a text a set of patterns is matched against at once, with what a match may reach behind it. */
export const SET_WINDOW_LENGTH = 4096;
/** A text of this length is one window, so that the indices that a set returns are those of patterns that do match. */
export const EXACT_LENGTH = SET_WINDOW_LENGTH + MAX_PATTERN_MATCH;

/** A pattern for the platform's engine, with a flag `g`, and what a search in windows has to know about it. */
export interface WindowedPattern {
  readonly pattern: RegExp;
  /** The most characters from the beginning of a match to the last one that it depends on. */
  readonly reach: number;
}

/** The most characters before a match that it depends on. */
const LOOK_BEHIND = 64;
/** A pattern takes some microseconds a character on text that was made for it. */
const WINDOW_LENGTH = 2048;

/**
 * Calls `onMatch` with each match, in order, which returns where the search goes on: behind the match, at the earliest
 * at its second character. A text longer than `atOnce` is searched in windows, with the same matches, and a step each.
 */
export function* findInWindows(
  text: string,
  { pattern, reach }: WindowedPattern,
  atOnce: number,
  onMatch: (found: string, start: number) => number,
): Steps<void> {
  const length = text.length <= atOnce ? text.length : Math.max(WINDOW_LENGTH, reach);
  let next = 0;
  for (let start = 0; start < text.length; start += length) {
    const end = start + length;
    if (next >= end) continue;
    next = Math.max(next, start);
    const left = Math.max(0, next - LOOK_BEHIND);
    const seen = length === text.length ? text : text.slice(left, end + reach);
    pattern.lastIndex = next - left;
    for (let match = pattern.exec(seen); match !== null; match = pattern.exec(seen)) {
      const at = left + match.index;
      if (at >= end) break;
      next = onMatch(match[0], at);
      if (next >= end) break;
      pattern.lastIndex = next - left;
    }
    if (end < text.length) yield;
  }
}
