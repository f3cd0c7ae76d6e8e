import { expect, test, vi } from 'vitest';

import { chunksOf, parseFrames } from '../support/gateways/core-gateway.ts';
import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import {
  respondWell,
  LAST_HTTP_CHUNK,
  startRawUpstream,
  STREAM_HEAD,
  toRawResponse,
  toEvents,
  toHttpChunk,
  toTextEvent,
  toWhole,
} from '../support/upstreams/raw-upstream.ts';

const isFull = process.env['TEST_FULL'] === '1';
/** Shown in the title of what only `npm run test:full` runs. */
const NIGHTLY = 'takes over five minutes; TEST_FULL=1 runs it';

test('8: the header limit ends a streamed call that gets no headers, as 408, and closes its connection', async () => {
  const upstream = await startRawUpstream(() => undefined);
  const { ask, record } = await startFaultGateway([upstream], { timeouts: { headersMs: 150 } });

  const response = await ask({ stream: true });
  expect(response.status).toBe(408);
  expect(await response.json()).toMatchObject({ error: { code: 408, metadata: { error_type: 'timeout' } } });
  await upstream.requests[0]?.closed;
  expect((await record()).record).toMatchObject({ costNanoUsd: 0, generation: { finish_reason: 'error' } });
});

test('8: after the header limit the next provider is asked', async () => {
  const silent = await startRawUpstream(() => undefined);
  const upstream = await startRawUpstream((request) => respondWell(request));
  const { stream } = await startFaultGateway([silent, upstream], { timeouts: { headersMs: 150 } });

  expect(parseFrames(await stream()).at(-1)).toBe('done');
  await silent.requests[0]?.closed;
});

test('8: the header limit does not hold for an unstreamed call, which is silent until it is done', async () => {
  const upstream = await startRawUpstream(({ socket }) => {
    setTimeout(() => socket.write(toRawResponse(200, toWhole('Late'))), 300);
  });
  const { ask } = await startFaultGateway([upstream], { timeouts: { headersMs: 100, idleMs: 100, totalMs: 100 } });
  expect((await ask()).status).toBe(200);
});

test('8: an unstreamed call ends at its own limit, as 408', async () => {
  const upstream = await startRawUpstream(() => undefined);
  const { ask } = await startFaultGateway([upstream], { timeouts: { nonStreamMs: 150 } });
  expect((await ask()).status).toBe(408);
  await upstream.requests[0]?.closed;
});

test.skipIf(!isFull)(
  `9: an unstreamed response may take 310 s (${NIGHTLY})`,
  async () => {
    const upstream = await startRawUpstream(({ socket }) => {
      setTimeout(() => socket.write(toRawResponse(200, toWhole('At last'))), 310_000);
    });
    const { port } = await startFaultGateway([upstream], { timeouts: { nonStreamMs: 600_000 } });
    // Not `fetch`: it has the very limit that this is about.
    const { connectRaw, toChatBody, toRequestBytes } = await import('../support/clients/raw-client.ts');
    const client = await connectRaw(port);
    client.write(toRequestBytes(port, { body: toChatBody() }));
    expect(await client.readReply()).toMatchObject({ status: 200 });
  },
  330_000,
);

test.each([
  ['nothing', undefined],
  ['comments that keep the connection alive', ': ping\n\n'],
  [
    'events without a token',
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] })}\n\n`,
  ],
  ['bytes of an event that never ends', 'x'],
])(
  '10, 11: the first-token limit ends a stream that brings %s, and the next provider is asked',
  async (_name, ping) => {
    const talking = await startRawUpstream(({ socket, closed }) => {
      socket.write(STREAM_HEAD);
      if (ping === undefined) return;
      const timer = setInterval(() => socket.write(toHttpChunk(ping)), 10);
      void closed.then(() => clearInterval(timer));
    });
    const upstream = await startRawUpstream((request) => respondWell(request));
    const { stream } = await startFaultGateway([talking, upstream], { timeouts: { firstTokenMs: 200 } });

    const text = await stream();
    expect(chunksOf(text).map(({ provider }) => provider)).not.toContain('Up0');
    expect(parseFrames(text).at(-1)).toBe('done');
    await talking.requests[0]?.closed;
  },
);

test('10: the first-token limit without another provider is a 408', async () => {
  const upstream = await startRawUpstream(({ socket }) => void socket.write(STREAM_HEAD));
  const { ask } = await startFaultGateway([upstream], { timeouts: { firstTokenMs: 150 } });
  expect((await ask({ stream: true })).status).toBe(408);
});

test('10, 13: once comments have been sent the first-token limit is an error within the stream', async () => {
  const upstream = await startRawUpstream(({ socket }) => void socket.write(STREAM_HEAD));
  const { ask } = await startFaultGateway([upstream], { timeouts: { firstTokenMs: 400, keepAliveMs: 100 } });

  const response = await ask({ stream: true });
  expect(response.status).toBe(200);
  const frames = parseFrames(await response.text());
  expect(frames.filter((frame) => frame === 'comment').length).toBeGreaterThan(1);
  expect(frames.slice(-2)).toMatchObject([{ error: { code: 408 }, choices: [{ finish_reason: 'error' }] }, 'done']);
});

test('12: an idle gap over the limit is an error after the text so far, which is recorded and charged', async () => {
  const upstream = await startRawUpstream(({ socket }) => {
    socket.write(STREAM_HEAD);
    socket.write(toHttpChunk(toTextEvent('Half a ')));
  });
  const { stream, record } = await startFaultGateway([upstream], { timeouts: { idleMs: 150 } });

  const text = await stream();
  expect(parseFrames(text)).toMatchObject([
    { choices: [{ delta: { content: 'Half a ' } }] },
    { error: { code: 408, metadata: { error_type: 'timeout' } }, choices: [{ finish_reason: 'error' }] },
    'done',
  ]);
  await upstream.requests[0]?.closed;
  const { record: written, content } = await record();
  expect(written.generation).toMatchObject({ finish_reason: 'error', usage_estimated: true });
  expect(written.costNanoUsd).toBeGreaterThan(0);
  expect(content?.output.completion).toBe('Half a ');
});

test('13: a gap below the limit brings comments to the client and no error', async () => {
  const upstream = await startRawUpstream(({ socket }) => {
    socket.write(STREAM_HEAD);
    socket.write(toHttpChunk(toTextEvent('One ')));
    setTimeout(() => {
      socket.write(toHttpChunk(toEvents('two')));
      socket.write(LAST_HTTP_CHUNK);
    }, 400);
  });
  const { stream } = await startFaultGateway([upstream], { timeouts: { idleMs: 2000, keepAliveMs: 100 } });

  const frames = parseFrames(await stream());
  expect(frames.filter((frame) => frame === 'comment').length).toBeGreaterThanOrEqual(2);
  expect(frames.filter((frame) => frame !== 'comment')).toMatchObject([
    { choices: [{ delta: { content: 'One ' } }] },
    { choices: [{ delta: { content: 'two' } }] },
    { choices: [{ finish_reason: 'stop' }] },
    { usage: { total_tokens: 20 } },
    'done',
  ]);
});

test.skipIf(!isFull)(
  `13: a stream survives a gap of 310 s below its limit (${NIGHTLY})`,
  async () => {
    const upstream = await startRawUpstream(({ socket }) => {
      socket.write(STREAM_HEAD);
      socket.write(toHttpChunk(toTextEvent('One ')));
      setTimeout(() => {
        socket.write(toHttpChunk(toEvents('two')));
        socket.write(LAST_HTTP_CHUNK);
      }, 310_000);
    });
    const { stream } = await startFaultGateway([upstream], { timeouts: { idleMs: 400_000, keepAliveMs: 15_000 } });
    const frames = parseFrames(await stream());
    expect(frames.filter((frame) => frame === 'comment').length).toBeGreaterThanOrEqual(19);
    expect(frames.at(-1)).toBe('done');
    expect(frames.find((frame) => typeof frame === 'object' && frame.error !== undefined)).toBeUndefined();
  },
  330_000,
);

test('14: the total limit ends a stream that trickles for ever', async () => {
  let sent = 0;
  const upstream = await startRawUpstream(({ socket, closed }) => {
    socket.write(STREAM_HEAD);
    socket.write(toHttpChunk(toTextEvent('Once')));
    const timer = setInterval(() => {
      sent += 1;
      socket.write(toHttpChunk(':'));
    }, 10);
    void closed.then(() => clearInterval(timer));
  });
  const { stream, record } = await startFaultGateway([upstream], {
    timeouts: { idleMs: 200, firstTokenMs: 200, totalMs: 500 },
  });

  const frames = parseFrames(await stream());
  expect(frames.slice(-2)).toMatchObject([{ error: { code: 408 } }, 'done']);
  expect(sent).toBeGreaterThan(10);
  await upstream.requests[0]?.closed;
  expect((await record()).content?.output.completion).toBe('Once');
});

test('14: a late tick of the clock, as after a blocked event loop, does not end healthy streams', async () => {
  const upstream = await startRawUpstream(({ socket }) => {
    socket.write(STREAM_HEAD);
    socket.write(toHttpChunk(toTextEvent('One ')));
    socket.once('gateway-blocked', () => {
      socket.write(toHttpChunk(toEvents('two')));
      socket.write(LAST_HTTP_CHUNK);
    });
  });
  const { ask } = await startFaultGateway([upstream], { timeouts: { idleMs: 600 } });
  const response = await ask({ stream: true });
  const until = performance.now() + 1200;
  // The whole process is busy: the bytes could not have been read, so the connection was not idle.
  while (performance.now() < until);
  upstream.connections[0]?.emit('gateway-blocked');
  const text = await response.text();
  expect(parseFrames(text).at(-1)).toBe('done');
  expect(text).not.toContain('"error":');
  await vi.waitFor(() => expect(upstream.requests).toHaveLength(1));
});
