/** Where a text stops being JSON, and what would have been right there. */
export interface JsonError {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 units. */
  readonly column: number;
  readonly message: string;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// oxlint-disable-next-line no-control-regex -- JSON forbids exactly these inside a string
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

/** Thrown within this file only, to leave the recursion. */
class Stop extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Finds the first place where a text is not JSON; null when there is none. The engine's own message quotes the text
 * around the place, where a key may stand, and names no place for some faults.
 */
export function findJsonError(text: string): JsonError | null {
  try {
    const end = skipSpace(text, readValue(text, skipSpace(text, 0)));
    if (end < text.length) throw new Stop(end, 'there is more after the end of the value');
    return null;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const before = text.slice(0, error.offset);
    return {
      line: before.split('\n').length,
      column: error.offset - before.lastIndexOf('\n'),
      message: error.message,
    };
  }
}

function readValue(text: string, at: number): number {
  const first = text[at];
  if (first === '{') return readMembers(text, at, '}', readMember);
  if (first === '[') return readMembers(text, at, ']', readValue);
  if (first === '"') return readString(text, at);
  const end = match(WORD, text, at) ?? match(NUMBER, text, at);
  if (end === undefined) throw new Stop(at, describeUnexpected(text, at, 'a value'));
  return end;
}

function readMembers(text: string, open: number, close: '}' | ']', read: typeof readValue): number {
  let at = skipSpace(text, open + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    at = skipSpace(text, read(text, at));
    if (text[at] === close) return at + 1;
    if (text[at] !== ',') throw new Stop(at, describeUnexpected(text, at, `a comma or "${close}"`));
    const comma = at;
    at = skipSpace(text, at + 1);
    if (text[at] === close) throw new Stop(comma, `a comma before "${close}" is not allowed`);
  }
}

function readMember(text: string, at: number): number {
  if (text[at] !== '"') throw new Stop(at, describeUnexpected(text, at, 'a field name in double quotes'));
  const colon = skipSpace(text, readString(text, at));
  if (text[colon] !== ':') throw new Stop(colon, describeUnexpected(text, colon, 'a colon after the field name'));
  return readValue(text, skipSpace(text, colon + 1));
}

function readString(text: string, at: number): number {
  const end = match(STRING, text, at);
  if (end === undefined) {
    throw new Stop(at, 'this text is not closed on its line, or holds a bad escape (write \\\\ for a backslash)');
  }
  return end;
}

function describeUnexpected(text: string, at: number, expected: string): string {
  if (at >= text.length) return `the file ends where ${expected} is expected`;
  if (text[at] === '/' || text[at] === '#') return 'comments are not allowed in JSON';
  if (text[at] === "'") return 'text needs double quotes, not single ones';
  return `expected ${expected}`;
}

const skipSpace = (text: string, at: number): number => match(SPACE, text, at) ?? at;

function match(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
