import { type Matcher, RE2JS } from 're2js';

import type { Steps } from '../../foundation/queues.ts';
import type { Filter, Span } from './filter.ts';
import { findInSteps, unitsAt } from './find-in-steps.ts';
import { parsePattern, PATTERN_FLAGS } from './parse-pattern.ts';

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
