import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import { TransportError } from '@model-gateway/core';

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

/** Decodes a body that has arrived completely, in the same way. */
export async function decodeWhole(body: Uint8Array, encoding: string, maxBytes: number): Promise<Uint8Array> {
  if (encoding === 'identity') return body;
  const pieces: Uint8Array[] = [];
  for await (const piece of decode(Readable.from([body]), encoding, maxBytes)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* decode(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const createDecoder = DECODERS.get(encoding.trim().toLowerCase());
  if (createDecoder === undefined) throw toBodyError('the answer has an encoding that is not understood');
  const decoder = createDecoder();
  // The error is also thrown by the iteration below; this listener only keeps pipeline from throwing it a second time.
  const decoded = pipeline(Readable.from(body, { objectMode: false }), decoder, () => undefined);
  let total = 0;
  try {
    for await (const piece of decoded) {
      const bytes = piece as Uint8Array;
      total += bytes.byteLength;
      if (total > maxBytes) throw toBodyError('the answer is larger than allowed');
      yield bytes;
    }
  } catch (error) {
    throw error instanceof TransportError ? error : toBodyError('the answer could not be decoded', error);
  }
}

function toBodyError(message: string, cause?: unknown): TransportError {
  return new TransportError(message, { phase: 'body', requestSent: true, cause });
}
