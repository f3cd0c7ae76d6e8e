/** Where a text stops being JSON, and what would have been right there. */
interface JsonError {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 units. */
  readonly column: number;
  readonly message: string;
}

const JSON_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const JSON_ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const JSON_WORD = /true|false|null/y;
const JSON_SPACE = ' \t\n\r';

/** A value of a text, with all that is in it. */
interface JsonPlace {
  /** Where its name begins; for an item of a list and for the whole text, where the value does. */
  readonly offset: number;
  /** How many values it is in. */
  readonly depth: number;
  /** By their part of a path: `.name` or `[0]`. Undefined where there are none. */
  members: Map<string, JsonPlace> | undefined;
  /** The place of the same name that stands before this one, whose value it overrides. */
  readonly earlier: JsonPlace | undefined;
}

/** Where the values of a text are. */
export interface JsonPlaces {
  /** The line of a field, e.g. `providers[0].baseUrl`, or of the nearest one around it; undefined where none is. */
  lineOf(path: string): number | undefined;
  /** Names that one object has more than once, each with its lines. `JSON.parse` takes the last without a word. */
  readonly repeated: readonly { readonly path: string; readonly lines: readonly number[] }[];
}

/** Thrown within this file only, to leave the recursion. */
class JsonStop extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Finds the first place where a text is not JSON, or too deep; null when there is none. The engine's own message quotes
 * the text around the place, where a key may stand, and names no place for some faults.
 */
export function findJsonError(text: string): JsonError | null {
  try {
    readJson(text);
    return null;
  } catch (error) {
    if (!(error instanceof JsonStop)) throw error;
    const { offset, message } = error;
    const before = text.slice(0, offset);
    return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n'), message };
  }
}

/** Finds the places of all values of a text that is JSON. */
export function findJsonPlaces(text: string): JsonPlaces {
  const root = readJson(text);
  let ends: readonly number[] | undefined;
  const lineAt = (offset: number): number => {
    ends ??= [...text.matchAll(/\n/g)].map(({ index }) => index);
    const line = ends.findIndex((end) => end >= offset);
    return (line === -1 ? ends.length : line) + 1;
  };
  return {
    lineOf(path) {
      const place = findPlace(root, path.startsWith('[') ? path : `.${path}`);
      return place === root ? undefined : lineAt(place.offset);
    },
    repeated: listRepeated(root).map(({ path, offsets }) => ({
      path: path.replace(/^\./, ''),
      lines: offsets.map(lineAt),
    })),
  };
}

/** The place of a path, or the nearest one around it. Names may have dots of their own, so the longest counts. */
function findPlace(place: JsonPlace, path: string): JsonPlace {
  const item = /^\[\d+\]/.exec(path)?.[0];
  const parts =
    item === undefined ? [...(place.members?.keys() ?? [])].filter((part) => startsWithPart(path, part)) : [item];
  const part = parts.reduce((longest, one) => (one.length > longest.length ? one : longest), '');
  const member = place.members?.get(part);
  return member === undefined ? place : findPlace(member, path.slice(part.length));
}

const startsWithPart = (path: string, part: string): boolean =>
  path.startsWith(part) && ['.', '[', ''].includes(path.charAt(part.length));

function listRepeated(place: JsonPlace, path = ''): { path: string; offsets: readonly number[] }[] {
  return [...(place.members ?? [])].flatMap(([part, member]) => {
    const offsets = [];
    for (let one: JsonPlace | undefined = member; one !== undefined; one = one.earlier) offsets.unshift(one.offset);
    const own = offsets.length > 1 ? [{ path: path + part, offsets }] : [];
    return member.members === undefined ? own : [...own, ...listRepeated(member, path + part)];
  });
}

/** Reads a text. Throws `JsonStop` where it stops being JSON. */
function readJson(text: string): JsonPlace {
  const start = skipSpace(text, 0);
  const root = toPlace(start);
  const end = skipSpace(text, readJsonValue(text, start, root));
  if (end < text.length) throw new JsonStop(end, 'there is more after the end of the value');
  return root;
}

/** Far more than any configuration needs, and few enough for the stack. */
const MAX_DEPTH = 500;

function toPlace(offset: number, around?: JsonPlace, earlier?: JsonPlace): JsonPlace {
  const depth = around === undefined ? 0 : around.depth + 1;
  if (depth > MAX_DEPTH) throw new JsonStop(offset, `this is nested more than ${MAX_DEPTH} levels deep`);
  return { offset, depth, members: undefined, earlier };
}

/** Notes what is in the value of a place, and returns the offset of its end. */
function readJsonValue(text: string, at: number, place: JsonPlace): number {
  const first = text[at];
  if (first === '{') return readJsonMembers(text, at, '}', (start) => readJsonMember(text, start, place));
  if (first === '[') return readJsonMembers(text, at, ']', (start) => readJsonItem(text, start, place));
  if (first === '"') return readJsonString(text, at);
  const end = matchJson(JSON_WORD, text, at) ?? matchJson(JSON_NUMBER, text, at);
  if (end === undefined) throw new JsonStop(at, describeUnexpected(text, at, 'a value'));
  return end;
}

function readJsonMembers(text: string, open: number, close: '}' | ']', read: (at: number) => number): number {
  let at = skipSpace(text, open + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    at = skipSpace(text, read(at));
    if (text[at] === close) return at + 1;
    if (text[at] !== ',') throw new JsonStop(at, describeUnexpected(text, at, `a comma or "${close}"`));
    const comma = at;
    at = skipSpace(text, at + 1);
    if (text[at] === close) throw new JsonStop(comma, `a comma before "${close}" is not allowed`);
  }
}

function readJsonItem(text: string, at: number, list: JsonPlace): number {
  const item = toPlace(at, list);
  const members = (list.members ??= new Map<string, JsonPlace>());
  members.set(`[${members.size}]`, item);
  return readJsonValue(text, at, item);
}

function readJsonMember(text: string, at: number, object: JsonPlace): number {
  if (text[at] !== '"') throw new JsonStop(at, describeUnexpected(text, at, 'a field name in double quotes'));
  const end = readJsonString(text, at);
  const colon = skipSpace(text, end);
  if (text[colon] !== ':') throw new JsonStop(colon, describeUnexpected(text, colon, 'a colon after the field name'));
  const part = `.${JSON.parse(text.slice(at, end)) as string}`;
  const members = (object.members ??= new Map<string, JsonPlace>());
  const member = toPlace(at, object, members.get(part));
  members.set(part, member);
  return readJsonValue(text, skipSpace(text, colon + 1), member);
}

function readJsonString(text: string, at: number): number {
  for (let end = at + 1; end < text.length && text.charCodeAt(end) >= FIRST_PRINTABLE; end += 1) {
    if (text[end] === '"') return end + 1;
    if (text[end] !== '\\') continue;
    const next = matchJson(JSON_ESCAPE, text, end);
    if (next === undefined) break;
    end = next - 1;
  }
  throw new JsonStop(at, 'this text is not closed on its line, or holds a bad escape (write \\\\ for a backslash)');
}

/** JSON forbids the characters below it inside a string. */
const FIRST_PRINTABLE = 0x20;

function describeUnexpected(text: string, at: number, expected: string): string {
  if (at >= text.length) return `the file ends where ${expected} is expected`;
  if (text[at] === '/' || text[at] === '#') return 'comments are not allowed in JSON';
  if (text[at] === "'") return 'text needs double quotes, not single ones';
  return `expected ${expected}`;
}

function skipSpace(text: string, at: number): number {
  let end = at;
  while (end < text.length && JSON_SPACE.includes(text.charAt(end))) end += 1;
  return end;
}

function matchJson(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
