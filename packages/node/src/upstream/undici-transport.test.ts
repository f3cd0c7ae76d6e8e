import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import type { TransportRequest } from '@model-gateway/core';
import { afterEach, expect, test } from 'vitest';

import { createUndiciTransport, type UndiciTransport } from './undici-transport.ts';

let server: Server | undefined;
let transport: UndiciTransport | undefined;

afterEach(async () => {
  await transport?.close();
  server?.closeAllConnections();
  server?.close();
});

/** Requests a whole response from a real server. */
async function ask(listener: RequestListener, options: Partial<TransportRequest> = {}) {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  transport = createUndiciTransport();
  return transport.sendWhole({
    method: 'POST',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    headers: {},
    body: 'question',
    signal: new AbortController().signal,
    headersTimeoutMs: 5000,
    idleTimeoutMs: 5000,
    totalTimeoutMs: 5000,
    ...options,
  });
}

test('a whole response has its status, its headers and all of its bytes, into whatever pieces it was cut', async () => {
  const { status, headers, bytes } = await ask((_, response) => {
    response.setHeader('X-Kind', ['a', 'b']);
    response.write('first ');
    setImmediate(() => response.end('second'));
  });
  expect(status).toBe(200);
  expect(headers['x-kind']).toBe('a, b');
  expect(Buffer.from(bytes).toString()).toBe('first second');
});

test('a compressed whole response is decoded, and its decoded size is limited', async () => {
  const listener: RequestListener = (_, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync('x'.repeat(5000)));
  };
  expect((await ask(listener)).bytes).toHaveLength(5000);
  await transport?.close();
  server?.close();
  await expect(ask(listener, { maxBodyBytes: 4999 })).rejects.toMatchObject({ phase: 'body' });
});

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])('a long whole response in %s is decoded into one buffer of its length', async (encoding, compress) => {
  const text = 'a long response '.repeat(200_000);
  const { bytes } = await ask((_, response) => {
    response.setHeader('content-encoding', encoding);
    response.end(compress(text));
  });
  expect(Buffer.from(bytes).toString()).toBe(text);
  expect(bytes.buffer.byteLength).toBe(text.length);
});

test('the beginning of a compressed error response is enough, however long it is decoded', async () => {
  const { status, bytes } = await ask((_, response) => {
    response.writeHead(503, { 'content-encoding': 'gzip' });
    response.end(gzipSync('down '.repeat(1_000_000)));
  });
  expect(status).toBe(503);
  expect(Buffer.from(bytes.subarray(0, 10)).toString()).toBe('down down ');
  expect(bytes.byteLength).toBeLessThan(100_000);
});

test('a whole response above the limit is refused, and its connection closed', async () => {
  let isClosed: Promise<void> | undefined;
  const result = ask(
    (request, response) => {
      isClosed = new Promise((resolve) => request.socket.once('close', () => resolve()));
      response.write('x'.repeat(11));
    },
    { maxBodyBytes: 10 },
  );
  await expect(result).rejects.toMatchObject({ name: 'TransportError', phase: 'body' });
  await isClosed;
});

test('the beginning of an error response that never ends is enough', async () => {
  const { status, bytes } = await ask((_, response) => {
    response.statusCode = 503;
    const more = (): void => void (response.destroyed || response.write('<p>down</p>'.repeat(1000), () => more()));
    more();
  });
  expect(status).toBe(503);
  expect(Buffer.from(bytes).toString('utf8', 0, 11)).toBe('<p>down</p>');
  expect(bytes.byteLength).toBeLessThanOrEqual(64 * 1024);
});

test('an error response whose text breaks off keeps its status; a successful response that breaks off fails', async () => {
  const breakOff =
    (status: number): RequestListener =>
    (_, response) => {
      response.writeHead(status, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    };
  expect(await ask(breakOff(429))).toMatchObject({ status: 429, bytes: Buffer.from('half') });
  await transport?.close();
  server?.close();
  await expect(ask(breakOff(200))).rejects.toMatchObject({ name: 'TransportError', phase: 'body' });
});

test('an error response whose text cannot be decoded keeps its status', async () => {
  const result = await ask((_, response) => {
    response.writeHead(429, { 'content-encoding': 'gzip', 'retry-after': '7' });
    response.end('no gzip');
  });
  expect(result).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
});

test('an abort ends a whole call with its reason and closes the connection', async () => {
  const work = new AbortController();
  const reason = new Error('enough');
  let isClosed: Promise<void> | undefined;
  const result = ask(
    (request, response) => {
      isClosed = new Promise((resolve) => request.socket.once('close', () => resolve()));
      response.write('half', () => work.abort(reason));
    },
    { signal: work.signal },
  );
  await expect(result).rejects.toBe(reason);
  await isClosed;
});
