import { expect, test } from 'vitest';

import { GatewayError } from '../foundation/errors.ts';
import { type FormFile, readForm, toObject } from './multipart.ts';
import type { GatewayRequest } from './request.ts';

const BOUNDARY = 'x--boundary-of-a-test';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const encoder = new TextEncoder();

/** A form as clients write it. A part is its headers after `Content-Disposition: form-data`, and its value. */
function formOf(...parts: readonly (readonly [head: string, value: string])[]): Uint8Array {
  const texts = parts.map(
    ([head, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data${head}\r\n\r\n${value}\r\n`,
  );
  return encoder.encode(`${texts.join('')}--${BOUNDARY}--\r\n`);
}

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function requestOf(pieces: AsyncIterable<Uint8Array>, headers: GatewayRequest['headers'] = {}): GatewayRequest {
  return {
    method: 'POST',
    path: '/',
    query: '',
    headers: { 'content-type': TYPE, ...headers },
    baseUrl: '',
    signal: new AbortController().signal,
    readBody: () => Promise.reject(new Error('A form is read piece by piece')),
    async *openBody(limitBytes = Infinity) {
      let total = 0;
      for await (const piece of pieces) {
        total += piece.length;
        if (total > limitBytes) throw new GatewayError('payload_too_large', 'too large');
        yield piece;
      }
    },
  };
}

async function takeWhole({ filename, mediaType, pieces }: FormFile): Promise<unknown> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return { filename, mediaType, text: Buffer.concat(all).toString() };
}

const read = (bytes: Uint8Array, size = bytes.length, headers?: GatewayRequest['headers']): Promise<unknown> =>
  readForm(requestOf(cut(bytes, size || 1), headers), 1e6, takeWhole);

const refusal = (message: string, code = 'invalid_request'): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(message) as string });

const WHOLE = formOf(
  ['; name="model"', 'openai/whisper-1'],
  ['; name="timestamp_granularities[]"', 'word'],
  [
    '; name="file"; filename="töne \\"1\\".mp3"\r\nContent-Type: Audio/MPEG; x=1',
    `a\r\n--${BOUNDARY.slice(0, 9)}\r\nb`,
  ],
  ['; name="timestamp_granularities[]"', 'segment'],
  ['; name="image[]"; filename="b.png"', ''],
);

test.each([1, 7, WHOLE.length])('reads fields and files in any order, %i bytes at a time', async (size) => {
  const form = (await read(WHOLE, size)) as Awaited<ReturnType<typeof readForm>>;
  expect(toObject(form.fields, ['model'])).toEqual({
    model: ['openai/whisper-1'],
    timestamp_granularities: ['word', 'segment'],
  });
  expect(toObject(form.fields)).toMatchObject({ model: 'openai/whisper-1' });
  expect(form.files).toEqual([
    {
      field: 'file',
      file: { filename: 'töne "1".mp3', mediaType: 'audio/mpeg', text: `a\r\n--${BOUNDARY.slice(0, 9)}\r\nb` },
    },
    { field: 'image', file: { filename: 'b.png', mediaType: 'application/octet-stream', text: '' } },
  ]);
});

test('reads what the platform itself sends', async () => {
  const body = new FormData();
  body.set('purpose', 'batch');
  body.set('file', new Blob(['{}\n'], { type: 'application/jsonl' }), 'lines ü.jsonl');
  const sent = new Request('http://localhost/', { method: 'POST', body });
  const bytes = new Uint8Array(await sent.arrayBuffer());
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' };
  await expect(read(bytes, 5, headers)).resolves.toMatchObject({
    fields: new Map([['purpose', ['batch']]]),
    files: [{ file: { filename: 'lines ü.jsonl', mediaType: 'application/jsonl', text: '{}\n' } }],
  });
});

const file = (value: string): Uint8Array => formOf(['; name="file"; filename="a"', value]);

test.each([
  ['a body that ends within a file', file('abc').subarray(0, -30), 'before its closing boundary'],
  ['a body that ends within a field', formOf(['; name="a"', 'b']).subarray(0, -20), 'before its closing boundary'],
  ['an empty body', new Uint8Array(), 'before its closing boundary'],
  ['a part without a name', formOf(['', 'b']), 'no name'],
  ['headers that are none', encoder.encode(`--${BOUNDARY}\r\nü\r\n\r\nb\r\n--${BOUNDARY}--`), 'no name'],
  ['headers without end', formOf([`; name="a"\r\nX: ${'x'.repeat(20_000)}`, 'b']), 'larger than 16384 bytes'],
  [
    'a field that is not UTF-8',
    formOf(['; name="a"', '@']).map((byte) => (byte === 0x40 ? 0xff : byte)),
    'not valid UTF-8',
  ],
  ['a badly encoded name', formOf([`; name="file"; filename*=UTF-8''%e`, 'b']), 'percent-encoding'],
  ['101 parts', formOf(...Array.from({ length: 101 }, () => ['; name="a"', 'b'] as const)), 'more than 100 parts'],
  ['a field of 2 MB', formOf(['; name="a"', 'b'.repeat(2e6)]), 'too large', 'payload_too_large'],
])('answers 400 to %s', async (_name, bytes, message, code?: string) => {
  await expect(read(bytes)).rejects.toEqual(refusal(message, code));
  if (bytes.length < 1e4) await expect(read(bytes, 1)).rejects.toEqual(refusal(message, code));
});

test('refuses a field of more than a megabyte within a larger form', async () => {
  const bytes = formOf(['; name="a"', 'b'.repeat(1_100_000)]);
  await expect(readForm(requestOf(cut(bytes, 65_536)), 1e7, takeWhole)).rejects.toEqual(
    refusal('The field "a" of the form is larger than 1048576 bytes'),
  );
});

test.each([
  ['JSON', { 'content-type': 'application/json' }, 'send multipart/form-data', 'unsupported_media_type'],
  ['no type', { 'content-type': undefined }, 'send multipart/form-data', 'unsupported_media_type'],
  ['a compressed form', { 'content-encoding': 'gzip' }, 'send the body uncompressed', 'unsupported_media_type'],
  ['a form without a boundary', { 'content-type': 'multipart/form-data' }, 'no boundary', 'invalid_request'],
])('refuses %s', async (_name, headers, message, code) => {
  await expect(read(file('a'), 9, headers)).rejects.toEqual(refusal(message, code));
});

// Where backslashes can be read in several ways, 40 of them before a missing quote take minutes.
test('reads a quote that is never closed in one pass, however many backslashes follow it', async () => {
  const backslashes = '\\'.repeat(10_000);
  const bytes = formOf([`; name="a"; filename="${backslashes}`, 'b']);
  await expect(read(bytes)).resolves.toMatchObject({ files: [{ file: { filename: `"${backslashes}`, text: 'b' } }] });
  const headers = { 'content-type': `multipart/form-data; boundary="${backslashes}` };
  await expect(read(bytes, 999, headers)).rejects.toEqual(refusal('no boundary'));
});

test.each([
  [String.raw`C:\new\a.txt`, String.raw`C:\new\a.txt`],
  [String.raw`a\\b\"c`, String.raw`a\b"c`],
  [String.raw`a\\\"b`, String.raw`a\"b`],
  [String.raw`ends in \\`, 'ends in \\'],
])('reads the filename "%s" with its backslashes', async (written, filename) => {
  await expect(read(formOf([`; name="a"; filename="${written}"`, 'b']))).resolves.toMatchObject({
    files: [{ file: { filename } }],
  });
});

test('reads the client only as fast as the file is taken', async () => {
  const bytes = file('x'.repeat(1_000_000));
  let sent = 0;
  async function* count(): AsyncGenerator<Uint8Array> {
    for await (const piece of cut(bytes, 1000)) {
      sent += piece.length;
      yield piece;
    }
  }
  let most = 0;
  await readForm(requestOf(count()), 1e7, async ({ pieces }) => {
    let taken = 0;
    for await (const piece of pieces) {
      most = Math.max(most, sent - taken);
      await Promise.resolve();
      taken += piece.length;
    }
  });
  expect(most).toBeLessThan(5000);
});

test('ends with the error of the reader of a file, and reads no more of the client', async () => {
  let sent = 0;
  async function* count(): AsyncGenerator<Uint8Array> {
    for await (const piece of cut(file('x'.repeat(100_000)), 1000)) {
      sent += 1;
      yield piece;
    }
  }
  const full = new GatewayError('conflict', 'No room is left');
  await expect(readForm(requestOf(count()), 1e7, () => Promise.reject(full))).rejects.toBe(full);
  expect(sent).toBeLessThan(5);
});

test('discards the rest of a file that its reader leaves', async () => {
  const bytes = formOf(['; name="file"; filename="a"', 'x'.repeat(5000)], ['; name="a"', 'b']);
  const form = await readForm(requestOf(cut(bytes, 100)), 1e7, async ({ pieces }) => {
    for await (const piece of pieces) return piece.length;
    return 0;
  });
  expect(form).toEqual({
    fields: new Map([['a', ['b']]]),
    files: [{ field: 'file', file: expect.any(Number) as number }],
  });
});

test('throws the error of the body to the reader of a file too', async () => {
  const left = new GatewayError('client_closed_request', 'The client closed the request');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield file('abc').subarray(0, -30);
    await Promise.resolve();
    throw left;
  }
  const seen: unknown[] = [];
  const reading = readForm(requestOf(broken()), 1e7, (taken) =>
    takeWhole(taken).catch((error: unknown) => seen.push(error)),
  );
  await expect(reading).rejects.toBe(left);
  expect(seen).toEqual([left]);
});
