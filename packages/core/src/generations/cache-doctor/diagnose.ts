import type { CacheCause } from '../../wire/cache-report.ts';
import { type CachedPrompt, type CommonPrefix, commonPrefixOf, lengthOf, type Segment } from './prompt-segments.ts';
import { CACHE_RULES, keptMsOf, minimumTokensOf, toSteps } from './provider-rules.ts';
import type { CachedCall } from './read-call.ts';

/** A call that has a prompt and its number of tokens. */
type KnownCall = CachedCall & { readonly prompt: CachedPrompt; readonly promptTokens: number };

/** Where two prompts differ, and the words there. */
interface Difference {
  readonly path: string;
  readonly role: string | null;
  readonly before: string;
  readonly after: string;
}

/** Why a call missed, or did not, and what that is based on. */
export interface Diagnosis {
  readonly cause: CacheCause;
  /** The earlier call that this one should have continued; null without one. */
  readonly earlier: KnownCall | null;
  readonly common: CommonPrefix | null;
  /** Tokens of the common prefix, by the characters. */
  readonly commonTokens: number;
  /** Tokens that could have been read, had the call continued the earlier one as it was. */
  readonly readableTokens: number;
  readonly difference: Difference | null;
  /** On wires with marks: the last segment that both prompts have, and the tokens up to its end; null where it is no use. */
  readonly stable: { readonly path: string; readonly tokens: number } | null;
}

/** Providers look back from a mark for an earlier one over so many blocks. */
const LOOK_BACK = 20;
/** A hit may lack the end of a prefix: the steps of counting, and what the provider adds to messages. */
const HIT_SHARE = 0.8;

/**
 * Finds the cause. The order is a decision (docs/decisions/0062): a hit is a hit; below the minimum nothing else
 * matters; another endpoint or key has another cache, whatever the prompt; then what the caller changed, from the front
 * to the back; then the marks, then time, and last what is left. `earlier` are calls of the same session, oldest first.
 */
export function diagnose(call: CachedCall, earlier: readonly CachedCall[]): Diagnosis {
  const nothing = { earlier: null, common: null, commonTokens: 0, readableTokens: 0, difference: null, stable: null };
  if (!isKnown(call)) return { ...nothing, cause: 'unknown' };
  const found = findEarlier(call, earlier.filter(isKnown));
  if (found === null) return { ...nothing, cause: (call.readTokens ?? 0) > 0 ? 'hit' : 'first_call' };
  const { common } = found;
  const commonTokens = toCommonTokens(call, found);
  const facts = { earlier: found.call, common, commonTokens, readableTokens: toReadableTokens(call, found) };
  const difference = toDifference(call.prompt, found.call.prompt, common);
  return { ...facts, difference, stable: toStable(call, found), cause: causeOf(call, found, facts.readableTokens) };
}

const isKnown = (call: CachedCall): call is KnownCall =>
  call.whyUnknown === null && call.prompt !== null && call.promptTokens !== null;

interface Found {
  readonly call: KnownCall;
  readonly common: CommonPrefix;
  /** Whether nothing of the earlier prompt was changed. */
  readonly isContinued: boolean;
}

/** The latest of the calls with the longest common prefix; before it, one that could have been read at the same endpoint. */
function findEarlier(call: KnownCall, earlier: readonly KnownCall[]): Found | null {
  let best: Found | null = null;
  let near: Found | null = null;
  for (const one of earlier) {
    if (one.agent !== call.agent || one.prompt.wire !== call.prompt.wire) continue;
    const common = commonPrefixOf(one.prompt, call.prompt);
    const found = { call: one, common, isContinued: common.segments === one.prompt.segments.length };
    if (best === null || common.characters >= best.common.characters) best = found;
    if (!found.isContinued || one.endpoint !== call.endpoint || one.account !== call.account) continue;
    if (call.createdAtMs - one.createdAtMs > keptMsOf(one.prompt)) continue;
    if (near === null || common.characters >= near.common.characters) near = found;
  }
  // Where the provider changed for one call, the calls before it are still in the cache.
  const isNearer = near !== null && best !== null && near.call.endpoint !== best.call.endpoint;
  return isNearer ? near : best;
}

function causeOf(call: KnownCall, found: Found, readable: number): CacheCause {
  const { call: earlier, common, isContinued } = found;
  if (isHit(call, found, readable)) return 'hit';
  if (earlier.promptTokens < minimumTokensOf(earlier.prompt)) return 'too_short';
  if (earlier.endpoint !== call.endpoint) return 'other_endpoint';
  if (earlier.account !== call.account) return 'other_key';
  if (!isContinued) return changeOf(earlier.prompt, call.prompt, common);
  const marks = marksCauseOf(earlier.prompt, call.prompt);
  if (marks !== null) return marks;
  return call.createdAtMs - earlier.createdAtMs > keptMsOf(earlier.prompt) ? 'expired' : 'provider';
}

/** A last message that was put in another way, such as an answer that was asked for again, costs no more than itself. */
function isHit(call: KnownCall, found: Found, readable: number): boolean {
  const { call: earlier, common, isContinued } = found;
  const read = call.readTokens ?? 0;
  if (isContinued) return read > 0 && read >= readable * HIT_SHARE;
  const isLast = common.segments === earlier.prompt.segments.length - 1;
  return read > 0 && isLast && read >= toSteps(toCommonTokens(call, found), call.prompt.wire) * HIT_SHARE;
}

/** What was changed at the first difference. */
function changeOf(earlier: CachedPrompt, later: CachedPrompt, { segments: at }: CommonPrefix): CacheCause {
  const kinds = [earlier.segments[at]?.kind, later.segments[at]?.kind];
  if (kinds.includes('tools')) {
    return isSameSet(toolsOf(earlier), toolsOf(later)) ? 'tools_reordered' : 'tools_changed';
  }
  return kinds.includes('system') ? 'system_changed' : 'message_changed';
}

const toolsOf = ({ segments }: CachedPrompt): string[] =>
  segments.flatMap(({ kind, text }) => (kind === 'tools' ? [text] : [])).toSorted();

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at]);

/** On wires with marks: whether those of the later prompt lead to what the earlier one had cached. */
function marksCauseOf(earlier: CachedPrompt, later: CachedPrompt): CacheCause | null {
  if (!CACHE_RULES[later.wire].byMarks) return null;
  const [from, to] = [lastMark(earlier), lastMark(later)];
  if (from === -1 || to === -1) return 'marks_missing';
  const isReached = later.segments.some(({ mark }, at) => mark !== null && at >= from && at - from < LOOK_BACK);
  return isReached ? null : 'marks_moved';
}

/** Nothing is gained where the cache is another one, is gone, or the prefix is too short for it. */
function toStable(call: KnownCall, { call: earlier, common }: Found): Diagnosis['stable'] {
  const last = call.prompt.segments[common.segments - 1];
  const isSameCache = earlier.endpoint === call.endpoint && earlier.account === call.account;
  const isKept = call.createdAtMs - earlier.createdAtMs <= keptMsOf(earlier.prompt);
  if (last === undefined || !CACHE_RULES[call.prompt.wire].byMarks || !isSameCache || !isKept) return null;
  const share = (common.characters - common.inSegment) / Math.max(1, call.characters);
  const tokens = Math.round(call.promptTokens * share);
  return tokens < minimumTokensOf(call.prompt) ? null : { path: last.path, tokens };
}

const lastMark = ({ segments }: CachedPrompt): number => segments.findLastIndex(({ mark }) => mark !== null);

function toCommonTokens(call: KnownCall, { call: earlier, common, isContinued }: Found): number {
  if (isContinued && common.characters === earlier.characters) {
    return Math.min(earlier.promptTokens, call.promptTokens);
  }
  return Math.round((call.promptTokens * common.characters) / Math.max(1, call.characters));
}

/**
 * Tokens of the earlier prompt that its provider had cached, or would have: up to its last mark on wires with marks, and
 * all of it elsewhere or without a mark, as with a mark it would have been.
 */
function toReadableTokens(call: KnownCall, { call: earlier }: Found): number {
  const { prompt, characters, promptTokens } = earlier;
  const mark = CACHE_RULES[prompt.wire].byMarks ? lastMark(prompt) : -1;
  const marked = mark === -1 ? characters : lengthOf(prompt.segments.slice(0, mark + 1));
  const cached = marked === characters ? promptTokens : Math.round((promptTokens * marked) / characters);
  return toSteps(Math.min(cached, call.promptTokens), prompt.wire);
}

/** Characters of a difference that are shown on each side of where it begins. */
const BEFORE = 40;
const AFTER = 80;

function toDifference(
  later: CachedPrompt,
  earlier: CachedPrompt,
  { segments: at, inSegment }: CommonPrefix,
): Difference | null {
  if (at === earlier.segments.length) return null;
  const [one, other] = [earlier.segments[at], later.segments[at]];
  const { path, role } = (other ?? one) as Segment;
  const cut = (text: string | undefined): string => toWords(text ?? '', inSegment);
  return { path, role, before: cut(one?.text), after: cut(other?.text) };
}

/** The words around a place, from the beginning of a word, without halves of characters. */
function toWords(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE);
  const space = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const isNear = space > 0 && space <= Math.min(at, from + BEFORE / 2);
  const words = text.slice(isNear ? space : from, at + AFTER);
  return words.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
