import { brotliCompressSync, constants, createBrotliCompress, createDeflate, createGzip, gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { parseFrames } from '../support/gateways/core-gateway.ts';
import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import {
  respondWell,
  LAST_HTTP_CHUNK,
  type RawUpstream,
  startRawUpstream,
  STREAM_HEAD,
  toRawResponse,
  toEvents,
  toHead,
  toHttpChunk,
  toTextEvent,
  toWhole,
} from '../support/upstreams/raw-upstream.ts';

/** An upstream that sends these bytes to every request and then ends the connection. */
const startBytes = (...bytes: readonly (string | Uint8Array)[]): Promise<RawUpstream> =>
  startRawUpstream(({ socket }) => {
    for (const piece of bytes) socket.write(piece);
    socket.end();
  });

const streamHead = (headers: Readonly<Record<string, string>> = {}): string =>
  toHead(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked', ...headers });

test.each([
  ['gzip', () => createGzip({ flush: constants.Z_SYNC_FLUSH })],
  ['x-gzip', () => createGzip({ flush: constants.Z_SYNC_FLUSH })],
  ['deflate', () => createDeflate({ flush: constants.Z_SYNC_FLUSH })],
  ['br', () => createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH })],
])('45: a stream in %s is decoded as it comes', async (encoding, createEncoder) => {
  let finish = (): void => undefined;
  const upstream = await startRawUpstream(({ socket }) => {
    const encoder = createEncoder();
    socket.write(streamHead({ 'content-encoding': encoding }));
    encoder.on('data', (bytes: Buffer) => socket.write(toHttpChunk(bytes)));
    encoder.on('end', () => socket.write(LAST_HTTP_CHUNK));
    encoder.write(toTextEvent('First '));
    finish = () => void encoder.end(toEvents('last'));
  });
  const { ask } = await startFaultGateway([upstream]);

  const response = await ask({ stream: true });
  expect([response.headers.get('content-encoding'), response.headers.get('content-length')]).toEqual([null, null]);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  // Upstream says no more until this has arrived.
  let text = (await reader?.read())?.value ?? '';
  expect(text).toContain('First ');
  finish();
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) text += next.value;
  expect(parseFrames(text)).toMatchObject([
    { choices: [{ delta: { content: 'First ' } }] },
    { choices: [{ delta: { content: 'last' } }] },
    { choices: [{ finish_reason: 'stop' }] },
    { usage: {} },
    'done',
  ]);
});

test.each([
  ['gzip', gzipSync(JSON.stringify(toWhole('Hi')))],
  ['br', brotliCompressSync(JSON.stringify(toWhole('Hi')))],
])('45: a whole response in %s is decoded', async (encoding, bytes) => {
  const head = toHead(200, {
    'content-type': 'application/json',
    'content-encoding': encoding,
    'content-length': bytes.byteLength,
  });
  const { ask } = await startFaultGateway([await startBytes(head, bytes)]);
  expect(await (await ask()).json()).toMatchObject({ choices: [{ message: { content: 'Hi' } }] });
});

test.each([
  ['no gzip at all', Buffer.from('plainly no gzip, whatever its header says')],
  ['cut short', gzipSync(JSON.stringify(toWhole('x'.repeat(1000)))).subarray(0, 40)],
  [
    'broken in the middle',
    Buffer.concat([gzipSync(JSON.stringify(toWhole('Hi'))).subarray(0, 20), Buffer.alloc(200, 7)]),
  ],
])('45: gzip that is %s is a 502, streamed or not', async (_name, bytes) => {
  for (const stream of [false, true]) {
    const type = stream ? 'text/event-stream' : 'application/json';
    const head = toHead(200, { 'content-type': type, 'content-encoding': 'gzip', 'content-length': bytes.byteLength });
    const { ask } = await startFaultGateway([await startBytes(head, bytes)]);
    expect((await ask({ stream })).status).toBe(502);
  }
});

test('46: a small response that decodes to more than the limit is cut there', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000, 'x'));
  expect(bomb.byteLength).toBeLessThan(30_000);
  for (const stream of [false, true]) {
    const type = stream ? 'text/event-stream' : 'application/json';
    const head = toHead(200, { 'content-type': type, 'content-encoding': 'gzip', 'content-length': bomb.byteLength });
    const upstream = await startBytes(head, bomb);
    const { ask, logged } = await startFaultGateway([upstream], { transport: { maxBodyBytes: 1_000_000 } });
    expect((await ask({ stream })).status).toBe(502);
    expect(JSON.stringify(logged)).toContain('larger than allowed');
  }
});

test('46: a response longer than the limit is cut there without any encoding, too', async () => {
  const { ask } = await startFaultGateway([await startBytes(toRawResponse(200, toWhole('x'.repeat(2_000_000))))], {
    transport: { maxBodyBytes: 1_000_000 },
  });
  expect((await ask()).status).toBe(502);
});

test.each([
  'gzip, gzip',
  Array.from({ length: 20 }, () => 'gzip').join(', '),
  'zstd',
  'compress',
  '__proto__',
  'constructor',
])('47: a response encoded as "%s" is a 502', async (encoding) => {
  const bytes = gzipSync(gzipSync(JSON.stringify(toWhole('Hi'))));
  const head = toHead(200, {
    'content-type': 'application/json',
    'content-encoding': encoding,
    'content-length': bytes.byteLength,
  });
  const upstream = await startBytes(head, bytes);
  const { ask } = await startFaultGateway([upstream]);
  expect((await ask()).status).toBe(502);
});

test.each(['text/plain', 'application/octet-stream', 'TEXT/EVENT-STREAM; charset=UTF-8', undefined])(
  '48: a valid stream is read although its content type is %s',
  async (type) => {
    const head = toHead(200, { ...(type !== undefined && { 'content-type': type }), 'transfer-encoding': 'chunked' });
    const { stream } = await startFaultGateway([await startBytes(head, toHttpChunk(toEvents('Hi')), LAST_HTTP_CHUNK)]);
    const text = await stream();
    expect(text).toContain('"content":"Hi"');
    expect(parseFrames(text).at(-1)).toBe('done');
  },
);

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
  '48: a response in one piece as %s is told as a stream where one was asked for',
  async (type) => {
    const { stream } = await startFaultGateway([
      await startBytes(toRawResponse(200, toWhole('Hi'), { 'content-type': type })),
    ]);
    const frames = parseFrames(await stream());
    expect(frames).toMatchObject([
      { choices: [{ delta: { content: 'Hi' } }] },
      { choices: [{ finish_reason: 'stop' }] },
      { usage: { total_tokens: 20 } },
      'done',
    ]);
  },
);

const first = toHttpChunk(toTextEvent('Hi')).toString('latin1');

test.each([
  ['a size that is none', `${first}zz\r\nabc\r\n`],
  ['a negative size', `${first}-1\r\nabc\r\n`],
  ['a size with a sign of hexadecimal', `${first}0x5\r\nhello\r\n`],
  ['a size beyond all measure', `${first}fffffffffffffffff\r\nabc\r\n`],
  ['no line end after its data', `${first}3\r\nabcd\r\n`],
  ['an endless extension', `${first}3;${'x'.repeat(100_000)}\r\nabc\r\n`],
  ['no last chunk', first],
  ['an end within a chunk', `${first}ff\r\ndata: {"choices"`],
])('49: chunks with %s end the stream in an error, and the connection', async (_name, body) => {
  const upstream = await startBytes(STREAM_HEAD, body);
  const { stream, record } = await startFaultGateway([upstream]);
  const text = await stream();
  // Events before the fault may have come in the same read as the fault, and may or may not be shown.
  if (text.startsWith('{')) expect(JSON.parse(text)).toMatchObject({ error: { code: 502 } });
  else expect(parseFrames(text).slice(-2)).toMatchObject([{ error: { code: 502 } }, 'done']);
  expect((await record()).record.generation.finish_reason).toBe('error');
  await upstream.requests[0]?.closed;
});

test.each([
  ['no HTTP', 'Hello, I am no HTTP server\r\n\r\n'],
  ['a status line of another protocol', 'ICY 200 OK\r\n\r\n'],
  ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
  ['a header name with a space', 'HTTP/1.1 200 OK\r\ncontent type: text/plain\r\n\r\n'],
  ['two lengths', `${toHead(200, { 'content-length': 2 }).trimEnd()}\r\ncontent-length: 3\r\n\r\n{}`],
  ['a length and chunks', `${toHead(200, { 'content-length': 2, 'transfer-encoding': 'chunked' })}{}`],
  ['headers of 100 KB', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['nothing', ''],
])('49: a response that is %s is a 502', async (_name, bytes) => {
  const upstream = await startBytes(bytes);
  const { ask } = await startFaultGateway([upstream]);
  expect((await ask()).status).toBe(502);
  await upstream.requests[0]?.closed;
});

test('50: a body shorter than its length is an error, whole or streamed', async () => {
  const whole = JSON.stringify(toWhole('Hi'));
  const head = (type: string): string => toHead(200, { 'content-type': type, 'content-length': 5000 });
  const { ask } = await startFaultGateway([await startBytes(head('application/json'), whole)]);
  expect((await ask()).status).toBe(502);

  const { stream, record } = await startFaultGateway([await startBytes(head('text/event-stream'), toTextEvent('Hi'))]);
  const text = await stream();
  expect(parseFrames(text).slice(-2)).toMatchObject([{ error: { code: 502 } }, 'done']);
  expect((await record()).record.generation.finish_reason).toBe('error');
});

test('50: a body that the end of the connection ends is complete, as HTTP/1.0 has it', async () => {
  const head = toHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
  const { stream } = await startFaultGateway([await startBytes(head, toEvents('Hi'))]);
  expect(parseFrames(await stream()).at(-1)).toBe('done');
});

test('51: trailers are ignored, whatever they are called', async () => {
  const trailers = `0\r\n__proto__: polluted\r\nconstructor: x\r\nset-cookie: a=b\r\n\r\n`;
  const upstream = await startRawUpstream(({ socket }) => {
    socket.write(streamHead({ trailer: '__proto__' }));
    socket.write(toHttpChunk(toEvents('Hi')));
    socket.write(trailers);
  });
  const { ask } = await startFaultGateway([upstream]);
  for (let call = 0; call < 2; call += 1) {
    const response = await ask({ stream: true });
    expect(parseFrames(await response.text()).at(-1)).toBe('done');
    expect(response.headers.get('set-cookie')).toBeNull();
  }
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  // They are part of the message, so the connection is as good as before.
  expect(upstream.connections).toHaveLength(1);
});

test('52: an upstream that responds before it has read the request, or without reading it, is no deadlock', async () => {
  const upstream = await startRawUpstream(
    (request) => {
      // Not a byte of the body is read.
      request.socket.pause();
      respondWell({ socket: request.socket, body: '"stream":true' });
    },
    { atHead: true },
  );
  const { stream } = await startFaultGateway([upstream]);
  for (let call = 0; call < 2; call += 1) {
    const text = await stream({ messages: [{ role: 'user', content: 'x'.repeat(20_000_000) }] });
    expect(parseFrames(text).at(-1)).toBe('done');
  }
});
