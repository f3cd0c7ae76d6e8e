import type { TransportRequest, WholeResponse } from '@model-gateway/core';
import { createNodePlatform } from '@model-gateway/node';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { expect, onTestFinished, test } from 'vitest';

import { parseFrames } from '../support/gateways/core-gateway.ts';
import { type FaultGateway, startFaultGateway } from '../support/gateways/fault-gateway.ts';
import {
  respondWell,
  type RawRequest,
  type RawUpstream,
  startRawUpstream,
  STREAM_HEAD,
  toRawResponse,
  toHead,
  toHttpChunk,
  toTextEvent,
  toWhole,
} from '../support/upstreams/raw-upstream.ts';

/** How an upstream can break a connection. */
const BREAKS: readonly (readonly [string, (socket: RawRequest['socket']) => void])[] = [
  ['a reset', (socket) => void socket.resetAndDestroy()],
  ['an end', (socket) => void socket.end()],
];

async function contentOf(response: Response): Promise<string> {
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content;
}

/** Waits until the gateway has got a response and given its connection back. */
async function warmUp({ ask }: Pick<FaultGateway, 'ask'>): Promise<void> {
  expect(await contentOf(await ask())).toBe('Hello');
}

const timesOn = ({ requests }: RawUpstream, { connection }: RawRequest): number =>
  requests.filter((request) => request.connection === connection).length;

test.each(BREAKS)('15: %s in the middle of a stream is an error within it, at once', async (_name, breakOff) => {
  const upstream = await startRawUpstream(({ socket }) => {
    socket.write(STREAM_HEAD);
    socket.write(toHttpChunk(toTextEvent('Half a ')));
  });
  const { ask, record } = await startFaultGateway([upstream]);

  const reader = (await ask({ stream: true })).body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? '';
  expect(text).toContain('Half a ');
  const brokenAt = performance.now();
  breakOff(upstream.connections[0] as RawRequest['socket']);
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) text += next.value;
  expect(performance.now() - brokenAt).toBeLessThan(250);

  expect(parseFrames(text).slice(1)).toMatchObject([
    { error: { code: 502, metadata: { error_type: 'provider_unavailable' } }, choices: [{ finish_reason: 'error' }] },
    'done',
  ]);
  const { record: written, content } = await record();
  expect(written.generation).toMatchObject({ finish_reason: 'error', cancelled: false, usage_estimated: true });
  expect(content).toMatchObject({ output: { completion: 'Half a ' }, error: { status: 502 } });
});

test.each(BREAKS)('15: %s before the first token goes to the next provider', async (_name, breakOff) => {
  const broken = await startRawUpstream(({ socket }) => {
    socket.write(STREAM_HEAD, () => breakOff(socket));
  });
  const upstream = await startRawUpstream((request) => respondWell(request));
  const { stream } = await startFaultGateway([broken, upstream]);
  const text = await stream();
  expect(text).toContain('"provider":"Up1"');
  expect(parseFrames(text).at(-1)).toBe('done');
});

test.each(BREAKS)(
  '16: %s on a connection that had served before is tried once more on a new one',
  async (_name, breakOff) => {
    const upstream = await startRawUpstream((request, server) => {
      if (request.connection === 0 && timesOn(server, request) === 2) breakOff(request.socket);
      else respondWell(request);
    });
    const gateway = await startFaultGateway([upstream]);
    await warmUp(gateway);

    expect(await contentOf(await gateway.ask())).toBe('Hello');
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([0, 0, 1]);
    expect((await gateway.record(1)).record.generation.provider_responses).toHaveLength(1);
  },
);

/** A clock that is moved by hand; its timers never run out. */
function createHandClock() {
  const platform = createNodePlatform();
  let movedMs = 0;
  return {
    platform: { ...platform, monotonicNow: () => platform.monotonicNow() + movedMs, setTimer: () => () => undefined },
    move: (ms: number): void => void (movedMs += ms),
  };
}

/** The requests that hold this text. */
const holding = ({ requests }: RawUpstream, text: string): readonly RawRequest[] =>
  requests.filter(({ body }) => body.includes(text));

test.each(BREAKS.flatMap(([name, breakOff]) => [true, false].map((stream) => [name, breakOff, stream] as const)))(
  '225: %s after seconds of silence on a connection that had served before is an attempt, not sent again (%#)',
  async (_name, breakOff, stream) => {
    const clock = createHandClock();
    const upstream = await startRawUpstream((request) => {
      if (!request.body.includes('Dear')) return respondWell(request);
      clock.move(3000);
      breakOff(request.socket);
    });
    const other = await startRawUpstream((request) => respondWell(request));
    const gateway = await startFaultGateway([upstream, other], { transport: { platform: clock.platform } });
    await warmUp(gateway);

    const response = await gateway.ask({ stream, messages: [{ role: 'user', content: 'Dear' }] });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello')]);
    expect(holding(upstream, 'Dear').map(({ connection }) => connection)).toEqual([0]);
    expect(holding(other, 'Dear')).toHaveLength(1);
    expect((await gateway.record(1)).record.generation.provider_responses).toMatchObject([
      { provider_name: 'Up0', status: null },
      { provider_name: 'Up1', status: 200 },
    ]);
  },
);

test.each(BREAKS)('225: without another provider %s after seconds of silence is a 502', async (_name, breakOff) => {
  const clock = createHandClock();
  const upstream = await startRawUpstream((request) => {
    if (upstream.requests.length === 1) return respondWell(request);
    clock.move(3000);
    breakOff(request.socket);
  });
  const gateway = await startFaultGateway([upstream], { transport: { platform: clock.platform } });
  await warmUp(gateway);

  expect((await gateway.ask()).status).toBe(502);
  expect(upstream.requests).toHaveLength(2);
  expect((await gateway.record(1)).record.generation.provider_responses).toHaveLength(1);
});

test('225: a connection that closes after seconds, before any of the request was written, does not count as an attempt', async () => {
  const clock = createHandClock();
  const upstream = await startRawUpstream(({ socket }) => void socket.write(toRawResponse(200, toWhole('Hello'))));
  const transport = createUndiciTransport({ platform: clock.platform });
  onTestFinished(() => transport.close());
  const send = (body: NonNullable<TransportRequest['body']>): Promise<WholeResponse> =>
    transport.sendWhole({
      method: 'POST',
      url: `${upstream.baseUrl}/files`,
      headers: typeof body === 'function' ? { 'content-length': '5' } : {},
      body,
      signal: new AbortController().signal,
      headersTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      totalTimeoutMs: 60_000,
    });
  expect((await send('first')).status).toBe(200);
  // The connection is free for another call in the next turn.
  await new Promise(setImmediate);

  let sendings = 0;
  const response = await send(async function* () {
    sendings += 1;
    if (sendings === 1) {
      clock.move(3000);
      upstream.connections[0]?.end();
      // Nothing is written before the connection is gone.
      await new Promise(() => undefined);
    }
    yield Buffer.from('later');
  });
  expect(response.status).toBe(200);
  expect(upstream.requests.map(({ connection, body }) => [connection, body])).toEqual([
    [0, 'first'],
    [1, 'later'],
  ]);
});

test.each(BREAKS)('16: %s on a new connection is not tried again', async (_name, breakOff) => {
  const upstream = await startRawUpstream(({ socket }) => breakOff(socket));
  const { ask } = await startFaultGateway([upstream]);
  expect((await ask()).status).toBe(502);
  expect(upstream.requests).toHaveLength(1);
});

test.each(BREAKS)('16: %s after the first byte of a response is not tried again', async (_name, breakOff) => {
  const upstream = await startRawUpstream((request, server) => {
    if (timesOn(server, request) === 1 && request.connection === 0) respondWell(request);
    else request.socket.write('HTTP/1.1 2', () => breakOff(request.socket));
  });
  const gateway = await startFaultGateway([upstream]);
  await warmUp(gateway);
  expect((await gateway.ask()).status).toBe(502);
  expect(upstream.requests).toHaveLength(2);

  // The same on a connection that is new.
  expect((await gateway.ask()).status).toBe(502);
  expect(upstream.requests).toHaveLength(3);
});

test('16: connections that upstream closes at random moments cost no response', async () => {
  let random = 7;
  const upstream = await startRawUpstream((request, server) => {
    respondWell(request, request.body.includes('"stream":true') ? 'Hello' : undefined);
    random = (random * 16807) % 2147483647;
    if (random % 3 === 0 && timesOn(server, request) > 0) setImmediate(() => request.socket.end());
  });
  const { ask } = await startFaultGateway([upstream]);
  for (let i = 0; i < 100; i += 1) expect(await contentOf(await ask())).toBe('Hello');
});

test.each([0, 1, 5, 50])(
  '17: a second response that was not asked for, %i ms after the first, reaches no caller',
  async (delayMs) => {
    const stolen = toRawResponse(200, toWhole("Somebody else's"));
    const upstream = await startRawUpstream((request) => {
      if (request.connection > 0) return respondWell(request);
      if (delayMs === 0) return void request.socket.write(toRawResponse(200, toWhole('Hello')) + stolen);
      respondWell(request);
      setTimeout(() => request.socket.write(stolen), delayMs);
    });
    const gateway = await startFaultGateway([upstream]);
    await warmUp(gateway);

    await upstream.requests[0]?.closed;
    expect(await contentOf(await gateway.ask())).toBe('Hello');
    expect(await contentOf(await gateway.ask())).toBe('Hello');
  },
);

test.each([102, 103])(
  '18: informational responses of status %i are passed over, a thousand of them, too',
  async (status) => {
    for (const count of [1, 1000]) {
      const hint = toHead(status, { link: '</style.css>; rel=preload' });
      const upstream = await startRawUpstream((request) => {
        request.socket.write(hint.repeat(count));
        respondWell(request);
      });
      const gateway = await startFaultGateway([upstream]);
      await warmUp(gateway);
      expect(parseFrames(await gateway.stream()).at(-1)).toBe('done');
    }
  },
);

test.each([toHead(100), toHead(101, { connection: 'upgrade', upgrade: 'websocket' })])(
  '18: %j, which nothing of ours asks for, is a 502 and not sent again',
  async (head) => {
    const upstream = await startRawUpstream((request) => {
      request.socket.write(head);
      respondWell(request);
    });
    const { ask } = await startFaultGateway([upstream]);
    expect((await ask()).status).toBe(502);
    expect(upstream.requests).toHaveLength(1);
  },
);

test('19: a response that comes before the request was sent whole is relayed, and the next request finds a free connection', async () => {
  let isFirst = true;
  const upstream = await startRawUpstream(
    (request) => {
      if (!isFirst) return respondWell(request);
      isFirst = false;
      request.socket.pause();
      request.socket.write(toRawResponse(413, { error: { message: 'Too much for this model' } }));
    },
    { atHead: true },
  );
  const { ask } = await startFaultGateway([upstream], { timeouts: { nonStreamMs: 3000 } });

  const response = await ask({ messages: [{ role: 'user', content: 'x'.repeat(30_000_000) }] });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ error: { message: 'Too much for this model' } });
  expect(await contentOf(await ask())).toBe('Hello');
});
