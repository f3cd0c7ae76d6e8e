import { RE2JS, RE2JSCompileException, RE2Set } from 're2js';

import { GatewayError } from '../../foundation/errors.ts';
import { runAtOnce, type Steps } from '../../foundation/queues.ts';
import type { Filter, Span } from './filter.ts';
import { EXACT_LENGTH, MAX_PATTERN_MATCH, SET_WINDOW_LENGTH, unitsAt } from './search.ts';

/** How a text is searched: in windows of this length, each with as much behind it as a match may reach. */
interface Windows {
  readonly length: number;
  /** The most characters from the beginning of a match to the last one that it depends on. */
  readonly reach: number;
  /** Each search for the next match may read as far as a match can reach. */
  readonly matchesAStep: number;
}

/** The engine may read all of a window without its automaton, so most of what it reads is to be the reach. */
const ENDLESS: Windows = { length: 192, reach: MAX_PATTERN_MATCH, matchesAStep: 1 };
/** Searches from match to match may read the rest of a window each time. */
const LONG_ABOVE = 1024;

/** Creates a filter from a caller's own pattern. Throws as `parsePattern` does. */
export function createCustomFilter(pattern: string, label: string | null): Filter {
  const { source, expression } = parsePattern(pattern, 'pattern');
  const windows = toWindows(source, expression);
  let behind: RE2JS | undefined;
  return {
    label: label ?? '[BLOCKED]',
    placeholder: label ?? '[REDACTED]',
    trigger: source,
    isTriggerExact: !mayBeEmpty(source),
    longAbove: LONG_ABOVE,
    findAll(text) {
      const length = Math.max(windows.length, LONG_ABOVE);
      return runAtOnce(searchInWindows(text, expression, { ...windows, length }));
    },
    search: (text) => searchInWindows(text, expression, windows),
    endAt(text, at) {
      if (at === 0) {
        const matcher = expression.matcher(text);
        return matcher.lookingAt() ? matcher.end() : null;
      }
      // One more character on the left shows whether a word or a line begins here.
      behind ??= RE2JS.compile(withLeftContext(source), PATTERN_FLAGS);
      const matcher = behind.matcher(text.slice(at - 1));
      return matcher.lookingAt() ? at - 1 + matcher.end() : null;
    },
  };
}

/** The same pattern, behind any one character. */
export function withLeftContext(source: string): string {
  return `(?s:.)(?:${source})`;
}

/** Searches in windows that overlap by the length that a match may have. */
function* searchInWindows(
  text: string,
  expression: RE2JS,
  { length, reach, matchesAStep }: Windows,
): Steps<readonly Span[]> {
  const spans: Span[] = [];
  let next = 0;
  let matches = 0;
  for (let end = length; next < text.length; end += length) {
    if (next >= end) continue;
    const left = Math.max(0, next - 2);
    const seen = text.slice(left, end + reach);
    const matcher = expression.matcher(seen);
    // Whether there is a match is known many times sooner than where.
    const hasMatch = text.length <= LONG_ABOVE || expression.test(seen);
    while (hasMatch && next < Math.min(end, text.length) && matcher.find(next - left) && left + matcher.start() < end) {
      const [start, stop] = [left + matcher.start(), left + matcher.end()];
      if (stop > start) spans.push({ start, end: stop });
      next = stop > start ? stop : start + unitsAt(text, start);
      matches += 1;
      if (matches % matchesAStep === 0) yield;
    }
    next = Math.max(next, end);
    yield;
  }
  return spans;
}

/** Without endless repetitions, a match passes each instruction of the program once at most. */
function toWindows(source: string, expression: RE2JS): Windows {
  if (/[*+]|\{\d+,\}/.test(source)) return ENDLESS;
  return { length: 2048, reach: 2 * expression.programSize() + 2, matchesAStep: 16 };
}

/** Whether a pattern matches the empty text anywhere, or may do so: such a match is none. */
function mayBeEmpty(source: string): boolean {
  const withoutAssertions = source.replace(/\\[\s\S]|[\^$]/g, (found) =>
    /^(?:\\[bBAz]|[\^$])$/.test(found) ? '' : found,
  );
  try {
    return RE2JS.compile(withoutAssertions, PATTERN_FLAGS).matches('');
  } catch {
    return true;
  }
}

/** Case never makes a difference, and `^` and `$` stand for the bounds of lines: several texts are searched as one. */
const PATTERN_FLAGS = RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE;

/**
 * Instructions that one pattern may compile to. Time is linear in the text, but a pattern of this size already needs
 * near 0.1 s for 100 KB in the worst case (measured with re2js 2.10).
 */
const MAX_INSTRUCTIONS = 1100;

/** A pattern as the linear engine takes it, written as for JavaScript. */
interface ParsedPattern {
  readonly source: string;
  readonly expression: RE2JS;
}

/**
 * Compiles a caller's pattern. Throws `invalid_request` that names `path`, with `invalid_regex_pattern` in its
 * metadata, for look-around and back-references, for mistakes, and for patterns that grow too large.
 */
export function parsePattern(pattern: string, path: string): ParsedPattern {
  try {
    // The translation would take `\k` for a `k`.
    if (hasBackReference(pattern))
      throw new RangeError('back-references are not available; patterns run in linear time');
    const source = RE2JS.translateRegExp(pattern);
    const expression = RE2JS.compile(source, PATTERN_FLAGS);
    const size = expression.programSize();
    if (size > MAX_INSTRUCTIONS) {
      throw new RangeError(`it is too large: ${size} steps of at most ${MAX_INSTRUCTIONS}; split it or repeat less`);
    }
    return { source, expression };
  } catch (error) {
    throw refused(path, describe(pattern, error), error);
  }
}

function hasBackReference(pattern: string): boolean {
  return [...pattern.matchAll(/\\([\s\S])/g)].some(({ 1: escaped = '' }) => /[1-9k]/.test(escaped));
}

function describe(pattern: string, error: unknown): string {
  if (/\(\?<?[=!]/.test(pattern)) return 'look-ahead and look-behind are not available; patterns run in linear time';
  // The engine shows the flags that we put before the pattern.
  return error instanceof Error ? error.message.replace('(?m)', '').replace('(?i)', '') : 'it cannot be parsed';
}

function refused(path: string, reason: string, cause: unknown): GatewayError {
  const message = `is not a usable regular expression: ${reason}`;
  return new GatewayError('invalid_request', `${path}: ${message} (invalid_regex_pattern)`, {
    cause,
    metadata: { reason: 'invalid_regex_pattern', issues: [{ path, message }] },
  });
}

/** Finds the patterns of a list that match a text, in one pass. */
export interface PatternSet {
  /** Returns the indices of those that match; of a long text, which is read in windows, of those that may match. */
  (text: string): readonly number[];
  /** The same in steps. Only where nothing is anchored. */
  readonly search?: ((text: string) => Steps<readonly number[]>) | undefined;
}

/**
 * Compiles patterns into one automaton; into several where one would be too large. `isAnchored`: they must match where
 * the text begins, and no more of the text is read than it takes to know.
 */
export function createPatternSet(patterns: readonly string[], isAnchored: boolean): PatternSet {
  const sets = compileSets(patterns, isAnchored ? RE2Set.ANCHOR_START : RE2Set.UNANCHORED);
  const match = (text: string): number[] =>
    sets.flatMap(({ set, first }) => set.match(text).map((index) => first + index));
  if (isAnchored) return match;
  function* search(text: string): Steps<readonly number[]> {
    const found = new Set<number>();
    for (let start = 0; ; start += SET_WINDOW_LENGTH) {
      // The character before shows whether a word or a line begins here; the text itself seems to begin there.
      for (const index of match(text.slice(Math.max(0, start - 1), start + EXACT_LENGTH))) found.add(index);
      yield;
      if (start + EXACT_LENGTH >= text.length) return [...found].toSorted((a, b) => a - b);
    }
  }
  return Object.assign((text: string) => runAtOnce(search(text)), { search });
}

interface CompiledSet {
  readonly set: RE2Set;
  /** The index of its first pattern. */
  readonly first: number;
}

function compileSets(patterns: readonly string[], anchor: number, first = 0): readonly CompiledSet[] {
  if (patterns.length === 0) return [];
  const set = new RE2Set(anchor, PATTERN_FLAGS);
  for (const pattern of patterns) set.add(pattern);
  try {
    set.compile();
    return [{ set, first }];
  } catch (error) {
    if (!(error instanceof RE2JSCompileException) || patterns.length === 1) throw error;
    const half = Math.ceil(patterns.length / 2);
    return [
      ...compileSets(patterns.slice(0, half), anchor, first),
      ...compileSets(patterns.slice(half), anchor, first + half),
    ];
  }
}
