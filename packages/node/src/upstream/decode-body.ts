import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import { createTurns, TransportError } from '@model-gateway/core';

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map<string, () => NodeJS.ReadWriteStream>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

/**
 * Decodes a body if compressed. Throws `TransportError` for unknown or stacked encodings, bad data, over `maxBytes`.
 */
export function decodeBody(
  body: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
  maxBytes: number,
): AsyncIterable<Uint8Array> {
  return encoding === undefined || encoding === 'identity' ? body : decode(body, encoding, maxBytes);
}

/** What is decoded up to this length is collected piece by piece; what is longer is measured first. */
const MAX_COLLECTED_BYTES = 1024 * 1024;

/**
 * Decodes a body that has arrived completely, in the same way. A long one is decoded to be measured, and again into a
 * buffer of its length: a body that is refused then costs no memory, and no other one more than its length
 * (docs/decisions/0032).
 */
export async function decodeWhole(body: Uint8Array, encoding: string, maxBytes: number): Promise<Uint8Array> {
  if (encoding === 'identity') return body;
  const open = (): AsyncIterable<Uint8Array> => decode(Readable.from([body]), encoding, maxBytes);
  const beginning = await collect(open(), MAX_COLLECTED_BYTES);
  if (beginning.byteLength <= MAX_COLLECTED_BYTES) return beginning;
  return measureInTurn(async () => {
    let length = 0;
    for await (const piece of open()) length += piece.byteLength;
    const whole = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for await (const piece of open()) {
      whole.set(piece, at);
      at += piece.byteLength;
    }
    return whole;
  });
}

/** One at a time: pieces that are only counted are garbage, which several would make faster than it is collected. */
const measureInTurn = createTurns();

/** Decodes the beginning of such a body, up to the piece that exceeds `maxBytes`; empty when that is damaged. */
export async function decodeBeginning(body: Uint8Array, encoding: string, maxBytes: number): Promise<Uint8Array> {
  if (encoding === 'identity') return body;
  const decoded = decode(Readable.from([body]), encoding, Number.POSITIVE_INFINITY);
  return collect(decoded, maxBytes).catch(() => new Uint8Array());
}

/** Collects pieces until there are more than `maxBytes`. */
async function collect(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.byteLength;
    if (length > maxBytes) break;
  }
  return Buffer.concat(pieces);
}

async function* decode(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const createDecoder = DECODERS.get(encoding.trim().toLowerCase());
  if (createDecoder === undefined) throw toBodyError('the response has an unknown encoding');
  const decoder = createDecoder();
  // The error is also thrown by the iteration below; this listener only keeps pipeline from throwing it a second time.
  const decoded = pipeline(Readable.from(body, { objectMode: false }), decoder, () => undefined);
  let total = 0;
  try {
    for await (const piece of decoded) {
      const bytes = piece as Uint8Array;
      total += bytes.byteLength;
      if (total > maxBytes) throw toBodyError('the response is larger than allowed');
      yield bytes;
    }
  } catch (error) {
    throw error instanceof TransportError ? error : toBodyError('the response could not be decoded', error);
  }
}

function toBodyError(message: string, cause?: unknown): TransportError {
  return new TransportError(message, { phase: 'body', requestSent: true, cause });
}
