import { once } from 'node:events';
import { gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { connectRaw, toChatBody, toRequestBytes } from '../support/clients/raw-client.ts';
import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { respondWell, type RawUpstream, startRawUpstream } from '../support/upstreams/raw-upstream.ts';

const isFull = process.env['TEST_FULL'] === '1';
const NIGHTLY = 'takes half a minute; TEST_FULL=1 runs it';

const LIMIT = 100_000;
const healthy = (): Promise<RawUpstream> => startRawUpstream((request) => respondWell(request));
const tooLarge = { error: { code: 413, metadata: { error_type: 'payload_too_large' } } };

test('78: a body that is said to be too long is a 413 before any of it was sent', async () => {
  const upstream = await healthy();
  const { port, gateway } = await startFaultGateway([upstream], { listen: { bodyLimitBytes: LIMIT } });
  const client = await connectRaw(port);
  client.write(
    toRequestBytes(port, { headers: { 'content-type': 'application/json', 'content-length': `${LIMIT + 1}` } }),
  );
  const reply = await client.readReply();
  expect(reply.status).toBe(413);
  expect(JSON.parse(reply.body)).toMatchObject(tooLarge);
  expect(reply.headers['connection']).toBe('close');
  expect(gateway.stats().openCalls).toBe(0);
  expect(upstream.connections).toEqual([]);
});

test('78: a client that asks before it sends too much is refused', async () => {
  const { port } = await startFaultGateway([await healthy()], { listen: { bodyLimitBytes: LIMIT } });
  const client = await connectRaw(port);
  const headers = { 'content-type': 'application/json', 'content-length': `${LIMIT + 1}`, expect: '100-continue' };
  client.write(toRequestBytes(port, { headers }));
  expect((await client.readReply()).status).toBe(413);
});

test('78: a client that asks before it sends what is allowed gets 100', async () => {
  const { port } = await startFaultGateway([await healthy()], { listen: { bodyLimitBytes: LIMIT } });
  const client = await connectRaw(port);
  const body = toChatBody();
  const headers = { 'content-type': 'application/json', 'content-length': `${body.length}`, expect: '100-continue' };
  client.write(toRequestBytes(port, { headers }));
  expect((await client.readReply()).status).toBe(100);
  client.write(body);
  expect((await client.readReply()).status).toBe(200);
});

test.each([
  ['with its length', { 'content-length': '20000000' }, (bytes: Buffer) => bytes],
  ['in chunks', { 'transfer-encoding': 'chunked' }, toChunks],
])(
  '78, 79: a client that sends all of a body far too long %s, and only then reads, reads the 413',
  async (_name, headers, toBytes) => {
    const upstream = await healthy();
    const { port } = await startFaultGateway([upstream], { listen: { bodyLimitBytes: LIMIT } });
    const client = await connectRaw(port);
    client.socket.pause();
    client.write(toRequestBytes(port, { headers: { ...headers, 'content-type': 'application/json' } }));
    const isTaken = client.socket.write(toBytes(Buffer.alloc(20_000_000, 'x')));
    if (!isTaken) await once(client.socket, 'drain');
    client.socket.resume();
    const reply = await client.readReply();
    expect(reply.status).toBe(413);
    expect(JSON.parse(reply.body)).toMatchObject(tooLarge);
    // The rest of the body is not taken for a second request.
    await client.ended;
    expect(client.text()).toBe('');
    expect(upstream.connections).toEqual([]);
  },
);

function toChunks(bytes: Buffer): Buffer {
  const piece = Buffer.concat([Buffer.from('10000\r\n'), bytes.subarray(0, 65_536), Buffer.from('\r\n')]);
  return Buffer.concat([
    ...Array.from({ length: Math.floor(bytes.byteLength / 65_536) }, () => piece),
    Buffer.from('0\r\n\r\n'),
  ]);
}

test('79: a body in chunks is refused as soon as it goes over the limit', async () => {
  const { port } = await startFaultGateway([await healthy()], { listen: { bodyLimitBytes: LIMIT } });
  const client = await connectRaw(port);
  client.write(
    toRequestBytes(port, { headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' } }),
  );
  client.write(`${LIMIT.toString(16)}\r\n${'x'.repeat(LIMIT)}\r\n`);
  client.write('1\r\nx\r\n');
  // No last chunk: the client would go on for ever.
  const reply = await client.readReply();
  expect(reply.status).toBe(413);
  expect(reply.headers['connection']).toBe('close');
});

test('79: a body of exactly the limit is taken, with its length and in chunks', async () => {
  const body = toChatBody({ messages: [{ role: 'user', content: 'x'.repeat(50_000) }] });
  const { port } = await startFaultGateway([await healthy()], { listen: { bodyLimitBytes: body.length } });
  const client = await connectRaw(port);
  client.write(toRequestBytes(port, { body }));
  expect((await client.readReply()).status).toBe(200);
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  client.write(toRequestBytes(port, { body: chunked, headers: { 'transfer-encoding': 'chunked' } }));
  expect((await client.readReply()).status).toBe(200);
});

test.each(['gzip', 'deflate', 'br', 'gzip, gzip', 'zstd', 'GZIP', 'x'])(
  '80: a body encoded as "%s" is a 415, and is not decoded',
  async (encoding) => {
    const upstream = await healthy();
    const { ask, apiUrl } = await startFaultGateway([upstream]);
    const response = await ask(undefined, {
      headers: {
        authorization: 'Bearer sk-gw-v1-test',
        'content-type': 'application/json',
        'content-encoding': encoding,
      },
      body: gzipSync(Buffer.alloc(50_000_000, ' ')),
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ error: { code: 415 } });
    expect(apiUrl).toBeDefined();
    expect(upstream.connections).toEqual([]);
  },
);

test.skipIf(!isFull)(
  `81, 82: headers and bodies that never end are cut off with a 408 (${NIGHTLY})`,
  async () => {
    const { port, listener } = await startFaultGateway([await healthy()]);
    const clients = await Promise.all(Array.from({ length: 1000 }, () => connectRaw(port)));
    const startedAt = performance.now();
    for (const client of clients) client.write('GET /api/v1/models HTTP/1.1\r\nx-slow: ');
    const dripping = setInterval(() => {
      for (const client of clients) if (!client.socket.destroyed) client.write('x');
    }, 1000);
    for (let check = 0; check < 10; check += 1) {
      const askedAt = performance.now();
      expect((await fetch(`${listener.url}/health`)).status).toBe(200);
      expect(performance.now() - askedAt).toBeLessThan(100);
    }
    const responses = await Promise.all(clients.map(({ ended }) => ended));
    clearInterval(dripping);
    expect(performance.now() - startedAt).toBeLessThan(22_000);
    for (const response of responses) expect(response).toMatch(/^HTTP\/1\.1 408 .*"code":408/s);
  },
  60_000,
);
