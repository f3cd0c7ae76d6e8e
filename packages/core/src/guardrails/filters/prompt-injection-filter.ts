import { runAtOnce, type Steps } from '../../foundation/queues.ts';
import type { Filter, Span } from './filter.ts';
import { findEncoded, isOrder } from './find-encoded.ts';
import { findInWindows, type WindowedPattern } from './find-in-windows.ts';
import { INJECTION_PATTERNS, INJECTION_WORDS } from './injection-patterns.ts';

/** "Do not ignore the instructions" is good advice. */
const direct: WindowedPattern = {
  pattern: new RegExp(
    `(?<![a-z]|(?:do|must|should|did|does|can|could|would|may) not |n't |never )(?:${INJECTION_PATTERNS.join('|')})`,
    'gi',
  ),
  reach: 1024,
};

/** What distinguishes a misspelt order from a typing error: an order is a verb with a noun soon after. */
const VERBS = ['ignore', 'bypass', 'override', 'reveal', 'delete', 'disregard'];
const NOUNS = ['system', 'prompt', 'instructions', 'previous'];
const scrambled: WindowedPattern = { pattern: /(?<![a-z])[a-z]{6,12}(?![a-z])/gi, reach: 13 };
const MAX_WORDS_BETWEEN = 6;

const hexadecimal: WindowedPattern = { pattern: /(?:(?:0x|\\x)?[0-9a-f]{2}[ :,]?){12,2000}/gi, reach: 10_001 };
const spaced: WindowedPattern = { pattern: /(?<![a-z])(?:[a-z][ ._*|-]{1,3}){7,200}[a-z](?![a-z])/gi, reach: 1024 };

const orderWithoutSpaces =
  /(?:ignore|disregard|forget|bypass|override|reveal).{0,40}(?:systemprompt|prompt|instructions?|rules|safety|filters?)/i;

const ENCODED_TRIGGERS = '[a-z0-9+/]{20}|(?:[0-9a-f]{2}[ :,]?){12}|(?:[a-z][ ._*|-]{1,3}){7}';
const SCRAMBLED_TRIGGERS = [...VERBS, ...NOUNS].map(toScrambledPattern).join('|');

/** Attempts to talk a model out of its instructions, in the open or in disguise. Looks at input alone. */
export const promptInjectionFilter: Filter = {
  label: 'Prompt injection',
  placeholder: '[PROMPT_INJECTION]',
  trigger: `${INJECTION_WORDS}|${ENCODED_TRIGGERS}|${SCRAMBLED_TRIGGERS}`,
  findAll: (text) => runAtOnce(search(text, text.length)),
  search: (text) => search(text, 0),
};

function* search(text: string, atOnce: number): Steps<readonly Span[]> {
  const spans: Span[] = [];
  yield* findInWindows(text, direct, atOnce, (found, start) => addSpan(spans, start, start + found.length));
  yield* findScrambled(text, atOnce, spans);
  yield* findEncoded(text, atOnce, spans);
  yield* findInWindows(text, hexadecimal, atOnce, (found, start) => {
    const end = start + found.length;
    return isOrder(decodeHexadecimal(found)) ? addSpan(spans, start, end) : end;
  });
  yield* findInWindows(text, spaced, atOnce, (found, start) => {
    const end = start + found.length;
    return orderWithoutSpaces.test(found.replace(/[^a-z]/gi, '')) ? addSpan(spans, start, end) : end;
  });
  return withoutOverlaps(spans.toSorted((a, b) => a.start - b.start));
}

function addSpan(spans: Span[], start: number, end: number): number {
  spans.push({ start, end });
  return end;
}

/** A verb and a noun close behind it, at least one of them with its inner letters in another order. */
function* findScrambled(text: string, atOnce: number, spans: Span[]): Steps<void> {
  let verb: { start: number; isScrambled: boolean } | undefined;
  let words = 0;
  yield* findInWindows(text, scrambled, atOnce, (found, start) => {
    const word = found.toLowerCase();
    const end = start + found.length;
    words += 1;
    if (verb !== undefined && words <= MAX_WORDS_BETWEEN) {
      const noun = unscramble(word, NOUNS);
      if (noun !== undefined && (verb.isScrambled || noun !== word)) {
        spans.push({ start: verb.start, end });
        verb = undefined;
        return end;
      }
    }
    const known = unscramble(word, VERBS);
    if (known === undefined) return end;
    verb = { start, isScrambled: known !== word };
    words = 0;
    return end;
  });
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
