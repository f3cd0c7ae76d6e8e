import type { Steps } from '../../foundation/async/steps.ts';

/** A text as filters see it, and the way back to the original. Offsets count UTF-16 units. */
export interface NormalisedText {
  readonly text: string;
  /** Beginning in the original of the unit at this offset. */
  originalStart(offset: number): number;
  /** End in the original of the unit before this offset. */
  originalEnd(offset: number): number;
}

/** Invisible characters, which models ignore: soft hyphens, zero widths, direction marks, selectors, tags. */
const INVISIBLE =
  '\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F' +
  '\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\u{E0000}-\\u{E0FFF}';
const invisible = new RegExp(`[${INVISIBLE}]`, 'u');
const allInvisible = new RegExp(`[${INVISIBLE}]`, 'gu');
// oxlint-disable-next-line no-control-regex -- ASCII has them, and a text of nothing else needs no work
const ascii = /^[\u0000-\u007F]*$/;

/** A flood of marks on one letter must not make one endless segment. */
const MAX_MARKS = 32;

/**
 * The smallest pieces that can be normalised each on its own: a character with the marks on it, or a run of conjoining
 * Hangul letters. Nothing composes across them.
 */
const segments = new RegExp(
  `[\\u1100-\\u11FF\\uA960-\\uA97F\\uD7B0-\\uD7FF]{1,${MAX_MARKS}}|\\P{M}\\p{M}{0,${MAX_MARKS}}|\\p{M}{1,${MAX_MARKS}}`,
  'gu',
);

const identity = (offset: number): number => offset;

/** Converts a text to the form that filters match: compatibility-composed (NFKC), without invisible characters. */
export function normaliseText(original: string): NormalisedText {
  if (ascii.test(original)) return { text: original, originalStart: identity, originalEnd: identity };
  const isPlain = !invisible.test(original) && original.normalize('NFKC') === original;
  if (isPlain) return { text: original, originalStart: identity, originalEnd: identity };
  const starts: number[] = [];
  const ends: number[] = [];
  const { text } = normaliseSegments(original, { starts, ends, base: 0, isEnd: true });
  return {
    text,
    originalStart: (offset) => starts[offset] ?? original.length,
    originalEnd: (offset) => ends[offset - 1] ?? 0,
  };
}

const STEP_LENGTH = 8192;
/** Of a flood of marks, as many are searched for a place to cut. */
const MAX_FLOOD = 1024;

/** Does in steps what `normaliseText` does at once. */
export function* normaliseInSteps(original: string): Steps<NormalisedText> {
  const pieces: Piece[] = [];
  const texts: string[] = [];
  let at = 0;
  let isSame = true;
  for (let start = 0; start < original.length;) {
    const end = cutAfter(original, start + STEP_LENGTH);
    const normalised = normaliseText(original.slice(start, end));
    if (normalised.originalStart !== identity) isSame = false;
    pieces.push({ start, at, normalised });
    texts.push(normalised.text);
    at += normalised.text.length;
    start = end;
    yield;
  }
  if (isSame) return { text: original, originalStart: identity, originalEnd: identity };
  return {
    text: texts.join(''),
    originalStart(offset) {
      const piece = findPiece(pieces, offset);
      return piece.start + piece.normalised.originalStart(offset - piece.at);
    },
    originalEnd(offset) {
      if (offset === 0) return 0;
      const piece = findPiece(pieces, offset - 1);
      return piece.start + piece.normalised.originalEnd(offset - piece.at);
    },
  };
}

/** A piece of a text that was normalised on its own. */
interface Piece {
  /** Where it begins in the original, and in the normalised text. */
  readonly start: number;
  readonly at: number;
  readonly normalised: NormalisedText;
}

/** The piece that the unit at this offset of the normalised text is in. */
function findPiece(pieces: readonly Piece[], offset: number): Piece {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle] as Piece).at <= offset) low = middle;
    else high = middle - 1;
  }
  return pieces[low] as Piece;
}

/** Characters that may be one segment with the characters before them. */
const continuing = /^[\p{M}\u1100-\u11FF\uA960-\uA97F\uD7B0-\uD7FF\u{DC00}-\u{DFFF}]/u;

/** The first place from here on where a text may be cut: between two segments. */
function cutAfter(text: string, from: number): number {
  const stop = Math.min(from + MAX_FLOOD, text.length);
  for (let at = from; at < stop; at += 1) {
    const isPlain = text.charCodeAt(at) < 0x300;
    if (isPlain || !continuing.test(text.slice(at, at + 2))) return at;
  }
  return Math.max(stop, Math.min(from, text.length));
}

/** The origins of the units of the normalised text; `normaliseSegments` adds to both lists. */
export interface SegmentSink {
  readonly starts: number[];
  readonly ends: number[];
  /** Offset of the text's first unit in the whole original. */
  readonly base: number;
  /** Whether the text ends here. Otherwise its last segment is left for later, because it may grow. */
  readonly isEnd: boolean;
}

/**
 * Normalises a text piece by piece. Returns the length that was consumed: the whole text at its end, else up to the
 * last segment.
 */
export function normaliseSegments(original: string, sink: SegmentSink): { text: string; taken: number } {
  const { starts, ends, base, isEnd } = sink;
  const add = (start: number, end: number, units: number): void => {
    for (let i = 0; i < units; i += 1) {
      starts.push(base + start);
      ends.push(base + end);
    }
  };
  if (ascii.test(original)) {
    const taken = isEnd ? original.length : Math.max(0, original.length - 1);
    for (let i = 0; i < taken; i += 1) add(i, i + 1, 1);
    return { text: original.slice(0, taken), taken };
  }
  let text = '';
  let taken = 0;
  for (const { 0: segment, index } of original.matchAll(segments)) {
    const end = index + segment.length;
    if (end === original.length && !isEnd) break;
    const normalised = segment.replace(allInvisible, '').normalize('NFKC');
    add(index, end, normalised.length);
    text += normalised;
    taken = end;
  }
  return { text, taken };
}
