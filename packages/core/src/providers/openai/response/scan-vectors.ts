import { joinPieces, toText } from '../../../foundation/transport.ts';
import type { WrittenVectors } from '../../written-embeddings.ts';
import { createPieceCursor, joinShortPieces, MIN_PIECE_BYTES, type PieceCursor } from './piece-cursor.ts';

/** A response whose vectors have not been read. */
export interface ScannedVectors {
  /** The body as a text, with `0` in place of its list of vectors. */
  readonly rest: string;
  readonly vectors: WrittenVectors;
}

/**
 * Finds the vectors in a response of OpenAI's form without reading them (docs/decisions/0073). Null unless every byte of
 * them is as it should be: items in the order of their index and with no other fields, all vectors of one length and in the
 * requested format. Any other body has to be parsed, which says what is wrong with it, if anything is.
 */
export function scanVectors(body: readonly Uint8Array[], format: 'float' | 'base64'): ScannedVectors | null {
  const pieces = joinShortPieces(body);
  const from = findList(pieces);
  if (from === null) return null;
  const cursor = createPieceCursor(pieces, from + 1);
  const passVector = format === 'float' ? passNumbers : passBase64;
  let length: number | null = null;
  let count = 0;
  do {
    const found = passItem(cursor, count, passVector);
    if (found === null || (length !== null && found !== length)) return null;
    length = found;
    count += 1;
  } while (passByte(cursor, COMMA));
  if (!passByte(cursor, CLOSING_BRACKET)) return null;
  const to = cursor.position();
  const behind = toText(joinPieces(cut(pieces, to)));
  // With neither in it, no later `data` takes the place of this one.
  if (behind.includes('"data"') || behind.includes('\\')) return null;
  const rest = `${toText((pieces[0] as Uint8Array).subarray(0, from))}0${behind}`;
  return { rest, vectors: { pieces: cut(pieces, from, to), count } };
}

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const EQUALS = 0x3d;
const SMALL_E = 0x65;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

const encoder = new TextEncoder();
const EMBEDDING = encoder.encode('embedding"');
const OBJECT = encoder.encode('object"');
const INDEX = encoder.encode('index"');

/** Fields before the list of vectors are few and short; the first piece is not shorter. */
const MAX_HEAD_BYTES = MIN_PIECE_BYTES;

/** The place of the `[` of `data`, which is a field of the body itself: before it stands no other object or list. */
function findList([first = new Uint8Array()]: readonly Uint8Array[]): number | null {
  const head = toText(first.subarray(0, MAX_HEAD_BYTES));
  // All of it is ASCII, so that characters are bytes.
  const before = /^\s*\{[^[{\\\u0080-\uffff]*?"data"\s*:\s*\[/.exec(head)?.[0];
  return before === undefined ? null : before.length - 1;
}

/** The bytes from one place to another, which are not copied. */
function cut(pieces: readonly Uint8Array[], from: number, to = Number.POSITIVE_INFINITY): Uint8Array[] {
  const found: Uint8Array[] = [];
  let start = 0;
  for (const piece of pieces) {
    const part = piece.subarray(Math.max(0, from - start), Math.max(0, to - start));
    if (part.byteLength > 0) found.push(part);
    start += piece.byteLength;
  }
  return found;
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Passes the byte, and white space before it; false where another one comes. */
function passByte(cursor: PieceCursor, byte: number): boolean {
  cursor.settle();
  const { bytes } = cursor;
  while (isSpace(bytes[cursor.at] as number)) cursor.at += 1;
  if (bytes[cursor.at] !== byte) return false;
  cursor.at += 1;
  return true;
}

/** Passes these bytes, which come at once. */
function passBytes(cursor: PieceCursor, expected: Uint8Array): boolean {
  cursor.settle();
  const { bytes, at } = cursor;
  for (let i = 0; i < expected.length; i += 1) if (bytes[at + i] !== expected[i]) return false;
  cursor.at += expected.length;
  return true;
}

/** Passes an item with its three fields, in any order; returns the length of its vector. */
function passItem(cursor: PieceCursor, index: number, passVector: (cursor: PieceCursor) => number | null) {
  let hasObject = false;
  let hasIndex = false;
  let length: number | null = null;
  if (!passByte(cursor, OPENING_BRACE)) return null;
  do {
    if (!passByte(cursor, QUOTE)) return null;
    if (length === null && passBytes(cursor, EMBEDDING)) {
      length = passByte(cursor, COLON) ? passVector(cursor) : null;
      if (length === null) return null;
    } else if (!hasObject && passBytes(cursor, OBJECT)) {
      hasObject = passByte(cursor, COLON) && passByte(cursor, QUOTE) && passBytes(cursor, EMBEDDING);
      if (!hasObject) return null;
    } else if (!hasIndex && passBytes(cursor, INDEX)) {
      hasIndex = passByte(cursor, COLON) && passIndex(cursor, String(index));
      if (!hasIndex) return null;
    } else return null;
  } while (passByte(cursor, COMMA));
  return hasObject && hasIndex && passByte(cursor, CLOSING_BRACE) ? length : null;
}

/** Passes these digits. A further one is no comma and no brace, so it is refused where those are expected. */
function passIndex(cursor: PieceCursor, digits: string): boolean {
  const [first, ...others] = encoder.encode(digits);
  return passByte(cursor, first as number) && passBytes(cursor, Uint8Array.from(others));
}

/** Longer numbers may be beyond what a number can hold. */
const MAX_DIGITS = 15;
const MAX_EXPONENT_DIGITS = 2;

/**
 * Passes a list of numbers, each written as JSON has it, and returns how many. This is where the time goes, so nothing is
 * called for a number, digits are looked at by fours, and what differs from number to number is worked out instead of
 * decided: a wrongly predicted branch takes as long as ten digits. No loop ends by a byte alone, because those behind the
 * window are undefined.
 */
function passNumbers(cursor: PieceCursor): number | null {
  if (!passByte(cursor, OPENING_BRACKET)) return null;
  for (let count = 0; ;) {
    cursor.settle();
    const { bytes, view, limit } = cursor;
    const last = bytes.byteLength - 4;
    let { at } = cursor;
    do {
      let byte = bytes[at] as number;
      while (isSpace(byte)) byte = bytes[(at += 1)] as number;
      at += ((byte ^ MINUS) - 1) >>> 31;
      byte = bytes[at] as number;
      const whole = at;
      if (byte === ZERO) byte = bytes[(at += 1)] as number;
      else while ((byte - ZERO) >>> 0 < 10 && at - whole <= MAX_DIGITS) byte = bytes[(at += 1)] as number;
      if (at === whole || at - whole > MAX_DIGITS) return null;
      if (byte === POINT) {
        const fraction = (at += 1);
        for (;;) {
          if (at > last) return null;
          const four = view.getUint32(at, true);
          // Other than 0 in the high half of the first byte that is no digit; what is above it does not matter.
          const others = ((four & 0xf0f0f0f0) ^ 0x30303030) | (((four + 0x06060606) & 0xf0f0f0f0) ^ 0x30303030);
          if (others !== 0) {
            at += (31 - Math.clz32(others & -others)) >> 3;
            break;
          }
          at += 4;
        }
        if (at === fraction) return null;
        byte = bytes[at] as number;
      }
      if ((byte | 0x20) === SMALL_E) {
        byte = bytes[(at += 1)] as number;
        if (byte === MINUS || byte === PLUS) byte = bytes[(at += 1)] as number;
        const exponent = at;
        while ((byte - ZERO) >>> 0 < 10 && at - exponent <= MAX_EXPONENT_DIGITS) byte = bytes[(at += 1)] as number;
        if (at === exponent || at - exponent > MAX_EXPONENT_DIGITS) return null;
      }
      while (isSpace(byte)) byte = bytes[(at += 1)] as number;
      at += 1;
      count += 1;
      if (byte !== COMMA) {
        cursor.at = at;
        return byte === CLOSING_BRACKET ? count : null;
      }
    } while (at <= limit);
    cursor.at = at;
  }
}

/** Characters of base64 in a group, of which the last may be filled up. */
const GROUP = 4;
const BYTES_OF_GROUP = 3;
const BYTES_OF_NUMBER = 4;

/** Passes a text of base64 that holds whole numbers, and returns its length. */
function passBase64(cursor: PieceCursor): number | null {
  if (!passByte(cursor, QUOTE)) return null;
  let length = 0;
  for (;;) {
    cursor.settle();
    const { bytes, view, at } = cursor;
    const last = bytes.byteLength - GROUP;
    let place = at;
    while (place <= last) {
      const four = view.getUint32(place, true);
      if (((IS_OTHER[four & 0xffff] as number) | (IS_OTHER[four >>> 16] as number)) !== 0) break;
      place += GROUP;
    }
    cursor.at = place;
    length += place - at;
    if (place <= cursor.limit) break;
  }
  const filled = passFilling(cursor);
  if (filled === null) return null;
  if (filled > 0) length += GROUP;
  const held = (length / GROUP) * BYTES_OF_GROUP - filled;
  return held > 0 && held % BYTES_OF_NUMBER === 0 ? length : null;
}

/** Passes the end of a text of base64: a last group that is filled up, if there is one, and the quote. */
function passFilling(cursor: PieceCursor): number | null {
  cursor.settle();
  const { bytes, at } = cursor;
  if (bytes[at + GROUP] === QUOTE && bytes[at + 3] === EQUALS) {
    const filled = bytes[at + 2] === EQUALS ? 2 : 1;
    for (let i = 0; i < GROUP - filled; i += 1) if (IS_OTHER[(bytes[at + i] as number) * 0x101] !== 0) return null;
    cursor.at += GROUP + 1;
    return filled;
  }
  cursor.at += 1;
  return bytes[at] === QUOTE ? 0 : null;
}

const ALPHABET = encoder.encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

/** For two bytes of a text, 1 unless both are characters of base64. */
const IS_OTHER = new Uint8Array(0x10000).fill(1);
for (const first of ALPHABET) for (const second of ALPHABET) IS_OTHER[first | (second << 8)] = 0;
