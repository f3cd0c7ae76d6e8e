import { expect, test, vi } from 'vitest';

import { connectRaw, type RawClient, toChatBody, toRequestBytes } from '../support/clients/raw-client.ts';
import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import {
  respondWell,
  DONE_EVENT,
  FINISH_EVENT,
  LAST_HTTP_CHUNK,
  type RawRequest,
  startRawUpstream,
  STREAM_HEAD,
  toHttpChunk,
  toTextEvent,
  USAGE_EVENT,
} from '../support/upstreams/raw-upstream.ts';

const isFull = process.env['TEST_FULL'] === '1';

async function askRaw(port: number, body: object = {}): Promise<RawClient> {
  const client = await connectRaw(port);
  client.write(toRequestBytes(port, { body: toChatBody(body) }));
  return client;
}

const STREAMS = isFull ? 500 : 100;
/** Long enough for a busy machine, and far from any limit that would close an upstream which says nothing more. */
const AT_ONCE_MS = 5000;

test(`72: when ${STREAMS} clients leave in mid-stream, every upstream connection is closed at once, and each call recorded as cancelled`, async () => {
  const upstream = await startRawUpstream(({ socket, body }) => {
    socket.write(STREAM_HEAD);
    socket.write(toHttpChunk(toTextEvent(`Half a ${/client-\d+/.exec(body)?.[0]}`)));
  });
  const { port, recorded, gateway } = await startFaultGateway([upstream]);
  const clients = await Promise.all(
    Array.from({ length: STREAMS }, (_, i) =>
      askRaw(port, { stream: true, messages: [{ role: 'user', content: `client-${i}` }] }),
    ),
  );
  await Promise.all(clients.map((client) => client.readUntil('Half a ')));
  expect(gateway.stats().openStreams).toBe(STREAMS);

  const closedOf = new Map(upstream.requests.map(({ body, closed }) => [/client-\d+/.exec(body)?.[0], closed]));
  const leaving: Promise<number>[] = [];
  for (const [i, client] of clients.entries()) {
    const leftAt = performance.now();
    leaving.push(
      closedOf.get(`client-${i}`)?.then(() => performance.now() - leftAt) ?? Promise.reject(new Error('not there')),
    );
    client.socket.destroy();
    await new Promise(setImmediate);
  }
  const latencies = (await Promise.all(leaving)).toSorted((a, b) => a - b);
  expect(latencies[Math.floor(STREAMS * 0.99)]).toBeLessThan(AT_ONCE_MS);

  await vi.waitFor(() => expect(recorded).toHaveLength(STREAMS));
  for (const { record, content } of recorded) {
    expect(record.generation).toMatchObject({ cancelled: true, finish_reason: null, usage_estimated: true });
    expect(record.generation.tokens_completion).toBeGreaterThan(0);
    expect(record.costNanoUsd).toBeGreaterThan(0);
    expect(content?.output.completion).toMatch(/^Half a client-/);
  }
  expect(gateway.stats().openCalls).toBe(0);
}, 30_000);

test.each<[string, (request: RawRequest) => void]>([
  ["before upstream's headers", () => undefined],
  ["between upstream's headers and its first token", ({ socket }) => void socket.write(STREAM_HEAD)],
])('73: a client that leaves %s is noticed at once', async (_name, serve) => {
  for (const stream of [true, false]) {
    const upstream = await startRawUpstream(serve);
    const { port, record } = await startFaultGateway([upstream]);
    const arrived = upstream.nextRequest();
    const client = await askRaw(port, { stream });
    const { closed } = await arrived;
    const leftAt = performance.now();
    client.socket.destroy();
    await closed;
    expect(performance.now() - leftAt).toBeLessThan(AT_ONCE_MS);
    expect((await record()).record).toMatchObject({
      costNanoUsd: 0,
      generation: { cancelled: true, tokens_prompt: null },
    });
  }
});

test('73: a client that leaves in the middle of an unstreamed response is noticed at once', async () => {
  const upstream = await startRawUpstream(
    ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"id":'),
  );
  const { port, record } = await startFaultGateway([upstream]);
  const arrived = upstream.nextRequest();
  const client = await askRaw(port);
  const { closed } = await arrived;
  client.socket.destroy();
  await closed;
  expect((await record()).record.generation.cancelled).toBe(true);
});

test('73: a client that leaves while the connection is being made leaves none behind', async () => {
  const silent = await startRawUpstream(() => undefined);
  // For a TLS client, this upstream never completes the handshake.
  const { port, record } = await startFaultGateway([{ baseUrl: silent.baseUrl.replace('http:', 'https:') }]);
  const client = await askRaw(port, { stream: true });
  await vi.waitFor(() => expect(silent.connections).toHaveLength(1));
  const closed = new Promise((resolve) => silent.connections[0]?.once('close', resolve));
  client.socket.destroy();
  await closed;
  expect((await record()).record.generation.cancelled).toBe(true);
});

test('73: a client that leaves before its body has arrived causes no call and no record', async () => {
  const upstream = await startRawUpstream((request) => respondWell(request));
  const { port, recorded, gateway, listener } = await startFaultGateway([upstream]);
  const body = toChatBody();
  const client = await connectRaw(port);
  client.write(toRequestBytes(port, { body }).slice(0, -10));
  client.socket.destroy();
  expect((await fetch(`${listener.url}/health`)).status).toBe(200);
  expect(gateway.stats().openCalls).toBe(0);
  expect(recorded).toEqual([]);
  expect(upstream.connections).toEqual([]);
});

test('74: after its client has left, no further provider is asked', async () => {
  const next = await startRawUpstream((request) => respondWell(request));
  for (const stream of [true, false]) {
    const silent = await startRawUpstream(() => undefined);
    const { port, record } = await startFaultGateway([silent, next]);
    const arrived = silent.nextRequest();
    const client = await askRaw(port, { stream });
    const { closed } = await arrived;
    client.socket.destroy();
    await closed;
    const { generation } = (await record()).record;
    expect(generation).toMatchObject({ cancelled: true, provider_responses: [{ provider_name: 'Up0' }] });
    expect(next.connections).toEqual([]);
  }
});

test.each([
  [false, 'HTTP/1.1', /^HTTP\/1\.1 200 /],
  [true, 'HTTP/1.1', /^HTTP\/1\.1 200 /],
  [true, 'HTTP/1.0', /^HTTP\/1\.1 200 /],
])(
  '75: a client that ends its side after its request gets its response (stream: %j, %s)',
  async (stream, version, head) => {
    let goOn = (): void => undefined;
    const upstream = await startRawUpstream((request) => {
      if (!stream) return void (goOn = () => respondWell(request));
      const { socket } = request;
      socket.write(STREAM_HEAD);
      socket.write(toHttpChunk(toTextEvent('Half a ')));
      goOn = () => {
        for (const event of [toTextEvent('loaf'), FINISH_EVENT, USAGE_EVENT, DONE_EVENT]) {
          socket.write(toHttpChunk(event));
        }
        socket.write(LAST_HTTP_CHUNK);
      };
    });
    const { port, record } = await startFaultGateway([upstream]);
    const arrived = upstream.nextRequest();
    const client = await connectRaw(port, { allowHalfOpen: true });
    client.write(toRequestBytes(port, { body: toChatBody({ stream }) }).replace('HTTP/1.1', version));
    await arrived;
    if (stream) await client.readUntil('Half a ');
    client.socket.end();
    // The gateway has noticed the end: its first sign is a comment, or the status 100.
    await client.readUntil(stream ? '\n:\n' : 'HTTP/1.1 100 Continue');
    goOn();
    const text = await client.ended;
    expect(text.replace('HTTP/1.1 100 Continue\r\n\r\n', '')).toMatch(head);
    expect(text).toContain(stream ? 'data: [DONE]' : '"finish_reason":"stop"');
    expect((await record()).record.generation).toMatchObject({ cancelled: false, finish_reason: 'stop' });
  },
);

test('75: a client of HTTP/1.0 that ends its side before its whole response has left', async () => {
  const upstream = await startRawUpstream(() => undefined);
  const { port, record } = await startFaultGateway([upstream]);
  const arrived = upstream.nextRequest();
  const client = await connectRaw(port, { allowHalfOpen: true });
  client.write(toRequestBytes(port, { body: toChatBody() }).replace('HTTP/1.1', 'HTTP/1.0'));
  const { closed } = await arrived;
  client.socket.end();
  await closed;
  expect((await record()).record.generation.cancelled).toBe(true);
});

test('75: a client of HTTP/1.0 that ends its side gets a response that is ready soon', async () => {
  const upstream = await startRawUpstream((request) => respondWell(request));
  const { port } = await startFaultGateway([upstream]);
  const client = await connectRaw(port, { allowHalfOpen: true });
  client.write(toRequestBytes(port, { body: toChatBody() }).replace('HTTP/1.1', 'HTTP/1.0'));
  client.socket.end();
  expect(await client.ended).toMatch(/^HTTP\/1\.1 200 /);
});

test('75: a client that has sent several requests, ends its side and leaves after the first response is noticed', async () => {
  const upstream = await startRawUpstream((request) => {
    if (request.body.includes('first')) respondWell(request);
  });
  const { port, recorded } = await startFaultGateway([upstream]);
  const client = await connectRaw(port, { allowHalfOpen: true });
  const texts = ['first', 'second'].map((content) => toChatBody({ messages: [{ role: 'user', content }] }));
  client.write(texts.map((body) => toRequestBytes(port, { body })).join(''));
  client.socket.end();
  await client.readUntil('"finish_reason":"stop"');
  client.socket.destroy();
  await vi.waitFor(() => expect(recorded).toHaveLength(2));
  expect(recorded.map(({ record }) => record.generation.cancelled)).toEqual([false, true]);
});

test('75: a request that breaks off is refused, and causes no call', async () => {
  const upstream = await startRawUpstream((request) => respondWell(request));
  const { port, recorded } = await startFaultGateway([upstream]);
  const client = await connectRaw(port, { allowHalfOpen: true });
  client.write(toRequestBytes(port, { body: toChatBody() }).slice(0, -10));
  client.socket.end();
  expect(await client.ended).toMatch(/^HTTP\/1\.1 400 /);
  expect(recorded).toEqual([]);
  expect(upstream.connections).toEqual([]);
});

test(
  `77: a client that leaves just when the response ends is recorded once, as one or the other, ${isFull ? '10,000' : '200'} times over`,
  async () => {
    const count = isFull ? 10_000 : 200;
    let served: RawRequest | undefined;
    const upstream = await startRawUpstream((request) => {
      served = request;
      request.socket.write(STREAM_HEAD);
      request.socket.write(toHttpChunk(toTextEvent('Hi')));
    });
    const { port, recorded, gateway, logged } = await startFaultGateway([upstream]);
    const completed = { true: 0, false: 0 };
    for (let call = 0; call < count; call += 1) {
      const client = await askRaw(port, { stream: true });
      await client.readUntil('Hi');
      // A reset is known at once, an end only when something is written.
      const isReset = (call >> 3) % 2 === 0;
      const leave = (): void => void (isReset ? client.socket.resetAndDestroy() : client.socket.destroy());
      const end = (): void => {
        served?.socket.write(toHttpChunk(FINISH_EVENT + USAGE_EVENT + DONE_EVENT));
        served?.socket.write(LAST_HTTP_CHUNK);
      };
      // The client is three turns ahead at most, or three behind, or acts at the last byte: which of the two events the
      // gateway sees first is not determined.
      const lead = (call % 8) - 3;
      if (lead === 4) {
        end();
        await client.readUntil('[DONE]');
        leave();
      } else {
        if (lead > 0) end();
        else leave();
        for (let turn = 0; turn < Math.abs(lead); turn += 1) await new Promise(setImmediate);
        if (lead > 0) leave();
        else end();
      }
      await vi.waitFor(() => expect(recorded.length).toBe(call + 1), { interval: 1 });
      const { record } = recorded.at(-1) as (typeof recorded)[0];
      completed[`${record.generation.cancelled !== true}`] += 1;
      expect(record.generation.finish_reason).toBe(record.generation.cancelled === true ? null : 'stop');
      expect(record.costNanoUsd).toBeGreaterThan(0);
    }
    await vi.waitFor(() => expect(gateway.stats().openCalls).toBe(0));
    expect(recorded).toHaveLength(count);
    expect(new Set(recorded.map(({ record }) => record.generation.id)).size).toBe(count);
    // Both outcomes were met, so the race was one.
    expect(Math.min(completed.true, completed.false)).toBeGreaterThan(0);
    expect(logged.filter(({ message }) => message !== 'a call failed')).toEqual([]);
  },
  isFull ? 300_000 : 20_000,
);
