import type { Steps } from '../foundation/queues.ts';
import type { CompiledFilter, OutputFilters } from './filters/compile-filters.ts';
import { normaliseSegments } from './filters/normalise-text.ts';
import { toJsonContent, unescapeJson } from './json-text.ts';
import { type Finding, toFinding } from './verdict.ts';

/** Longest match in a completion, in UTF-16 units of the original; of a longer one, only that much is taken. */
export const MAX_STREAMED_MATCH = 1024;

/** How much of what has been decided filters may still look back at. */
const LEFT_CONTEXT = 64;
/** Decided text is removed in pieces of this size, because each removal copies the rest. */
const TRIM_AT = 4096;
/** From this number of undecided positions on, one search over all of them is faster. */
const WORTH_A_LOOK = 128;

/** The part of the text so far that may be sent. */
export interface GuardedText {
  readonly text: string;
  /** Set when the completion must stop here; `text` is the part before the finding. */
  readonly blockedBy: Finding | null;
}

/**
 * Guards one text that arrives in pieces. The result does not depend on the pieces: each position is decided
 * separately, once as much text follows as a match can be long. That is also the most that is ever held back.
 */
export interface TextGuard {
  push(piece: string): GuardedText;
  /** Call once, after the last piece. */
  end(): GuardedText;
}

/** Creates a guard. `onFinding` receives every match that does not block. JSON is decoded before it is filtered. */
export function createTextGuard(
  { filters, candidates, beginnings, firstBeginnings }: OutputFilters,
  onFinding: (finding: Finding) => void,
  isJson = false,
): TextGuard {
  const held: HeldText = { text: '', start: 0, written: 0 };
  const matchedUpTo = filters.map(() => 0);
  const read: ReadText = { text: '', starts: [], ends: [], received: 0, tail: '', next: 0, reach: 0, matchedUpTo };

  /** Decides one position. Null means that no match begins there. */
  const judge = (at: number, reach: number): GuardedText | null => {
    const { text, starts, ends } = read;
    const places = at === 0 ? firstBeginnings(text.slice(0, reach)) : beginnings(text.slice(at - 1, reach));
    let out = '';
    for (const place of places) {
      if ((matchedUpTo[place] as number) > at) continue;
      const compiled = filters[place] as CompiledFilter;
      const end = compiled.filter.endAt?.(text.slice(0, reach), at) ?? at;
      if (end <= at) continue;
      matchedUpTo[place] = end;
      const start = starts[at] as number;
      const finding = toFinding(compiled, []);
      if (compiled.origin.action === 'block') return { text: out + take(held, start), blockedBy: finding };
      onFinding(finding);
      if (compiled.origin.action === 'flag') continue;
      // A span that another match covers already gets no second placeholder.
      const { placeholder } = compiled.filter;
      if (start >= held.written) out += take(held, start) + (isJson ? toJsonContent(placeholder) : placeholder);
      held.written = Math.max(held.written, ends[end - 1] as number);
    }
    return out === '' ? null : { text: out, blockedBy: null };
  };

  const judgeAll = (isEnd: boolean): GuardedText => {
    const { text, starts, ends, received } = read;
    let out = '';
    const isDue = (place: number): boolean => isEnd || received > (starts[place] as number) + MAX_STREAMED_MATCH;
    const hasMany = read.next + WORTH_A_LOOK < text.length && isDue(read.next + WORTH_A_LOOK);
    const isClean = hasMany && candidates(text.slice(Math.max(0, read.next - 1))).length === 0;
    for (; read.next < text.length && isDue(read.next); read.next += 1) {
      if (isClean || isLowSurrogate(text, read.next)) continue;
      const limit = (starts[read.next] as number) + MAX_STREAMED_MATCH;
      while (read.reach < text.length && (ends[read.reach] as number) <= limit) read.reach += 1;
      const judged = judge(read.next, read.reach);
      if (judged === null) continue;
      out += judged.text;
      if (judged.blockedBy !== null) return { text: out, blockedBy: judged.blockedBy };
    }
    out += take(held, read.next < text.length ? (starts[read.next] as number) : received - read.tail.length);
    return { text: out, blockedBy: null };
  };

  const add = (piece: string, isEnd: boolean): GuardedText => {
    held.text += piece;
    addPiece(read, piece, isJson, isEnd);
    const judged = judgeAll(isEnd);
    trim(held, read);
    return judged;
  };

  return { push: (piece) => add(piece, false), end: () => add('', true) };
}

/** A position may take microseconds on text that was made for a pattern. */
const STEP_LENGTH = 256;

/** Pushes a text of any length, in steps. */
export function* pushInSteps(guard: TextGuard, piece: string): Steps<GuardedText> {
  const passed: string[] = [];
  for (let at = 0; at < piece.length; at += STEP_LENGTH) {
    const { text, blockedBy } = guard.push(piece.slice(at, at + STEP_LENGTH));
    passed.push(text);
    if (blockedBy !== null) return { text: passed.join(''), blockedBy };
    yield;
  }
  return { text: passed.join(''), blockedBy: null };
}

/** Guards a whole text, in steps. */
export function* guardInSteps(guard: TextGuard, whole: string): Steps<GuardedText> {
  const begun = yield* pushInSteps(guard, whole);
  if (begun.blockedBy !== null) return begun;
  const { text, blockedBy } = guard.end();
  return { text: begun.text + text, blockedBy };
}

/** The original text that has not been released yet. */
interface HeldText {
  text: string;
  /** Offset of its first unit in the whole. */
  start: number;
  /** Offset in the whole, up to which everything has been let through or replaced. */
  written: number;
}

function take(held: HeldText, upTo: number): string {
  if (upTo <= held.written) return '';
  const taken = held.text.slice(held.written - held.start, upTo - held.start);
  held.written = upTo;
  return taken;
}

/** The text as filters read it: decoded and normalised, with how far it has been judged. */
interface ReadText {
  text: string;
  /** Origin of each unit in the whole. */
  readonly starts: number[];
  readonly ends: number[];
  /** Length of the original so far. */
  received: number;
  /** The end of the original, not yet normalised. */
  tail: string;
  /** The first place in `text` that has not been judged. */
  next: number;
  /** End of what a match that begins there may reach. */
  reach: number;
  /** The end in `text` of each filter's last match: matches of one filter do not overlap. */
  readonly matchedUpTo: number[];
}

function addPiece(read: ReadText, piece: string, isJson: boolean, isEnd: boolean): void {
  const { starts, ends } = read;
  read.received += piece.length;
  const untaken = read.tail + piece;
  const base = read.received - untaken.length;
  const shown = isJson ? unescapeJson(untaken, isEnd) : { text: untaken, offsets: null };
  const known = starts.length;
  const normalised = normaliseSegments(shown.text, { starts, ends, base: shown.offsets === null ? base : 0, isEnd });
  if (shown.offsets !== null) {
    for (let i = known; i < starts.length; i += 1) {
      starts[i] = base + (shown.offsets[starts[i] as number] as number);
      ends[i] = base + (shown.offsets[ends[i] as number] as number);
    }
  }
  read.text += normalised.text;
  read.tail = untaken.slice(shown.offsets?.[normalised.taken] ?? normalised.taken);
}

/** Drops what has been decided and no filter looks back at. */
function trim(held: HeldText, read: ReadText): void {
  if (read.next < TRIM_AT) return;
  const cut = read.next - LEFT_CONTEXT;
  read.text = read.text.slice(cut);
  read.starts.splice(0, cut);
  read.ends.splice(0, cut);
  for (const [place, end] of read.matchedUpTo.entries()) read.matchedUpTo[place] = end - cut;
  read.next -= cut;
  read.reach = Math.max(0, read.reach - cut);
  held.text = held.text.slice(held.written - held.start);
  held.start = held.written;
}

/** No match begins at the second half of a surrogate pair. */
function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
