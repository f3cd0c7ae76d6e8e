import { isRecord } from '../../foundation/parse.ts';
import { BUILT_IN_FILTERS } from './compile-filters.ts';
import type { Filter, Span } from './filter.ts';

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
/** Ids that providers and this gateway make. They open nothing, and calls of tools are matched by them. */
const MADE_ID = /^(?:call|toolu|srvtoolu|chatcmpl|gen|msg|resp|req|fc|rs|run|thread)[_-][\w-]+$/;
const KEY_PLACEHOLDER = '[SECRET]';

/** Members whose texts are the names of models and the like: they look like keys, and are none. */
const NAMES: ReadonlySet<string> = new Set(['model', 'models', 'role', 'type', 'object', 'finish_reason']);

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
  const walk = (each: unknown, name: string): unknown => {
    if (typeof each === 'string') return NAMES.has(name) || MADE_ID.test(each) ? each : scrubText(each);
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
  if (found.length === 0) return { text, count: 0 };
  found.sort((one, other) => one.start - other.start || other.end - one.end);
  let clean = '';
  let at = 0;
  let count = 0;
  for (const { start, end, placeholder } of found) {
    if (end <= at) continue;
    // Of two that overlap, the later one takes what the earlier has left.
    clean += text.slice(at, Math.max(at, start)) + (start >= at ? placeholder : '');
    at = end;
    count += 1;
  }
  return { text: clean + text.slice(at), count };
}

/** Letters and digits in no order: words, paths and versions have few changes between the two, names of programs few capitals. */
function looksLikeKey(text: string): boolean {
  if (MADE_ID.test(text)) return false;
  return text
    .split(/[-/._]/)
    .some((part) => part.length >= 16 && changesOf(part) >= part.length / (/\d/.test(part) ? 6 : 4.2));
}

/** How often a letter follows a digit, a digit a letter, or a capital a small letter. */
const changesOf = (part: string): number =>
  (part.match(/(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d|(?<=[a-z])[A-Z]/g) ?? []).length;
