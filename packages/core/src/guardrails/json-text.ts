import type { Steps } from '../foundation/queues.ts';

/** JSON as text with its escapes decoded, as a parser reads it: `\u0061` is an `a`. */
interface UnescapedJson {
  readonly text: string;
  /** The beginning in the JSON of each unit of the text, and the end of the last; null where nothing was escaped. */
  readonly offsets: readonly number[] | null;
  /** Length of the JSON that was consumed: all of it at the end, else up to an incomplete escape. */
  readonly taken: number;
}

const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  '/': '/',
  '\\': '\\',
};

const hexadecimal = /^[0-9a-f]{0,4}$/i;

/**
 * Decodes the escapes of JSON, or of a piece of it that does not begin within an escape. Invalid escapes remain
 * unchanged.
 */
export function unescapeJson(json: string, isEnd: boolean): UnescapedJson {
  if (!json.includes('\\')) return { text: json, offsets: null, taken: json.length };
  // Joined at once: a text that has grown by single characters is slow to read.
  const texts: string[] = [];
  const offsets: number[] = [];
  let at = 0;
  while (at < json.length) {
    const escape = json.charAt(at) === '\\' ? readEscape(json, at) : null;
    if (escape !== null && escape.end > json.length && !isEnd) break;
    offsets.push(at);
    const isWhole = escape !== null && escape.end <= json.length;
    texts.push(isWhole ? escape.unit : json.charAt(at));
    at = isWhole ? escape.end : at + 1;
  }
  offsets.push(at);
  return { text: texts.join(''), offsets, taken: at };
}

const STEP_LENGTH = 16_384;

/** JSON as text, and the way back. */
interface ReadJson {
  readonly text: string;
  /** Where a unit of the text begins in the JSON; null where nothing was escaped. */
  readonly writtenAt: ((offset: number) => number) | null;
}

interface JsonPiece {
  /** Where it begins in the text, and in the JSON. */
  readonly at: number;
  readonly start: number;
  /** Within the piece, as `UnescapedJson` has them. */
  readonly offsets: Uint16Array | null;
}

/** Does in steps what `unescapeJson` does at once with a whole text. */
export function* unescapeInSteps(json: string): Steps<ReadJson> {
  if (!json.includes('\\')) return { text: json, writtenAt: null };
  const texts: string[] = [];
  const pieces: JsonPiece[] = [];
  let length = 0;
  for (let at = 0; at < json.length;) {
    const isEnd = at + STEP_LENGTH >= json.length;
    const piece = json.slice(at, at + STEP_LENGTH);
    const { text, offsets: ofPiece, taken } = unescapeJson(piece, isEnd);
    pieces.push({ at: length, start: at, offsets: ofPiece && Uint16Array.from(ofPiece) });
    texts.push(text);
    length += text.length;
    at += taken;
    yield;
  }
  const writtenAt = (offset: number): number => {
    const piece = findPiece(pieces, offset);
    return piece.start + (piece.offsets?.[offset - piece.at] ?? offset - piece.at);
  };
  return { text: texts.join(''), writtenAt };
}

/** The escape that begins there; one that ends behind the JSON is not complete. Null when there is none. */
function readEscape(json: string, at: number): { readonly unit: string; readonly end: number } | null {
  const letter = json.charAt(at + 1);
  if (letter !== 'u') {
    const unit = letter === '' ? '' : SIMPLE[letter];
    return unit === undefined ? null : { unit, end: at + 2 };
  }
  const digits = json.slice(at + 2, at + 6);
  if (!hexadecimal.test(digits)) return null;
  return { unit: String.fromCharCode(Number.parseInt(digits, 16)), end: at + 6 };
}

export function isJsonDocument(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Encodes a text as the content of a JSON string, without the quotes. */
export function toJsonContent(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the piece that this offset is in; `at` is where a piece begins, in ascending order. */
export function findPiece<Piece extends { readonly at: number }>(pieces: readonly Piece[], offset: number): Piece {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle] as Piece).at <= offset) low = middle;
    else high = middle - 1;
  }
  return pieces[low] as Piece;
}
