import { isRecord } from '../../foundation/parse.ts';
import type { SentRequest, StoredRequest } from '../../wire/stored-request.ts';
import type { StoredContent } from '../generations.ts';

/**
 * The form in which stores write contents, so that nothing is written twice (docs/decisions/0061): a member of a request
 * that repeats another of the same content names it, and in long contents messages, tools and long texts are blocks that
 * stand by themselves and are referred to by every content that has them.
 */

/** Stands for a value that the content has at another place, by its path: `input.messages`. */
const SAME = '$same';
/** Stands for a value that is a block. */
const BLOCK = '$block';
/** Stands, in a list, for the items of a block that is a list. */
const ITEMS = '$items';
/** Holds a value that could be taken for one of these, as JSON text. */
const LITERAL = '$json';

/** A shorter content is written whole: to look for blocks would cost more than it saves. */
const LONG_CONTENT = 4096;
/** In characters of JSON. A reference takes about 45. */
const LONG_TEXT = 256;
const LONG_ITEM = 96;
/** What is deeper is left to `JSON.stringify`, which says so of a value that has itself in it. */
const MAX_DEPTH = 200;
/** Items of a list that become a block together. Lists grow at their ends, so that all but the last stay as they are. */
const ITEMS_IN_BLOCK = 16;

type Content = Readonly<Record<string, unknown>>;

/** A content without the members of its request that repeat others. Small, and as a whole of the same shape. */
export function toStoredForm(content: StoredContent): Content {
  const { input, request } = content;
  if (request === undefined) return content as unknown as Content;
  const messages = 'messages' in input ? input.messages : undefined;
  const { body, expanded, attempts } = request;
  const findInInput = (_name: string, value: object): string | undefined =>
    messages !== undefined && isSameJson(value, messages) ? 'input.messages' : undefined;
  const findInBody = (name: string, value: object): string | undefined =>
    isSameMember(body, name, value) ? `request.body.${name}` : undefined;
  const toShort = (attempt: SentRequest, index: number): SentRequest => {
    const said = withoutRepeats(attempt.body, (name, value) => {
      const path =
        findInInput(name, value) ??
        findInBody(name, value) ??
        (isSameMember(expanded, name, value) ? `request.expanded.${name}` : undefined);
      if (path !== undefined || index === 0) return path;
      const before = attempts.findIndex((other, at) => at < index && isSameMember(other.body, name, value));
      return before === -1 ? undefined : `request.attempts.${before}.body.${name}`;
    });
    return said === attempt.body ? attempt : { ...attempt, body: said };
  };
  return {
    ...content,
    request: {
      ...request,
      body: withoutRepeats(body, findInInput),
      ...(expanded !== undefined && {
        expanded: withoutRepeats(expanded, (name, value) => findInInput(name, value) ?? findInBody(name, value)),
      }),
      attempts: attempts.map(toShort),
    },
  };
}

/** The content of a form, whose blocks are in their places. */
export function fromStoredForm(form: unknown): StoredContent {
  const content = form as StoredContent;
  const { request } = content;
  if (request === undefined) return content;
  const read: StoredRequest = { ...request, attempts: [] };
  const whole = { ...content, request: read };
  read.body = withRepeats(request.body, whole);
  if (request.expanded !== undefined) read.expanded = withRepeats(request.expanded, whole);
  for (const attempt of request.attempts) read.attempts.push({ ...attempt, body: withRepeats(attempt.body, whole) });
  return whole;
}

const isList = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a body has this value as its member of this name, which a path can name. */
const isSameMember = (body: unknown, name: string, value: object): boolean =>
  isRecord(body) && !name.includes('.') && isSameJson(value, body[name]);

/** The body with references in the place of what `find` names; the same object where there is nothing to name. */
function withoutRepeats(body: unknown, find: (name: string, value: object) => string | undefined): unknown {
  if (!isRecord(body)) return body;
  let said: Record<string, unknown> | undefined;
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (!isList(value)) continue;
    const path = find(name, value);
    if (path !== undefined) (said ??= { ...body })[name] = { [SAME]: path };
    else if (SAME in value || LITERAL in value) (said ??= { ...body })[name] = { [LITERAL]: JSON.stringify(value) };
  }
  return said ?? body;
}

function withRepeats(said: unknown, whole: StoredContent): unknown {
  if (!isRecord(said)) return said;
  const body: Record<string, unknown> = {};
  for (const name of Object.keys(said)) {
    const value = said[name];
    if (isRecord(value) && typeof value[SAME] === 'string') body[name] = valueAt(whole, value[SAME]);
    else body[name] = isRecord(value) && typeof value[LITERAL] === 'string' ? JSON.parse(value[LITERAL]) : value;
  }
  return body;
}

function valueAt(whole: StoredContent, path: string): unknown {
  let value: unknown = whole;
  for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  return value;
}

/** Whether two values have the same JSON: with their members in the same order, because bodies are sent in an order. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isList(one) || !isList(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  const others = Object.keys(other);
  if (names.length !== others.length) return false;
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string;
    if (name !== others[at]) return false;
    if (!isSameJson((one as Content)[name], (other as Content)[name])) return false;
  }
  return true;
}

/** Writes a block, given as JSON, unless it is there; returns its reference, a text without quotes. */
export type PutBlock = (json: string) => string;

/** Whether it is worth looking for blocks in a content of so many characters of JSON. */
export const isLongJson = (length: number): boolean => length >= LONG_CONTENT;

/** The same before it is written. */
export function isLongContent({ input, request }: Pick<StoredContent, 'input' | 'request'>): boolean {
  return lengthWithin(input, LONG_CONTENT) >= LONG_CONTENT || lengthWithin(request, LONG_CONTENT) >= LONG_CONTENT;
}

/** The characters of a value's texts, counted until there are so many, and to a depth that no request has. */
function lengthWithin(value: unknown, most: number, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (!isList(value) || depth > MAX_DEPTH) return 1;
  let length = 0;
  for (const name of Object.keys(value)) {
    length += lengthWithin((value as Content)[name], most - length, depth + 1) + 4;
    if (length >= most) break;
  }
  return length;
}

/** A value as JSON with references in the place of its blocks. */
export function toPackedJson(value: unknown, put: PutBlock): string {
  if (typeof value === 'string') {
    const json = JSON.stringify(value);
    return json.length < LONG_TEXT ? json : toReference(BLOCK, put(json));
  }
  if (!isList(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return toPackedList(value, put);
  if (isReserved(value)) return JSON.stringify({ [LITERAL]: JSON.stringify(value) });
  let json = '';
  for (const name of Object.keys(value)) {
    const member = (value as Content)[name];
    if (member === undefined) continue;
    json += `${json === '' ? '{' : ','}${JSON.stringify(name)}:${toPackedJson(member, put)}`;
  }
  return json === '' ? '{}' : `${json}}`;
}

function toPackedList(list: readonly unknown[], put: PutBlock): string {
  if (!list.some(isList)) {
    const json = `[${list.map((item) => toPackedJson(item, put)).join()}]`;
    return json.length < LONG_TEXT ? json : toReference(BLOCK, put(json));
  }
  const items = list.map((item) => {
    const json = toPackedJson(item, put);
    return !isList(item) || json.length < LONG_ITEM || json.startsWith(`{"${BLOCK}":`)
      ? json
      : toReference(BLOCK, put(json));
  });
  const parts: string[] = [];
  let at = 0;
  for (; items.length - at >= ITEMS_IN_BLOCK; at += ITEMS_IN_BLOCK) {
    parts.push(toReference(ITEMS, put(`[${items.slice(at, at + ITEMS_IN_BLOCK).join()}]`)));
  }
  return `[${[...parts, ...items.slice(at)].join()}]`;
}

const toReference = (name: string, reference: string): string => `{"${name}":"${reference}"}`;

function isReserved(value: object): boolean {
  return BLOCK in value || ITEMS in value || LITERAL in value;
}

/** In JSON: a quote within a text is escaped, so that it matches references alone. */
const REFERENCE = /\{"\$(block|items)":"([^"\\]*)"\}/g;

/** The references in the JSON of a packed value; those within its blocks are not among them. */
export function referencesIn(json: string): string[] {
  return Array.from(json.matchAll(REFERENCE), ([, , reference = '']) => reference);
}

/** A packed value with other references in the place of its own. */
export function withReferences(json: string, toOther: (reference: string) => string): string {
  return json.replace(REFERENCE, (_, name: string, reference: string) => toReference(`$${name}`, toOther(reference)));
}

/** The value of a packed one; `readBlock` returns the JSON of a block. Throws what that throws. */
export function fromPacked(packed: unknown, readBlock: (reference: string) => string): unknown {
  const read = (value: unknown): unknown => {
    if (!isList(value)) return value;
    if (Array.isArray(value)) return value.flatMap((item: unknown) => (isItems(item) ? readItems(item) : [read(item)]));
    const known = value as Content;
    const { [BLOCK]: block, [LITERAL]: literal } = known;
    if (typeof block === 'string') return read(JSON.parse(readBlock(block)));
    if (typeof literal === 'string') return JSON.parse(literal);
    const whole: Record<string, unknown> = {};
    for (const name of Object.keys(known)) whole[name] = read(known[name]);
    return whole;
  };
  const readItems = (item: Readonly<Record<typeof ITEMS, string>>): unknown[] =>
    read(JSON.parse(readBlock(item[ITEMS]))) as unknown[];
  return read(packed);
}

const isItems = (item: unknown): item is Readonly<Record<typeof ITEMS, string>> =>
  isRecord(item) && typeof item[ITEMS] === 'string';
