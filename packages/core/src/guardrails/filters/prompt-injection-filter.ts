import { runAtOnce, type Steps } from '../../foundation/queues.ts';
import type { Filter, Span } from './filter.ts';
import { findInWindows, type WindowedPattern } from './search.ts';

/** The separator between words of one phrase: a short text without the end of a sentence. */
const GAP = '[^.!?\\n]{0,40}?';
const THE =
  '(?:(?:all|any|every|each|of|the|these|those|this|that|my|our|your|its|and|other|from|you|were|was|given|have|been|received) ){0,5}';
const FORMER =
  '(?:previous|prior|above|preceding|earlier|former|foregoing|initial|original|existing|current|system|safety|last|aforementioned|past)';
const ORDERS =
  '(?:instructions?|prompts?|rules?|directions?|guidelines?|commands?|directives?|constraints?|programming|orders|training|messages?|polic(?:y|ies)|restrictions?|context)';
const SET_ASIDE =
  "(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overlook|neglect|overrid(?:e|ing)|set aside|throw (?:out|away)|discard|erase|do not (?:follow|obey)|don't (?:follow|obey)|stop (?:following|obeying))";
const UNBOUND =
  '(?:unrestricted|unfiltered|uncensored|unlimited|jailbroken|evil|amoral|unethical|lawless|unaligned|unbound|rogue)';
const GUARDS =
  '(?:safety|security|content|ethical|moderation|alignment)? ?(?:guardrails?|guidelines?|restrictions?|filters?|safeguards?|limitations?|protocols?|polic(?:y|ies)|constraints?|checks?|rules?|measures?|training|features?)';

/**
 * Phrases that try to override a model's instructions, as groups of patterns (wire.md 16.6). Case makes no difference.
 * Each pattern requires the words that address a model, so that a text about these phrases does not match.
 */
const INJECTION_PATTERNS: readonly string[] = [
  // Setting instructions aside
  `${SET_ASIDE} ${THE}(?:${FORMER},? (?:and |or )?){1,3}(?:${FORMER} )?${ORDERS}`,
  `${SET_ASIDE} ${THE}(?:your|the system(?:'s)?|every|all(?: of)?(?: the)?) ${ORDERS}\\b(?! (?:manual|sheet|booklet))`,
  `${SET_ASIDE} (?:everything|anything|all|what(?:ever)?)(?: that)?(?: (?:was|is|has been|you (?:were|have been)))? (?:(?:said|told|written|instructed|stated|mentioned) )?(?:above|before|previously|so far|prior to this|up to (?:now|this point|here))`,
  `(?:here (?:are|is)|these are|follow|obey) (?:your|the|my)? ?new (?:system )?(?:instructions|orders|rules|directives)(?: (?:instead|only|from now on))?`,
  'your (?:new|real|actual|true) (?:task|goal|purpose|mission|objective|instructions?|orders?|role) (?:is|are)(?: now)?\\b',
  'new (?:system )?instructions?:',
  'begin(?:ning)? (?:of )?(?:new |updated |system |admin ){1,2}(?:instructions|prompt|message|override)',
  // Modes that do not exist
  '(?:enable|activate|enter|switch (?:in)?to|turn on|engage|unlock|go into|start) (?:the )?(?:developer|debug|god|admin|sudo|root|maintenance|jailbreak|unrestricted|dan|bypass|diagnostic) mode\\b(?! (?:on|in|for|of) (?:my|the|your|this|a|an|android|chrome|ios|windows|chromeos|roblox))',
  '(?:developer|god|dan|jailbreak|unrestricted|sudo) mode (?:is )?(?:now )?(?:enabled|activated|engaged|unlocked|on)[.,!:;]? (?:you|respond|answer|ignore|output|all|reply)',
  '(?:system|admin(?:istrator)?|security|emergency|root) override(?: (?:code|command|accepted|granted|authori[sz]ed|initiated|engaged|protocol)|[:!])',
  // Getting at the prompt
  `(?:reveal|show|print|repeat|output|display|tell me|give me|leak|dump|expose|recite|disclose|share|write out|send me|paste|spell out|summari[sz]e|translate|encode) (?:me |us |to me |out )?${GAP}(?:your|the|its) (?:(?:full|entire|exact|complete|whole|verbatim|own|current|very) ){0,3}(?:(?:system|hidden|secret|initial|original|internal|confidential|pre-?|base) ?(?:prompt|instructions?|message|directives?|rules|guidelines|configuration)|preprompt|metaprompt)`,
  'what (?:is|are|was|were|does|do)(?: in)? (?:your|the text of your) (?:(?:full|exact|entire|complete) )?(?:system|hidden|secret|initial|original|internal) (?:prompt|instructions?|message|directives?|rules)',
  '(?:repeat|print|output|copy|show|write|return|echo|recite) (?:back )?(?:to me )?(?:everything|all(?: of)?(?: the)?(?: text| words| content)?|the (?:words|text|content|sentences?|paragraphs?|lines?)|verbatim) (?:that (?:is|are|comes?|appears?) )?(?:above|before this|preceding this|in your (?:context|prompt))',
  // Another identity
  `you are (?:now |no longer )?(?:an? )?(?:completely |totally |fully )?${UNBOUND}`,
  'you are (?:now free|no longer (?:bound|restricted|limited|constrained|governed|subject|required|obliged|an? (?:ai|assistant|language model|chatbot)))',
  `(?:act|behave|respond|answer|reply|operate|speak|role-?play|pretend) (?:as|like|to be|that you are|you are) (?:if you (?:were|are) )?(?:an? )?(?:completely |totally |fully )?(?:${UNBOUND}|(?:ai|assistant|model|chatbot|bot) (?:with(?:out)?|that has) (?:no |any )?(?:rules|restrictions|limits|limitations|filters?|ethics|morals|guidelines))`,
  `(?:pretend|imagine|act as if|assume|suppose) (?:that )?(?:you(?: do not| don't)? have (?:no|any)|there are no|none of) ${GAP}(?:restrictions?|rules|guidelines|limitations?|filters?|content polic(?:y|ies)|ethics|safety)`,
  `from (?:now|this point|here) on(?:wards?)?,? (?:you (?:are|will (?:only )?(?:be|act|behave|respond|answer|obey|ignore|comply)|must (?:only )?(?:act|behave|respond|answer|obey|ignore|comply)|have no|only (?:respond|answer))|ignore|disregard|respond only as|act as)`,
  '(?:two|2) (?:responses|answers|replies|ways)[^.!?\\n]{0,60}(?:jailb(?:roken|reak)|unfiltered|\\bdan\\b)',
  // Jailbreaks that have names
  'do anything now',
  "(?:you are|act as|become|be|as|simulate|respond as|called|answer as) (?:now )?(?:dan|stan|dude|aim|evilbot|betterdan|evil confidant|devmode|anti-?dan|mongo tom|sydney)\\b(?![ -](?:brown|smith|rather|lee|is|was|and)|')",
  '\\b(?:dan|stan|dude) (?:jailbreak|prompt|\\d{1,2}\\.\\d)\\b',
  'jailbreak (?:yourself|this (?:model|ai|assistant)|prompt:|the (?:model|assistant|ai|llm))',
  // Switching safety off
  `(?:bypass|disable|circumvent|turn off|remove|evade|switch off|deactivate|suspend|lift|drop|get around|suppress|override) (?:all |any |both |each )?(?:of )?(?:your|openai(?:'s)?|anthropic(?:'s)?|google(?:'s)?|the (?:model|assistant|ai|llm|chatbot|bot)'s) (?:own |built-in |internal )?(?:${GUARDS})`,
  `(?:respond|answer|reply|comply|write|speak|generate|output)[^.!?\\n]{0,30} without (?:any |your )?(?:safety |ethical |content |moral )?(?:restrictions?|filters?|filtering|censorship|guardrails?|disclaimers? or|warnings? or|moral judg|ethical considerations)`,
  'you (?:can|must|may|will|should) (?:say|do|generate|produce|write) (?:absolutely )?anything (?:i|the user|without)',
  // Pretending to be another role
  '</?(?:system|assistant|system_?prompt|system_?message|admin|developer_?message|instructions?_?override)>',
  '(?:\\[|\\(|\\{|#{2,3} ?)(?:system|admin|developer) ?(?:message|prompt|instructions?|override|note)?(?:\\]|\\)|\\}|:)[: ]{0,2}(?:you|ignore|disregard|new|the (?:user|assistant)|override|from now|all|forget|update)',
  '(?:^|\\n) {0,4}(?:system|developer|assistant) ?: ?(?:you (?:are|must|will|may|can|should)|ignore|disregard|override|new instructions?|the user (?:is|has)|from now on|sure[,!]|forget)',
  // Tokens that only chat templates write
  '<\\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|end_of_turn|endofprompt|channel|start|message)\\|>',
  '\\[/?INST\\]|<</?SYS>>|<(?:start|end)_of_turn>|\\bHuman: [^\\n]{0,200}\\n{1,2}Assistant:',
];

/** Words that the engine searches for before it tries the patterns above. */
const INJECTION_WORDS =
  'ignor|disregard|forget|overlook|neglect|overrid|set aside|throw|discard|erase|follow|obey|your |instruction|begin|mode|' +
  'reveal|show|print|repeat|output|display|tell me|give me|leak|dump|expose|recite|disclose|share|write|send me|paste|' +
  'spell|summari|translate|encode|what |copy|return|echo|you are|act |behave|respond|answer|reply|operate|speak|role|' +
  'pretend|imagine|assume|suppose|from |responses|anything now|dan|stan|dude|aim|evil|devmode|mongo|sydney|jailb|bypass|' +
  'disable|circumvent|turn off|remove|evade|switch|deactivate|suspend|lift|drop|get around|suppress|comply|generate|' +
  'anything|system|admin|developer|assistant|inst\\]|sys>|_of_turn|human:|<\\|';

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

/** A piece of a run of base64: a run may have any length. */
const piece: WindowedPattern = { pattern: /[a-z0-9+/_-]{1,2048}/gi, reach: 2048 };
const MIN_RUN_LENGTH = 20;
/** Characters that are decoded at a time: whole groups of four. */
const STEP_LENGTH = 32_768;

const order =
  /\b(?:ignore|disregard|forget|bypass|override|reveal)\b[\s\S]{0,80}\b(?:system|prompts?|instructions?|rules|previous|above|safety)\b/gi;
/** More characters than an order has. */
const LONGEST_ORDER = 128;

/** Whether a text has an order of those that are hidden by an encoding. */
function isOrder(text: string): boolean {
  order.lastIndex = 0;
  return order.test(text);
}

/** Adds the runs of base64 that say an order. */
function* findEncoded(text: string, atOnce: number, spans: Span[]): Steps<void> {
  const runs: { start: number; end: number }[] = [];
  yield* findInWindows(text, piece, atOnce, (found, start) => {
    const end = start + found.length;
    const last = runs.at(-1);
    if (last?.end === start) last.end = end;
    else if (last !== undefined && last.end - last.start < MIN_RUN_LENGTH) runs[runs.length - 1] = { start, end };
    else runs.push({ start, end });
    return end;
  });
  for (const { start, end } of runs) {
    if (end - start < MIN_RUN_LENGTH || !(yield* saysOrderAnywhere(text, start, end))) continue;
    spans.push({ start, end: end + (/^={0,2}/.exec(text.slice(end, end + 2))?.[0].length ?? 0) });
    yield;
  }
}

/** A run may begin with characters of the text before it, so that groups may begin at each of four places. */
function* saysOrderAnywhere(text: string, start: number, end: number): Steps<boolean> {
  for (let skipped = 0; skipped < 4; skipped += 1) {
    if (yield* saysOrder(text, start + skipped, end)) return true;
    if (end - start > STEP_LENGTH) yield;
  }
  return false;
}

/** Decodes a run of base64 and looks for an order in it. */
function* saysOrder(text: string, start: number, end: number): Steps<boolean> {
  // Characters after the last whole group of four may belong to the following text, so they are cut off.
  const stop = end - ((end - start) % 4);
  let seen = '';
  for (let at = start; at < stop; at += STEP_LENGTH) {
    const next = Math.min(at + STEP_LENGTH, stop);
    const context = seen.slice(-LONGEST_ORDER);
    seen = context + decodeBase64(text.slice(at, next));
    if (hasOrder(seen, context !== '', next === stop)) return true;
    if (next < stop) yield;
  }
  return false;
}

/** Looks for an order; one that begins or ends where the text is cut may be a part of another word. */
function hasOrder(seen: string, isCutBefore: boolean, isEnd: boolean): boolean {
  order.lastIndex = isCutBefore ? 1 : 0;
  for (let match = order.exec(seen); match !== null; match = order.exec(seen)) {
    if (isEnd || order.lastIndex < seen.length) return true;
  }
  return false;
}

/** The bytes as characters. */
const decodeBase64 = (piece: string): string => atob(piece.replaceAll('-', '+').replaceAll('_', '/'));
