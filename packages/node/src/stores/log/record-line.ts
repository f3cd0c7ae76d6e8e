import { crc32 } from 'node:zlib';

/**
 * One line of a journal: `{"crc32":"xxxxxxxx","record":{...}}`, with the checksum of the bytes of the record's JSON
 * text. The frame has a fixed width, so that a record is found and checked without parsing.
 */
const FRAME = '{"crc32":"xxxxxxxx","record":';
const FRAME_BYTES = FRAME.length;
const SUM_AT = FRAME.indexOf('x');
const LINE_START = FRAME.slice(0, SUM_AT);
const FRAME_TEMPLATE = Buffer.from(FRAME, 'latin1');
const HEX_CODES = Buffer.from('0123456789abcdef', 'latin1');
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const CLOSING_BRACE = 0x7d;
/** Bytes of a line without its record: the frame, its closing brace and the newline. */
const OVERHEAD_BYTES = FRAME_BYTES + 2;

const FIRST_CAPACITY_BYTES = 64 * 1024;
/**
 * A larger buffer, from a huge response, is released after the write. The completions of slow readers, of whom many may
 * leave together, have room: a buffer for each would be garbage, which V8 collects late.
 */
const KEPT_CAPACITY_BYTES = 8 * 1024 * 1024;
const GENEROUS_LENGTH = 256 * 1024;
/** Shorter pieces are joined, which costs less than to write them one by one. */
const JOINED_LENGTH = 4096;

/** Lines gathered for one write. Each text is encoded once, into the bytes that are written. */
export interface LineBuffer {
  readonly length: number;
  readonly bytes: Uint8Array;
  /**
   * Adds a record, whose JSON text may come in several pieces: joining long texts would copy them first. Returns the
   * bytes of its line, newline included. Where taking a piece throws, nothing is added.
   */
  add(recordJson: string, more?: string | Iterable<string>, end?: string): number;
  clear(): void;
}

/** Creates an empty buffer of lines; it grows as needed. */
export function createLineBuffer(): LineBuffer {
  let bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY_BYTES);
  let length = 0;

  /** Makes room after the first bytes, which it keeps. */
  const reserve = (used: number, size: number): void => {
    if (used + size <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, used + size));
    bytes.copy(larger, 0, 0, used);
    bytes = larger;
  };
  const writePieces = (pieces: Iterable<string>, at: number): number => {
    let end = at;
    for (const piece of pieces) {
      reserve(end, mostBytes(piece));
      end += bytes.write(piece, end, 'utf8');
    }
    return end;
  };

  return {
    get length() {
      return length;
    },
    get bytes() {
      return bytes;
    },
    add(recordJson, more = '', end = '') {
      const recordAt = length + FRAME_BYTES;
      let recordEnd = recordAt;
      if (typeof more !== 'string') {
        for (const pieces of [[recordJson], more, [end]]) recordEnd = writePieces(pieces, recordEnd);
        reserve(recordEnd, OVERHEAD_BYTES);
      } else {
        reserve(length, mostBytes(recordJson) + mostBytes(more) + mostBytes(end) + OVERHEAD_BYTES);
        if (more.length < JOINED_LENGTH) recordEnd += bytes.write(recordJson + more + end, recordAt, 'utf8');
        else for (const piece of [recordJson, more, end]) recordEnd += bytes.write(piece, recordEnd, 'utf8');
      }
      FRAME_TEMPLATE.copy(bytes, length);
      writeSum(bytes, length + SUM_AT, crc32(bytes.subarray(recordAt, recordEnd)));
      bytes[recordEnd] = CLOSING_BRACE;
      bytes[recordEnd + 1] = NEWLINE;
      const lineBytes = recordEnd + 2 - length;
      length += lineBytes;
      return lineBytes;
    },
    clear() {
      length = 0;
      if (bytes.length > KEPT_CAPACITY_BYTES) bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY_BYTES);
    },
  };
}

/** UTF-8 takes at most three bytes for a code unit; counting them exactly pays only for long texts. */
function mostBytes(text: string): number {
  return text.length > GENEROUS_LENGTH ? Buffer.byteLength(text) : text.length * 3;
}

/** The beginning of the record in the beginning of a line, whose checksum is not looked at. */
export const beginningOf = (line: Buffer): Buffer => line.subarray(FRAME_BYTES);

/** Makes the line of one record, given as JSON text or as its bytes; newline included. */
export function toLine(record: string | Uint8Array): Buffer {
  const body = typeof record === 'string' ? Buffer.from(record) : record;
  const line = Buffer.concat([FRAME_TEMPLATE, body, Buffer.from('}\n')]);
  writeSum(line, SUM_AT, crc32(body));
  return line;
}

/**
 * Returns the bytes of the record in a line (given without its newline); undefined when the checksum does not match.
 * Ignores a carriage return at the end: some copying tools add one to every line.
 */
export function recordOf(line: Buffer): Buffer | undefined {
  const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
  if (end < OVERHEAD_BYTES || line[end - 1] !== CLOSING_BRACE) return undefined;
  const record = line.subarray(FRAME_BYTES, end - 1);
  const sum = parseInt(line.toString('latin1', SUM_AT, SUM_AT + 8), 16);
  return crc32(record) === sum ? record : undefined;
}

/**
 * Returns the good records in a damaged line: where a newline was lost, it holds two good lines. The start of a line
 * cannot occur inside a record's text, where quotes are escaped.
 */
export function salvageRecords(line: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  let start = line.indexOf(LINE_START);
  while (start !== -1) {
    const next = line.indexOf(LINE_START, start + 1);
    const piece = line.subarray(start, next === -1 ? line.length : next);
    const record = recordBeforeRubbish(piece);
    if (record !== undefined) found.push(record);
    start = next;
  }
  return found;
}

/** The record of a line that is followed by other bytes. Tries a few ends, because those bytes may contain braces. */
function recordBeforeRubbish(piece: Buffer): Buffer | undefined {
  let end = piece.length;
  for (let attempt = 0; attempt < 8; attempt += 1) {
    end = piece.lastIndexOf('}}', end - 1);
    if (end === -1) return undefined;
    const record = recordOf(piece.subarray(0, end + 2));
    if (record !== undefined) return record;
  }
  return undefined;
}

/** Whether these bytes may be the rest of an interrupted write: the beginning of a line. */
export function isLineBeginning(bytes: Buffer): boolean {
  const compared = Math.min(bytes.length, LINE_START.length);
  return bytes.toString('latin1', 0, compared) === LINE_START.slice(0, compared) && !bytes.includes(0);
}

/** Whether these bytes are complete, undamaged lines only. */
export function isWholeLines(bytes: Buffer): boolean {
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1) return false;
    // An empty line stands after the rest of a write that a crash has interrupted.
    if (end > start && recordOf(bytes.subarray(start, end)) === undefined) return false;
    start = end + 1;
  }
  return true;
}

function writeSum(bytes: Buffer, at: number, sum: number): void {
  for (let i = 0; i < 8; i += 1) bytes[at + i] = HEX_CODES[(sum >>> (28 - 4 * i)) & 15] as number;
}
