import type { Filter, Span } from './filter.ts';
import { INJECTION_PATTERNS, INJECTION_WORDS } from './injection-patterns.ts';

/** "Do not ignore the instructions" is good advice. */
const direct = new RegExp(
  `(?<![a-z]|(?:do|must|should|did|does|can|could|would|may) not |n't |never )(?:${INJECTION_PATTERNS.join('|')})`,
  'gi',
);

/** What distinguishes a misspelt order from a typing error: an order is a verb with a noun soon after. */
const VERBS = ['ignore', 'bypass', 'override', 'reveal', 'delete', 'disregard'];
const NOUNS = ['system', 'prompt', 'instructions', 'previous'];
const scrambled = /(?<![a-z])[a-z]{6,12}(?![a-z])/gi;
const MAX_WORDS_BETWEEN = 6;

// The pattern begins only at the start of a run, so that no run is scanned twice, however long it is.
const encoded = /(?<![a-z0-9+/_-])[a-z0-9+/_-]{20,}={0,2}/gi;
const hexadecimal = /(?:(?:0x|\\x)?[0-9a-f]{2}[ :,]?){12,2000}/gi;
const spaced = /(?<![a-z])(?:[a-z][ ._*|-]{1,3}){7,200}[a-z](?![a-z])/gi;

const orderInPlain =
  /\b(?:ignore|disregard|forget|bypass|override|reveal)\b[\s\S]{0,80}\b(?:system|prompts?|instructions?|rules|previous|above|safety)\b/i;
const orderWithoutSpaces =
  /(?:ignore|disregard|forget|bypass|override|reveal).{0,40}(?:systemprompt|prompt|instructions?|rules|safety|filters?)/i;

const ENCODED_TRIGGERS = '[a-z0-9+/]{20}|(?:[0-9a-f]{2}[ :,]?){12}|(?:[a-z][ ._*|-]{1,3}){7}';
const SCRAMBLED_TRIGGERS = [...VERBS, ...NOUNS].map(toScrambledPattern).join('|');

/** Attempts to talk a model out of its instructions, in the open or in disguise. Looks at input alone. */
export const promptInjectionFilter: Filter = {
  label: 'Prompt injection',
  placeholder: '[PROMPT_INJECTION]',
  trigger: `${INJECTION_WORDS}|${ENCODED_TRIGGERS}|${SCRAMBLED_TRIGGERS}`,
  findAll(text) {
    const spans = [...findDirect(text), ...findScrambled(text), ...findDisguised(text)];
    return withoutOverlaps(spans.toSorted((a, b) => a.start - b.start));
  },
};

function* findDirect(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(direct)) yield { start: index, end: index + found.length };
}

/** A verb and a noun close behind it, at least one of them with its inner letters in another order. */
function* findScrambled(text: string): Generator<Span> {
  let verb: { start: number; isScrambled: boolean } | undefined;
  let words = 0;
  for (const { 0: found, index } of text.matchAll(scrambled)) {
    const word = found.toLowerCase();
    words += 1;
    if (verb !== undefined && words <= MAX_WORDS_BETWEEN) {
      const noun = unscramble(word, NOUNS);
      if (noun !== undefined && (verb.isScrambled || noun !== word)) {
        yield { start: verb.start, end: index + found.length };
        verb = undefined;
        continue;
      }
    }
    const known = unscramble(word, VERBS);
    if (known === undefined) continue;
    verb = { start: index, isScrambled: known !== word };
    words = 0;
  }
}

/** The word of the list that has the same first, last and other letters. */
function unscramble(word: string, list: readonly string[]): string | undefined {
  return list.find(
    (known) =>
      known.length === word.length &&
      known[0] === word[0] &&
      known.at(-1) === word.at(-1) &&
      sortLetters(known) === sortLetters(word),
  );
}

const sortLetters = (word: string): string => word.split('').toSorted().join('');

function toScrambledPattern(word: string): string {
  const inner = [...new Set(word.slice(1, -1))].join('');
  return `${word.charAt(0)}[${inner}]{${word.length - 2}}${word.charAt(word.length - 1)}`;
}

function* findDisguised(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(encoded)) {
    if (orderInPlain.test(decodeBase64(found))) yield { start: index, end: index + found.length };
  }
  for (const { 0: found, index } of text.matchAll(hexadecimal)) {
    if (orderInPlain.test(decodeHexadecimal(found))) yield { start: index, end: index + found.length };
  }
  for (const { 0: found, index } of text.matchAll(spaced)) {
    if (orderWithoutSpaces.test(found.replace(/[^a-z]/gi, ''))) yield { start: index, end: index + found.length };
  }
}

/** The bytes as characters; empty where it is no base64. */
function decodeBase64(found: string): string {
  const plain = found.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  // Characters after the last whole group of four may belong to the following text, so they are cut off.
  return atob(plain.slice(0, plain.length - (plain.length % 4)));
}

function decodeHexadecimal(found: string): string {
  const digits = found.replace(/0x|\\x|[^0-9a-f]/gi, '');
  let decoded = '';
  for (let at = 0; at + 1 < digits.length; at += 2)
    decoded += String.fromCharCode(Number.parseInt(digits.slice(at, at + 2), 16));
  return decoded;
}

function withoutOverlaps(spans: readonly Span[]): Span[] {
  const kept: Span[] = [];
  for (const span of spans) if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
  return kept;
}
