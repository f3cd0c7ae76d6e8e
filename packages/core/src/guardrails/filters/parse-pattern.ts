import { RE2JS } from 're2js';

import { GatewayError } from '../../foundation/errors.ts';

/** Case never makes a difference, and `^` and `$` stand for the bounds of lines: several texts are searched as one. */
export const PATTERN_FLAGS = RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE;

/**
 * Instructions that one pattern may compile to. Time is linear in the text, but a pattern of this size already needs
 * near 0.1 s for 100 KB in the worst case (measured with re2js 2.10).
 */
const MAX_INSTRUCTIONS = 1100;

/** A pattern as the linear engine takes it, written as for JavaScript. */
export interface ParsedPattern {
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
