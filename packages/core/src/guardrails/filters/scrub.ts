import { isRecord } from '../../foundation/parse.ts';
import { BUILT_IN_FILTERS } from './compile-filters.ts';
import type { Filter, Span } from './filter.ts';
import { looksLikeKey } from './looks-like-key.ts';

/**
 * Takes secrets and personal data out of what is handed to others: by the filters that guardrails have, and by what
 * looks like a key without being of a known form.
 */

const { 'regex-prompt-injection': _, ...PRIVATE } = BUILT_IN_FILTERS;
const FILTERS: readonly Filter[] = [
  PRIVATE.secrets,
  ...Object.values(PRIVATE).filter((each) => each !== PRIVATE.secrets),
];

/** Long, without a blank, of letters and digits: a key, a token, a hash. */
const KEY_LIKE = /(?<![\w/+.-])[\w/+.-]{20,}={0,2}(?![\w/+.-])/g;
/** What is in a UUID's place after a word that says so opens something. */
const UUID_KEY =
  /(?:key|token|secret|password|passwd|credential)s?["'`]?\s{0,3}(?:[:=]|is|was)?\s{0,3}(?:bearer\s)?["'`<]?(?<uuid>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![\w-])/dgi;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const KEY_NAME = /(?:key|token|secret|password|passwd)$/i;
/** Members that hold a credential, whatever it looks like. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'authorization_token']);

/**
 * Ids that providers and this gateway make, each in its own alphabet. They open nothing, and calls of tools are matched by
 * them. Elsewhere than in the members for ids, what looks like one may be a key.
 */
const MADE_ID =
  /^(?:(?:call|toolu|srvtoolu|msg|resp|req|fc|rs|run|thread)_\w+|chatcmpl-(?:tool-)?[\da-zA-Z]+|gen-\d+-[\da-zA-Z]+|(?:call_|chatcmpl-)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;
const ID_NAME = /(?:^|_)ids?$|Id$/;
const KEY_PLACEHOLDER = '[SECRET]';

/** Members whose texts are the names of models and the like: they look like keys, and are none. */
const NAMES: ReadonlySet<string> = new Set(['model', 'models', 'role', 'type', 'object', 'finish_reason']);

/** The shortest number of a card has so many digits. */
const MIN_LONG_INTEGER = 1e11;

/** What was taken out of a value. */
export interface Scrubbed<Value> {
  readonly value: Value;
  readonly count: number;
}

/**
 * Replaces what is private in all texts of a JSON value, texts that are JSON themselves included, by placeholders such as
 * `[EMAIL]`. Names of members stay, unless they are private themselves.
 */
export function scrub<Value>(value: Value): Scrubbed<Value> {
  let count = 0;
  const scrubText = (text: string, isName = false): string => {
    const { text: clean, count: found } = replacePrivate(text, isName);
    count += found;
    return clean;
  };
  const scrubMember = (text: string, name: string): string => {
    if (text === '' || NAMES.has(name) || (ID_NAME.test(name) && MADE_ID.test(text))) return text;
    if (!CREDENTIALS.has(name) && !(KEY_NAME.test(name) && UUID.test(text))) return scrubText(text);
    count += 1;
    return KEY_PLACEHOLDER;
  };
  /** The number of a card may be written without quotes. */
  const scrubNumber = (value: number): number | string => {
    if (!Number.isInteger(value) || value < MIN_LONG_INTEGER) return value;
    const text = String(value);
    const clean = scrubText(text);
    return clean === text ? value : clean;
  };
  const walk = (each: unknown, name: string): unknown => {
    if (typeof each === 'string') return scrubMember(each, name);
    if (typeof each === 'number') return scrubNumber(each);
    if (Array.isArray(each)) return each.map((item) => walk(item, name));
    if (!isRecord(each)) return each;
    const clean: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(each)) clean[scrubText(key, true)] = walk(member, key);
    return clean;
  };
  return { value: walk(value, '') as Value, count };
}

interface Found extends Span {
  readonly placeholder: string;
}

/** Names of members are words of programs, some of which look like keys. */
function replacePrivate(text: string, isName: boolean): { readonly text: string; readonly count: number } {
  const found = FILTERS.flatMap(({ findAll, placeholder }) =>
    findAll(text).map((span): Found => ({ ...span, placeholder })),
  );
  for (const match of isName ? [] : text.matchAll(KEY_LIKE)) {
    const start = match.index;
    if (looksLikeKey(match[0])) found.push({ start, end: start + match[0].length, placeholder: KEY_PLACEHOLDER });
  }
  for (const { indices } of isName ? [] : text.matchAll(UUID_KEY)) {
    const [start, end] = indices?.groups?.['uuid'] ?? [0, 0];
    found.push({ start, end, placeholder: KEY_PLACEHOLDER });
  }
  if (found.length === 0) return { text, count: 0 };
  found.sort((one, other) => one.start - other.start || other.end - one.end);
  let clean = '';
  let at = 0;
  let count = 0;
  for (const { start, end, placeholder } of found) {
    if (end <= at) continue;
    // Where two overlap, the later one takes what the earlier one has left.
    clean += text.slice(at, Math.max(at, start)) + (start >= at ? placeholder : '');
    at = end;
    count += 1;
  }
  return { text: clean + text.slice(at), count };
}
