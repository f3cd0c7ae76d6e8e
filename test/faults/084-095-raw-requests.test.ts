import { expect, test, vi } from 'vitest';

import { connectRaw, toChatBody, toRequestBytes } from '../support/clients/raw-client.ts';
import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import {
  respondWell,
  LAST_HTTP_CHUNK,
  type RawRequest,
  type RawUpstream,
  startRawUpstream,
  STREAM_HEAD,
  toEvents,
  toHttpChunk,
  toTextEvent,
} from '../support/upstreams/raw-upstream.ts';

const healthy = (): Promise<RawUpstream> => startRawUpstream((request) => respondWell(request));

/** Sends bytes to a gateway and returns all it sends until it closes the connection. */
async function responsesTo(
  toBytes: (port: number) => string | Uint8Array,
): Promise<{ received: string; upstreamCalls: number }> {
  const upstream = await healthy();
  const { port } = await startFaultGateway([upstream]);
  const client = await connectRaw(port);
  client.write(toBytes(port));
  const received = await client.ended;
  return { received, upstreamCalls: upstream.connections.length };
}

const BODY = toChatBody();
const HEAD = (port: number): string =>
  `POST /api/v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${TEST_KEY}\r\ncontent-type: application/json\r\n`;
const CHUNKED_BODY = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const LENGTH = `content-length: ${BODY.length}\r\n`;

test.each<[string, (port: number) => string]>([
  ['length and chunks', (port) => `${HEAD(port)}${LENGTH}transfer-encoding: chunked\r\n\r\n${CHUNKED_BODY}`],
  ['chunks and length', (port) => `${HEAD(port)}transfer-encoding: chunked\r\n${LENGTH}\r\n${CHUNKED_BODY}`],
  ['an unknown coding after chunked', (port) => `${HEAD(port)}transfer-encoding: chunked, x\r\n\r\n${CHUNKED_BODY}`],
  ['a coding with a tab', (port) => `${HEAD(port)}transfer-encoding:\tchunked\tx\r\n\r\n${CHUNKED_BODY}`],
  ['a coding in quotes', (port) => `${HEAD(port)}transfer-encoding: "chunked"\r\n\r\n${CHUNKED_BODY}`],
  ['a space before the colon', (port) => `${HEAD(port)}transfer-encoding : chunked\r\n\r\n${CHUNKED_BODY}`],
  ['a coding with a control character', (port) => `${HEAD(port)}transfer-encoding: \x0bchunked\r\n\r\n${CHUNKED_BODY}`],
  ['two lengths that differ', (port) => `${HEAD(port)}${LENGTH}content-length: 3\r\n\r\n${BODY}`],
  ['two lengths that agree', (port) => `${HEAD(port)}${LENGTH}${LENGTH}\r\n${BODY}`],
  ['a list of lengths', (port) => `${HEAD(port)}content-length: ${BODY.length}, ${BODY.length}\r\n\r\n${BODY}`],
  ['a length with a sign', (port) => `${HEAD(port)}content-length: +${BODY.length}\r\n\r\n${BODY}`],
  ['a hexadecimal length', (port) => `${HEAD(port)}content-length: 0x10\r\n\r\n${BODY}`],
  ['a length with an underscore', (port) => `${HEAD(port)}content-length: 1_0\r\n\r\n${BODY}`],
  ['a negative length', (port) => `${HEAD(port)}content-length: -1\r\n\r\n${BODY}`],
  ['a length beyond all measure', (port) => `${HEAD(port)}content-length: 99999999999999999999\r\n\r\n${BODY}`],
  ['an empty length', (port) => `${HEAD(port)}content-length: \r\n\r\n${BODY}`],
  ['bare line feeds', (port) => `${HEAD(port)}${LENGTH}\r\n`.replaceAll('\r\n', '\n') + BODY],
  ['a bare carriage return in a header', (port) => `${HEAD(port)}x: a\rb: c\r\n${LENGTH}\r\n${BODY}`],
  ['a bare carriage return between headers', (port) => `${HEAD(port)}x: a\r${LENGTH}\r\n${BODY}`],
  ['NUL in a header', (port) => `${HEAD(port)}x: a\0b\r\n${LENGTH}\r\n${BODY}`],
  ['NUL in a header name', (port) => `${HEAD(port)}x\0y: a\r\n${LENGTH}\r\n${BODY}`],
  ['a folded header', (port) => `${HEAD(port)}x: a\r\n b\r\n${LENGTH}\r\n${BODY}`],
  ['a folded header first', (port) => HEAD(port).replace('\r\n', `\r\n x: a\r\n`) + `${LENGTH}\r\n${BODY}`],
  ['a header without a colon', (port) => `${HEAD(port)}nonsense\r\n${LENGTH}\r\n${BODY}`],
  ['a header without a name', (port) => `${HEAD(port)}: value\r\n${LENGTH}\r\n${BODY}`],
  [
    'a chunk size that is hexadecimal by its sign',
    (port) => `${HEAD(port)}transfer-encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n`,
  ],
  ['a chunk size with a sign', (port) => `${HEAD(port)}transfer-encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n`],
  [
    'a chunk size beyond all measure',
    (port) => `${HEAD(port)}transfer-encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\nhello\r\n`,
  ],
  [
    'a chunk extension with a carriage return',
    (port) => `${HEAD(port)}transfer-encoding: chunked\r\n\r\n5;a\rb\r\nhello\r\n0\r\n\r\n`,
  ],
  ['a chunk ended by a line feed', (port) => `${HEAD(port)}transfer-encoding: chunked\r\n\r\n5\nhello\n0\n\n`],
  [
    'a chunk longer than it says',
    (port) => `${HEAD(port)}transfer-encoding: chunked\r\n\r\n5\r\nhello world\r\n0\r\n\r\n`,
  ],
  ['a version that there is none of', (port) => HEAD(port).replace('HTTP/1.1', 'HTTP/1.2') + `${LENGTH}\r\n${BODY}`],
  ['a request line of HTTP/0.9', () => 'GET /api/v1/models\r\n\r\n'],
  ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS handshake', () => '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
])('84, 85: %s is a 400 and the end of the connection', async (_name, toBytes) => {
  const { received, upstreamCalls } = await responsesTo((port) => Buffer.from(toBytes(port), 'latin1'));
  expect(received).toMatch(/^HTTP\/1\.1 400 .*\{"error":\{"code":400,"message":/s);
  // One response: nothing that followed was taken for a request.
  expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(upstreamCalls).toBe(0);
});

test('84: what follows a refused request on its connection is never looked at', async () => {
  const { received, upstreamCalls } = await responsesTo(
    (port) =>
      `${HEAD(port)}${LENGTH}transfer-encoding: chunked\r\n\r\n${CHUNKED_BODY}${HEAD(port)}${LENGTH}\r\n${BODY}`,
  );
  expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(upstreamCalls).toBe(0);
});

test.each([
  ['two Host headers', (port: number) => `host: 127.0.0.1:${port}\r\nhost: 127.0.0.1:${port}\r\n`],
  ['two Host headers, the second an odd one', (port: number) => `host: 127.0.0.1:${port}\r\nHOST: evil.example\r\n`],
  ['no Host', () => ''],
  ['an empty Host', () => 'host: \r\n'],
  ['a Host with a path', (port: number) => `host: 127.0.0.1:${port}/x\r\n`],
  ['a Host with a query', (port: number) => `host: 127.0.0.1:${port}?x\r\n`],
  ['a Host with a fragment', (port: number) => `host: 127.0.0.1:${port}#x\r\n`],
  ['a Host with a user', (port: number) => `host: evil@127.0.0.1:${port}\r\n`],
  ['a Host with a space', (port: number) => `host: 127.0.0.1:${port} x\r\n`],
  ['a Host that is a list', (port: number) => `host: 127.0.0.1:${port}, evil.example\r\n`],
  ['a Host with a port that is none', () => 'host: 127.0.0.1:http\r\n'],
])('85: %s is a 400, in HTTP/1.1 and 1.0', async (_name, toHost) => {
  for (const version of ['1.1', '1.0']) {
    const { received, upstreamCalls } = await responsesTo(
      (port) => `GET /api/v1/models HTTP/${version}\r\n${toHost(port)}authorization: Bearer ${TEST_KEY}\r\n\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 400 .*\{"error":\{"code":400,"message":/s);
    expect(upstreamCalls).toBe(0);
  }
});

test.each([
  '//evil.example/api/v1/keys',
  '/x/../api/v1/models',
  '/./api/v1/models',
  '/%2e%2e/api/v1/models',
  '/api/v1/%6dodels',
  '/api/v1/models/',
  '/api/v1//models',
  '//api/v1/models',
  '/api/v1/models;x=1',
  '/api/v1/models%00',
  '/api/v1/models%2f..%2fkeys',
  '/API/V1/MODELS',
  '/api\\v1\\models',
  '/api/v1/models%20',
  'http://evil.example/api/v1/models',
  'http://127.0.0.1/api/v1/models',
  '*',
  '/<script>alert(1)</script>',
])('86: %s is not a path of the gateway, with any key', async (path) => {
  const { port } = await startFaultGateway([await healthy()]);
  for (const key of [TEST_KEY, TEST_MANAGEMENT_KEY, 'nobody']) {
    const client = await connectRaw(port);
    client.write(toRequestBytes(port, { method: 'GET', path, headers: { authorization: `Bearer ${key}` } }));
    const reply = await client.readReply();
    expect([400, 404]).toContain(reply.status);
    expect(JSON.parse(reply.body)).toMatchObject({ error: { code: reply.status } });
    expect(reply.body).not.toContain('script');
  }
});

test.each([
  ['http://127.0.0.1:{port}/api/v1/models', 'host: 127.0.0.1:{port}', 200],
  ['HTTP://LocalHost:{port}/api/v1/models/count', 'host: localhost:{port}', 200],
  ['http://127.0.0.1:{port}/health', 'host: 127.0.0.1:{port}', 200],
  // The root, not what its query names, which would be a 401.
  ['http://127.0.0.1:{port}?x=/api/v1/keys', 'host: 127.0.0.1:{port}', 200],
  ['http://evil.example/api/v1/models', 'host: evil.example', 403],
  ['http://evil.example/api/v1/models', 'host: 127.0.0.1:{port}', 400],
  ['http://127.0.0.1:{port}/api/v1/models', 'host: evil.example', 400],
  ['http://127.0.0.1:{port}/api/v1/models', 'x-host: 127.0.0.1:{port}', 400],
  ['http:///api/v1/models', 'host: 127.0.0.1:{port}', 404],
  ['ftp://127.0.0.1:{port}/api/v1/models', 'host: 127.0.0.1:{port}', 404],
])('86: the target %s with %s is a %i', async (target, host, status) => {
  const { received, upstreamCalls } = await responsesTo((port) =>
    [`GET ${target} HTTP/1.1`, host, `authorization: Bearer ${TEST_KEY}`, 'connection: close', '', '']
      .join('\r\n')
      .replaceAll('{port}', String(port)),
  );
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(upstreamCalls).toBe(0);
});

test('86: HTTP/1.0 may name its host in the target alone', async () => {
  const toBytes = (path: string) => (port: number) =>
    `GET http://127.0.0.1:${port}${path} HTTP/1.0\r\nauthorization: Bearer ${TEST_KEY}\r\n\r\n`;
  expect((await responsesTo(toBytes('/api/v1/models'))).received).toMatch(/^HTTP\/1\.1 200 /);
});

test('86: a query may say anything and changes no path', async () => {
  const { port } = await startFaultGateway([await healthy()]);
  const client = await connectRaw(port);
  client.write(toRequestBytes(port, { method: 'GET', path: '/api/v1/models?x=/../keys&y=?#&z=%' }));
  expect((await client.readReply()).status).toBe(200);
});

test.each([201, 1001, 1900])(
  '87: %i headers are a 431, and the credentials behind them are not looked at',
  async (count) => {
    const { received } = await responsesTo(
      (port) =>
        `GET /api/v1/models HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${'a: b\r\n'.repeat(count)}authorization: Bearer ${TEST_KEY}\r\n\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 431 .*"code":431/s);
  },
);

test.each([
  ['one header of 16 KB', `x: ${'x'.repeat(16_384)}\r\n`],
  ['headers of 16 KB together', Array.from({ length: 100 }, (_, i) => `x-${i}: ${'x'.repeat(160)}\r\n`).join('')],
  ['a header name of 16 KB', `${'x'.repeat(16_384)}: x\r\n`],
])('88: %s are a 431', async (_name, headers) => {
  const { received } = await responsesTo(
    (port) => `GET /api/v1/models HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}\r\n`,
  );
  expect(received).toMatch(/^HTTP\/1\.1 431 .*"code":431/s);
});

test('88: a path of 16 KB is a 431, too', async () => {
  const { received } = await responsesTo(
    (port) => `GET /${'x'.repeat(16_384)} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`,
  );
  expect(received).toMatch(/^HTTP\/1\.1 431 .*"code":431/s);
});

test('88: headers with names that objects are born with are headers like others', async () => {
  const upstream = await healthy();
  const { port } = await startFaultGateway([upstream]);
  const client = await connectRaw(port);
  const headers = { __proto__x: 'y', constructor: 'x', prototype: 'x', toString: 'x', hasOwnProperty: 'x' };
  const bytes = toRequestBytes(port, { body: BODY, headers: { ...headers, 'http-referer': 'https://app.example' } });
  client.write(bytes.replace('__proto__x', '__proto__'));
  expect((await client.readReply()).status).toBe(200);
  expect(upstream.requests[0]?.head).not.toMatch(/__proto__|constructor|prototype/);
});

test('89: requests sent one behind the other are answered in order, the stream before the others', async () => {
  let held: RawRequest | undefined;
  const upstream = await startRawUpstream((request) => {
    if (!request.body.includes('"stream":true')) return respondWell(request, 'Second');
    held = request;
    request.socket.write(STREAM_HEAD);
    request.socket.write(toHttpChunk(toTextEvent('First ')));
  });
  const { port } = await startFaultGateway([upstream]);
  const client = await connectRaw(port);
  client.write(
    toRequestBytes(port, { body: toChatBody({ stream: true }) }) +
      toRequestBytes(port, { body: BODY }) +
      toRequestBytes(port, { method: 'GET', path: '/api/v1/models/count' }),
  );
  await client.readUntil('First ');
  await vi.waitFor(() => expect(upstream.requests).toHaveLength(2));
  expect(client.text()).not.toContain('Second');
  held?.socket.write(toHttpChunk(toEvents('done')));
  held?.socket.write(LAST_HTTP_CHUNK);

  const replies = [await client.readReply(), await client.readReply(), await client.readReply()];
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(replies[0]?.body).toMatch(/First .*\[DONE\]/s);
  expect(replies[1]?.body).toContain('"content":"Second"');
  expect(JSON.parse(replies[2]?.body ?? '')).toEqual({ data: { count: 1 } });
});

test('89: a client that leaves ends all the requests it had sent one behind the other', async () => {
  const upstream = await startRawUpstream(() => undefined);
  const { port, recorded } = await startFaultGateway([upstream]);
  const client = await connectRaw(port);
  client.write(
    toRequestBytes(port, { body: toChatBody({ stream: true }) }) + toRequestBytes(port, { body: BODY }).repeat(2),
  );
  await vi.waitFor(() => expect(upstream.requests).toHaveLength(3));
  client.socket.destroy();
  await Promise.all(upstream.requests.map(({ closed }) => closed));
  await vi.waitFor(() => expect(recorded).toHaveLength(3));
  for (const { record } of recorded) expect(record.generation.cancelled).toBe(true);
});

test('89: many requests on one connection leave nothing behind on it', async () => {
  const warned = vi.spyOn(process, 'emitWarning');
  const { port } = await startFaultGateway([await healthy()]);
  const client = await connectRaw(port);
  client.write(toRequestBytes(port, { method: 'GET', path: '/api/v1/models/count' }).repeat(50));
  for (let i = 0; i < 50; i += 1) expect((await client.readReply()).status).toBe(200);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

test.each<[string, string, number]>([
  ['CONNECT to a host', 'CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n', 405],
  ['CONNECT to us', 'CONNECT HOST HTTP/1.1\r\nhost: HOST\r\n\r\n', 405],
  ['TRACE', 'TRACE /api/v1/models HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n', 405],
  ['PUT', 'PUT /api/v1/models HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n', 405],
  ['a method of WebDAV', 'PROPFIND /api/v1/models HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n', 405],
  ['an unknown method', 'STEAL /api/v1/models HTTP/1.1\r\nhost: HOST\r\n\r\n', 400],
  ['a method in small letters', 'get /api/v1/models HTTP/1.1\r\nhost: HOST\r\n\r\n', 400],
  [
    'an unknown expectation',
    'GET /api/v1/models HTTP/1.1\r\nhost: HOST\r\nexpect: the-spanish-inquisition\r\n\r\n',
    417,
  ],
])('90: %s ends in its error and with the connection', async (_name, bytes, status) => {
  const { received } = await responsesTo((port) => bytes.replaceAll('HOST', `127.0.0.1:${port}`));
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*"code":${status}`, 's'));
});

test('90: an upgrade is not made; the request is answered as any other', async () => {
  const { port } = await startFaultGateway([await healthy()]);
  for (const upgrade of ['websocket', 'h2c', 'TLS/1.2']) {
    const client = await connectRaw(port);
    const headers = { connection: 'upgrade', upgrade, 'sec-websocket-key': 'x', 'http2-settings': 'AAMAAABkAAQAAP__' };
    client.write(toRequestBytes(port, { body: BODY, headers }));
    expect((await client.readReply()).status).toBe(200);
  }
});

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

test.each([
  ['emoji', bytesOf('Caf\u00e9 \u{1f916}')],
  ['Latin-1', 'Caf\xe9'],
  ['15 KB', 'x'.repeat(15_000)],
  ['nothing', ''],
  ['a tab', 'a\tb'],
  ['quotes and brackets', '"><script>alert(1)</script>'],
])('91: %s in headers that are kept is neither an error nor sent on', async (_name, value) => {
  for (const name of ['x-title', 'http-referer', 'x-request-id', 'user-agent', 'x-openrouter-title']) {
    const upstream = await healthy();
    const { port, record } = await startFaultGateway([upstream]);
    const client = await connectRaw(port);
    client.write(
      Buffer.from(toRequestBytes(port, { body: BODY, headers: { [name]: value, 'x-session-id': 's' } }), 'latin1'),
    );
    const reply = await client.readReply();
    expect(reply.status).toBe(200);
    await record();
    if (value !== '') expect(reply.head + (upstream.requests[0]?.head ?? '')).not.toContain(value);
  }
});

test('91: a session id that is too long is a 400', async () => {
  const { port } = await startFaultGateway([await healthy()]);
  const client = await connectRaw(port);
  client.write(toRequestBytes(port, { body: BODY, headers: { 'x-session-id': 's'.repeat(257) } }));
  expect((await client.readReply()).status).toBe(400);
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/json',
  'application/jsonp',
  'x',
  '',
])('93: a body of content type "%s" is a 415', async (type) => {
  const upstream = await healthy();
  const { port } = await startFaultGateway([upstream]);
  const client = await connectRaw(port);
  client.write(toRequestBytes(port, { body: BODY, headers: { 'content-type': type } }));
  expect((await client.readReply()).status).toBe(415);
  expect(upstream.connections).toEqual([]);
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
  '93: a body of content type "%s" is read',
  async (type) => {
    const { port } = await startFaultGateway([await healthy()]);
    const client = await connectRaw(port);
    client.write(toRequestBytes(port, { body: BODY, headers: { 'content-type': type } }));
    expect((await client.readReply()).status).toBe(200);
  },
);

test.each<[string, (port: number) => string]>([
  [
    'two keys',
    (port) =>
      `GET /api/v1/models HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${TEST_KEY}\r\nauthorization: Bearer x\r\nconnection: close\r\n\r\n`,
  ],
  [
    'the same key twice',
    (port) =>
      `GET /api/v1/models HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${TEST_KEY}\r\nAuthorization: Bearer ${TEST_KEY}\r\nconnection: close\r\n\r\n`,
  ],
  [
    'a key in the query',
    (port) =>
      `GET /api/v1/models?key=${TEST_KEY}&api_key=${TEST_KEY}&access_token=${TEST_KEY} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`,
  ],
  [
    'a key in the user part of a URL',
    (port) =>
      `GET http://x:${TEST_KEY}@127.0.0.1:${port}/api/v1/models HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`,
  ],
  [
    'two keys in one header',
    (port) =>
      `GET /api/v1/models HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${TEST_KEY}, Bearer ${TEST_KEY}\r\nconnection: close\r\n\r\n`,
  ],
  [
    'a key of bytes above ASCII',
    (port) =>
      `GET /api/v1/models HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer \xf0\x9f\x94\x91\r\nconnection: close\r\n\r\n`,
  ],
])('94: %s is no key', async (_name, toBytes) => {
  const { received } = await responsesTo((port) => Buffer.from(toBytes(port), 'latin1'));
  expect(received).toMatch(/^HTTP\/1\.1 (401|404) /);
  expect(received).not.toContain(TEST_KEY);
});

test('95: every error is JSON of one shape, without a stack, a server name or the path', async () => {
  const { port } = await startFaultGateway([await healthy()], {
    gateway: { authenticate: () => Promise.reject(new Error('secret at /srv/app.js:1:2')) },
  });
  const cases: readonly [number, string, string][] = [
    [404, 'GET', '/nowhere/<b>x</b>'],
    [405, 'DELETE', '/api/v1/models'],
    [500, 'GET', '/api/v1/models'],
  ];
  for (const [status, method, path] of cases) {
    const client = await connectRaw(port);
    client.write(toRequestBytes(port, { method, path }));
    const reply = await client.readReply();
    expect(reply.status).toBe(status);
    expect(reply.headers['content-type']).toBe('application/json');
    expect(JSON.parse(reply.body)).toMatchObject({
      error: {
        code: status,
        message: expect.any(String) as unknown,
        metadata: { error_type: expect.any(String) as unknown },
      },
    });
    expect(reply.head + reply.body).not.toMatch(/x-powered-by|server:|<b>|secret|\.js|nowhere/i);
    if (status === 405) expect(reply.headers['allow']).toBe('GET, HEAD');
  }
});
