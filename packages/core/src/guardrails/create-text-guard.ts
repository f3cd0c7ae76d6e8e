import type { CompiledFilter, OutputFilters } from './filters/compile-filters.ts';
import { normaliseSegments } from './filters/normalise-text.ts';
import { toJsonContent, unescapeJson } from './unescape-json.ts';
import { type Finding, toFinding } from './verdict.ts';

/** Longest match in a completion, in UTF-16 units of the original; of a longer one, only that much is taken. */
export const MAX_MATCH_LENGTH = 1024;

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
  /** The original text that has not been released yet. */
  let original = '';
  /** Offset of its first unit in the whole. */
  let originalStart = 0;
  let received = 0;
  /** The end of the input, not yet normalised. */
  let tail = '';
  /** Normalised text, with the origin of each unit. */
  let text = '';
  const starts: number[] = [];
  const ends: number[] = [];
  /** The first place in `text` that has not been judged. */
  let next = 0;
  /** End of what a match that begins there may reach. */
  let reach = 0;
  /** Offset in the whole, up to which everything has been let through or replaced. */
  let written = 0;
  /** The end in `text` of each filter's last match: matches of one filter do not overlap. */
  const matchedUpTo: number[] = filters.map(() => 0);

  const take = (upTo: number): string => {
    if (upTo <= written) return '';
    const taken = original.slice(written - originalStart, upTo - originalStart);
    written = upTo;
    return taken;
  };

  /** Decides one position. Null means that no match begins there. */
  const judge = (): GuardedText | null => {
    const places = next === 0 ? firstBeginnings(text.slice(0, reach)) : beginnings(text.slice(next - 1, reach));
    let out = '';
    for (const place of places) {
      if ((matchedUpTo[place] as number) > next) continue;
      const compiled = filters[place] as CompiledFilter;
      const end = compiled.filter.endAt?.(text.slice(0, reach), next) ?? next;
      if (end <= next) continue;
      matchedUpTo[place] = end;
      const start = starts[next] as number;
      const originalEnd = ends[end - 1] as number;
      const finding = toFinding(compiled, []);
      if (compiled.origin.action === 'block') return { text: out + take(start), blockedBy: finding };
      onFinding(finding);
      if (compiled.origin.action === 'flag') continue;
      // A span that another match covers already gets no second placeholder.
      const { placeholder } = compiled.filter;
      if (start >= written) out += take(start) + (isJson ? toJsonContent(placeholder) : placeholder);
      written = Math.max(written, originalEnd);
    }
    return out === '' ? null : { text: out, blockedBy: null };
  };

  const judgeAll = (isEnd: boolean): GuardedText => {
    let out = '';
    const isDue = (place: number): boolean => isEnd || received > (starts[place] as number) + MAX_MATCH_LENGTH;
    const hasMany = next + WORTH_A_LOOK < text.length && isDue(next + WORTH_A_LOOK);
    const isClean = hasMany && candidates(text.slice(Math.max(0, next - 1))).length === 0;
    for (; next < text.length && isDue(next); next += 1) {
      if (isClean || isLowSurrogate(text, next)) continue;
      while (reach < text.length && (ends[reach] as number) <= (starts[next] as number) + MAX_MATCH_LENGTH) reach += 1;
      const judged = judge();
      if (judged === null) continue;
      out += judged.text;
      if (judged.blockedBy !== null) return { text: out, blockedBy: judged.blockedBy };
    }
    out += take(next < text.length ? (starts[next] as number) : received - tail.length);
    return { text: out, blockedBy: null };
  };

  const trim = (): void => {
    if (next < TRIM_AT) return;
    const cut = next - LEFT_CONTEXT;
    text = text.slice(cut);
    starts.splice(0, cut);
    ends.splice(0, cut);
    for (const [place, end] of matchedUpTo.entries()) matchedUpTo[place] = end - cut;
    next -= cut;
    reach = Math.max(0, reach - cut);
    original = original.slice(written - originalStart);
    originalStart = written;
  };

  const add = (piece: string, isEnd: boolean): GuardedText => {
    original += piece;
    received += piece.length;
    const untaken = tail + piece;
    const base = received - untaken.length;
    const shown = isJson ? unescapeJson(untaken, isEnd) : { text: untaken, offsets: null };
    const known = starts.length;
    const normalised = normaliseSegments(shown.text, { starts, ends, base: shown.offsets === null ? base : 0, isEnd });
    if (shown.offsets !== null) {
      for (let i = known; i < starts.length; i += 1) {
        starts[i] = base + (shown.offsets[starts[i] as number] as number);
        ends[i] = base + (shown.offsets[ends[i] as number] as number);
      }
    }
    text += normalised.text;
    tail = untaken.slice(shown.offsets?.[normalised.taken] ?? normalised.taken);
    const judged = judgeAll(isEnd);
    trim();
    return judged;
  };

  return { push: (piece) => add(piece, false), end: () => add('', true) };
}

/** No match begins at the second half of a surrogate pair. */
function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
