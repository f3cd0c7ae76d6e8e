import { type Matcher, RE2JS, RE2JSCompileException, RE2Set } from 're2js';

import { GatewayError } from '../../foundation/errors.ts';
import type { Steps } from '../../foundation/queues.ts';
import type { Filter, Span } from './filter.ts';
import { findInSteps, searchInSteps, unitsAt } from './search.ts';

/** The engine takes about a microsecond a character on text that was made for a pattern. */
const WINDOW_LENGTH = 2048;
/** Each search for the next match may read as far as a match can reach. */
const MATCHES_A_STEP = 16;
/** Searches from match to match may read the rest of a text each time. */
const LONG_ABOVE = 1024;

/** Creates a filter from a caller's own pattern. Throws as `parsePattern` does. */
export function createCustomFilter(pattern: string, label: string | null): Filter {
  const { source, expression } = parsePattern(pattern, 'pattern');
  const reach = reachOf(source, expression);
  let behind: RE2JS | undefined;
  return {
    label: label ?? '[BLOCKED]',
    placeholder: label ?? '[REDACTED]',
    trigger: source,
    isTriggerExact: !mayBeEmpty(source),
    longAbove: LONG_ABOVE,
    findAll(text) {
      const spans: Span[] = [];
      const matcher = expression.matcher(text);
      while (matcher.find()) addSpan(spans, matcher, 0);
      return spans;
    },
    search: (text) => (reach === null ? findInSteps(text, expression) : searchInWindows(text, expression, reach)),
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

function addSpan(spans: Span[], matcher: Matcher, offset: number): void {
  const span = { start: offset + matcher.start(), end: offset + matcher.end() };
  if (span.end > span.start) spans.push(span);
}

/** Searches in windows that overlap by the length that a match may have. */
function* searchInWindows(text: string, expression: RE2JS, reach: number): Steps<readonly Span[]> {
  const spans: Span[] = [];
  let next = 0;
  let matches = 0;
  for (let end = WINDOW_LENGTH; next < text.length; end += WINDOW_LENGTH) {
    if (next >= end) continue;
    const left = Math.max(0, next - 2);
    const matcher = expression.matcher(text.slice(left, end + reach));
    while (next < Math.min(end, text.length) && matcher.find(next - left) && left + matcher.start() < end) {
      addSpan(spans, matcher, left);
      const [start, stop] = [left + matcher.start(), left + matcher.end()];
      next = stop > start ? stop : start + unitsAt(text, start);
      matches += 1;
      if (matches % MATCHES_A_STEP === 0) yield;
    }
    next = Math.max(next, end);
    yield;
  }
  return spans;
}

/**
 * The most characters from the beginning of a match to the last one that it depends on; null without a limit. Without
 * endless repetitions, a match passes each instruction of the program once at most.
 */
function reachOf(source: string, expression: RE2JS): number | null {
  return /[*+]|\{\d+,\}/.test(source) ? null : 2 * expression.programSize() + 2;
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
  const message = `is no usable regular expression: ${reason}`;
  return new GatewayError('invalid_request', `${path}: ${message} (invalid_regex_pattern)`, {
    cause,
    metadata: { reason: 'invalid_regex_pattern', issues: [{ path, message }] },
  });
}

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
