import { RE2JS } from 're2js';

import type { Filter, Span } from './filter.ts';
import { parsePattern, PATTERN_FLAGS } from './parse-pattern.ts';

/** Creates a filter from a caller's own pattern. Throws as `parsePattern` does. */
export function createCustomFilter(pattern: string, label: string | null): Filter {
  const { source, expression } = parsePattern(pattern, 'pattern');
  let behind: RE2JS | undefined;
  return {
    label: label ?? '[BLOCKED]',
    placeholder: label ?? '[REDACTED]',
    trigger: source,
    findAll(text) {
      const spans: Span[] = [];
      const matcher = expression.matcher(text);
      while (matcher.find()) {
        const span = { start: matcher.start(), end: matcher.end() };
        if (span.end > span.start) spans.push(span);
      }
      return spans;
    },
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
