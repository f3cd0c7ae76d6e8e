import type { Steps } from '../../foundation/queues.ts';
import { findPiece } from '../json-text.ts';

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

/** Whether a text is what it is normalised to. */
function isUnchanged(text: string): boolean {
  return ascii.test(text) || (!invisible.test(text) && text.normalize('NFKC') === text);
}

/** Converts a text to the form that filters match: compatibility-composed (NFKC), without invisible characters. */
export function normaliseText(original: string): NormalisedText {
  if (isUnchanged(original)) return { text: original, originalStart: identity, originalEnd: identity };
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
/** Limit of the marks in a row that are searched for a place to cut. */
const MAX_FLOOD = 1024;

/** Does in steps what `normaliseText` does at once. */
export function* normaliseInSteps(original: string): Steps<NormalisedText> {
  const pieces: Piece[] = [];
  const texts: string[] = [];
  let at = 0;
  let isSame = true;
  for (let start = 0; start < original.length;) {
    const end = cutAfter(original, start + STEP_LENGTH);
    const piece = toPiece(original.slice(start, end));
    if (piece.starts !== null) isSame = false;
    pieces.push({ start, at, ...piece });
    texts.push(piece.text);
    at += piece.text.length;
    start = end;
    yield;
  }
  if (isSame) return { text: original, originalStart: identity, originalEnd: identity };
  return {
    text: texts.join(''),
    originalStart(offset) {
      const piece = findPiece(pieces, offset);
      const from = offset - piece.at;
      return piece.start + (piece.starts === null ? from : (piece.starts[from] ?? piece.length));
    },
    originalEnd(offset) {
      if (offset === 0) return 0;
      const piece = findPiece(pieces, offset - 1);
      const to = offset - piece.at;
      return piece.start + (piece.ends?.[to - 1] ?? to);
    },
  };
}

/** A piece of a text, normalised on its own. */
interface NormalisedPiece {
  readonly text: string;
  /** In the original. */
  readonly length: number;
  /** Origins of the units within the piece; null where nothing has changed. Lists would take four times the memory. */
  readonly starts: Uint16Array | null;
  readonly ends: Uint16Array | null;
}

interface Piece extends NormalisedPiece {
  /** Where it begins in the original, and in the normalised text. */
  readonly start: number;
  readonly at: number;
}

function toPiece(original: string): NormalisedPiece {
  const { length } = original;
  if (isUnchanged(original)) return { text: original, length, starts: null, ends: null };
  const starts: number[] = [];
  const ends: number[] = [];
  const { text } = normaliseSegments(original, { starts, ends, base: 0, isEnd: true });
  return { text, length, starts: Uint16Array.from(starts), ends: Uint16Array.from(ends) };
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
  // Joined at once: a text that has grown by single characters is slow to read.
  const texts: string[] = [];
  let taken = 0;
  for (const { 0: segment, index } of original.matchAll(segments)) {
    const end = index + segment.length;
    if (end === original.length && !isEnd) break;
    const normalised = segment.replace(allInvisible, '').normalize('NFKC');
    add(index, end, normalised.length);
    texts.push(normalised);
    taken = end;
  }
  return { text: texts.join(''), taken };
}
