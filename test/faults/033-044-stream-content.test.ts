import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createJsonFileStore } from '@model-gateway/node';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';

import { cpuMs } from '../support/async/cpu-ms.ts';
import { chunksOf, parseFrames } from '../support/gateways/core-gateway.ts';
import { type FaultGateway, startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { toEvent } from '../support/upstreams/chunkings.ts';
import {
  DONE_EVENT,
  FINISH_EVENT,
  LAST_HTTP_CHUNK,
  sendStream,
  startRawUpstream,
  STREAM_HEAD,
  toRawResponse,
  toEvents,
  toHttpChunk,
  toTextEvent,
  toWhole,
  USAGE,
  USAGE_EVENT,
} from '../support/upstreams/raw-upstream.ts';

const isFull = process.env['TEST_FULL'] === '1';

/** A gateway over an upstream that streams these pieces to every request. */
async function startStreaming(...pieces: readonly (string | Uint8Array)[]): Promise<FaultGateway> {
  return startFaultGateway([await startRawUpstream(({ socket }) => void sendStream(socket, pieces))]);
}

const textOf = (received: string): string =>
  chunksOf(received)
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('');

const usageEvent = (usage: unknown, choices: readonly object[] = []): string => toEvent({ id: 'up-1', choices, usage });
const withUsage = (tokens: number): object => ({
  prompt_tokens: 12,
  completion_tokens: tokens,
  total_tokens: 12 + tokens,
});

test.each([
  ['said twice', [toTextEvent('Hi'), FINISH_EVENT, usageEvent(withUsage(3)), usageEvent(withUsage(8)), DONE_EVENT]],
  [
    'said with every chunk',
    [1, 4, 8]
      .map((tokens) => usageEvent(withUsage(tokens), [{ index: 0, delta: { content: 'H' } }]))
      .concat(FINISH_EVENT, DONE_EVENT),
  ],
  [
    'said with the finish reason',
    [toTextEvent('Hi'), usageEvent(USAGE, [{ index: 0, delta: {}, finish_reason: 'stop' }]), DONE_EVENT],
  ],
  ['said before the finish reason', [toTextEvent('Hi'), USAGE_EVENT, FINISH_EVENT, DONE_EVENT]],
  [
    'null until the end',
    [usageEvent(null, [{ index: 0, delta: { content: 'H' } }]), FINISH_EVENT, USAGE_EVENT, DONE_EVENT],
  ],
])('33: usage that is %s is charged and told once, from the last', async (_name, pieces) => {
  const { stream, record } = await startStreaming(...pieces);
  const frames = parseFrames(await stream());
  expect(frames.filter((frame) => typeof frame === 'object' && frame.usage)).toMatchObject([
    { choices: [], usage: USAGE },
  ]);
  expect(frames.at(-1)).toBe('done');
  expect((await record()).record).toMatchObject({
    costNanoUsd: 28_000,
    generation: { tokens_prompt: 12, tokens_completion: 8, usage_estimated: false },
  });
});

test.each([
  ['missing', undefined],
  ['negative', { prompt_tokens: -5, completion_tokens: 8, total_tokens: 3 }],
  ['beyond all measure', '{"prompt_tokens":1e308,"completion_tokens":1e400,"total_tokens":1}'],
  ['a text', { prompt_tokens: '12', completion_tokens: '8', total_tokens: '20' }],
  ['above what is exact', '{"prompt_tokens":9007199254740993,"completion_tokens":8,"total_tokens":20}'],
  ['a fraction', { prompt_tokens: 1.5, completion_tokens: 8, total_tokens: 9.5 }],
  ['a list', []],
])('33, 34: usage that is %s is estimated, and said to be', async (_name, usage) => {
  const event = typeof usage === 'string' ? `data: {"choices":[],"usage":${usage}}\n\n` : usageEvent(usage);
  const { stream, record } = await startStreaming(toTextEvent('Hello there'), FINISH_EVENT, event, DONE_EVENT);
  const told = chunksOf(await stream()).find((chunk) => chunk.usage)?.usage;
  expect(told).toMatchObject({ estimated: true });
  const { record: written } = await record();
  expect(written.generation).toMatchObject({ usage_estimated: true, tokens_completion: told?.['completion_tokens'] });
  // A few tokens' worth: neither a gain nor a fortune.
  expect(written.costNanoUsd).toBeGreaterThan(0);
  expect(written.costNanoUsd).toBeLessThan(100_000);
});

test.each([-1, '"0.5"', '1e400', 1e300])('34: a cost of %s from upstream is not believed', async (cost) => {
  const usage = `{"prompt_tokens":12,"completion_tokens":8,"total_tokens":20,"cost":${cost}}`;
  const { stream, record } = await startStreaming(
    toTextEvent('Hi'),
    FINISH_EVENT,
    `data: {"choices":[],"usage":${usage}}\n\n`,
    DONE_EVENT,
  );
  await stream();
  expect((await record()).record.costNanoUsd).toBe(28_000);
});

test.each([
  ['an event', (text: string) => toTextEvent(text)],
  ['an event without an end', (text: string) => toTextEvent(text).trimEnd()],
  ['an event of many lines', (text: string) => `${`data: ${text.slice(0, 65_536)}\n`.repeat(300)}\n`],
])('35, 37: %s of 18 MB is cut at the limit, and the connection closed', async (_name, wrap) => {
  const upstream = await startRawUpstream(({ socket }) => {
    socket.write(STREAM_HEAD);
    socket.write(toHttpChunk(toTextEvent('Hi')));
    socket.write(toHttpChunk(wrap('x'.repeat(18_000_000))));
  });
  const { stream, record } = await startFaultGateway([upstream]);
  const received = await stream();
  expect(parseFrames(received)).toMatchObject([
    {},
    {
      error: { code: 502, message: expect.stringContaining('above the size limit') as unknown },
      choices: [{ finish_reason: 'error' }],
    },
    'done',
  ]);
  expect(received.length).toBeLessThan(10_000);
  await upstream.requests[0]?.closed;
  expect((await record()).content?.output.completion).toBe('Hi');
});

test.each([
  ['a comment', ':'],
  ['an unknown field', 'x'],
])('37: %s of 18 MB in one line is passed over', async (_name, first) => {
  const { stream } = await startStreaming(toTextEvent('Hi'), first + 'x'.repeat(18_000_000), `\n${toEvents('!')}`);
  const received = await stream();
  expect(textOf(received)).toBe('Hi!');
  expect(parseFrames(received).at(-1)).toBe('done');
});

test(
  `36: ${isFull ? '10,000,000 tiny events and 1,000,000' : '30,000 tiny events and 100,000'} comments pass, and other requests with them`,
  async () => {
    const [comments, events] = isFull ? [1_000_000, 10_000_000] : [100_000, 30_000];
    const piece = toTextEvent('x').repeat(100);
    const upstream = await startRawUpstream(({ socket }) => {
      void (async () => {
        socket.write(STREAM_HEAD);
        const send = (bytes: string): Promise<void> =>
          new Promise((resolve) => socket.write(toHttpChunk(bytes), () => resolve()));
        for (let sent = 0; sent < comments; sent += 1000) await send(':\n\n'.repeat(1000));
        for (let sent = 0; sent < events; sent += 100) await send(piece);
        socket.write(toHttpChunk(toEvents('!')));
        socket.write(LAST_HTTP_CHUNK);
      })();
    });
    const { ask, listener } = await startFaultGateway([upstream], {
      transport: { maxBodyBytes: Number.MAX_SAFE_INTEGER },
    });

    const relay = async (): Promise<void> => {
      let received = 0;
      let tail = '';
      for await (const bytes of (await ask({ stream: true })).body as AsyncIterable<Uint8Array>) {
        received += bytes.byteLength;
        tail = (tail + Buffer.from(bytes).toString()).slice(-200);
      }
      expect(received).toBeGreaterThan(events * 100);
      expect(tail).toContain('[DONE]');
    };
    // A stream that is over in a moment meets code that is still being compiled, and few requests to measure it by.
    if (!isFull) await relay();

    let isOver = false;
    const latencies: number[] = [];
    const watching = (async () => {
      while (!isOver) {
        const startedAt = cpuMs();
        expect((await fetch(`${listener.url}/health`)).status).toBe(200);
        latencies.push(cpuMs() - startedAt);
      }
    })();
    await relay();
    isOver = true;
    await watching;
    const sorted = latencies.toSorted((a, b) => a - b);
    // Of the small stream's some 10 requests one may meet a collection or a compilation: their number tells that the
    // stream lets them pass, on a machine of any speed.
    expect(sorted.length).toBeGreaterThan(4);
    if (isFull) expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThan(100);
  },
  isFull ? 600_000 : 30_000,
);

test('38: an event that is no JSON is an error, and the good ones after it are not shown', async () => {
  const { stream, record } = await startStreaming(toTextEvent('Hi'), 'data: {"choices":[}\n\n', toEvents('never'));
  const received = await stream();
  expect(parseFrames(received)).toMatchObject([
    { choices: [{ delta: { content: 'Hi' } }] },
    { error: { code: 502 } },
    'done',
  ]);
  expect(received).not.toContain('never');
  expect((await record()).record.generation.finish_reason).toBe('error');
});

test('39: chunks of any shape are relayed, mended or refused, and never break the gateway', async () => {
  let events: readonly unknown[] = [];
  const upstream = await startRawUpstream(({ socket, body }) => {
    if (body.includes('"stream":true'))
      void sendStream(socket, [events.map((event) => toEvent(event as object)).join(''), DONE_EVENT]);
    else socket.write(toRawResponse(200, JSON.stringify(events[0] ?? null), { 'content-type': 'application/json' }));
  });
  const { ask, recorded, logged } = await startFaultGateway([upstream]);

  const odd = fc.oneof(
    fc.constantFrom(null, 0, -1, 'x', '', [], {}, [null], true),
    fc.json().map((text): unknown => JSON.parse(text)),
  );
  const often = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: odd });
  const shape = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
    often(
      fc.record(Object.fromEntries(Object.entries(model).map(([name, value]) => [name, often(value)])), {
        requiredKeys: [],
      }),
    );
  const toolCall = shape({
    index: fc.constantFrom(0, 1, 7, -1, 1e9),
    id: fc.constantFrom('a', 'b', ''),
    function: shape({ name: fc.constantFrom('f', 'g'), arguments: fc.constantFrom('', '{', '}', '{}') }),
  });
  const message = shape({
    role: fc.constantFrom('assistant', 'user'),
    content: fc.string({ unit: 'binary' }),
    reasoning: fc.string(),
    tool_calls: fc.array(toolCall, { maxLength: 3 }),
  });
  const choice = shape({
    index: fc.constantFrom(0, 0, 0, 1, 1e9),
    delta: message,
    message,
    finish_reason: fc.constantFrom(null, 'stop', 'length', 'tool_calls', 'weird'),
  });
  const chunk = shape({
    id: fc.string(),
    choices: fc.array(choice, { maxLength: 2 }),
    usage: shape({ prompt_tokens: fc.nat(), completion_tokens: fc.nat() }),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 5 }), fc.boolean(), async (shapes, stream) => {
      events = shapes;
      const before = recorded.length;
      const response = await ask({ stream });
      const body = await response.text();
      if (response.status === 200 && stream) {
        const frames = parseFrames(body);
        expect(frames.at(-1)).toBe('done');
        expect(frames.filter((frame) => frame === 'done')).toHaveLength(1);
        const finishes = chunksOf(body).flatMap(({ choices }) => choices.filter((each) => each.finish_reason !== null));
        expect(finishes).toHaveLength(1);
        expect(chunksOf(body).find(({ error }) => error)?.error?.code ?? 502).toBe(502);
      } else {
        expect([200, 502]).toContain(response.status);
        JSON.parse(body);
      }
      expect(recorded).toHaveLength(before + 1);
    }),
    { numRuns: isFull ? 2000 : 100 },
  );
  expect(logged.filter(({ message: line }) => line === 'a request failed')).toEqual([]);
}, 60_000);

test('40: an error event after five tokens is an error event of ours, and what came before is kept', async () => {
  const error = {
    message: 'Internal: node http://10.0.0.7:8000 died, key sk-upstream-key-0001',
    type: 'server_error',
    code: null,
  };
  const { stream, record } = await startStreaming(
    ...['a', 'b', 'c', 'd', 'e'].map(toTextEvent),
    toEvent({ error }),
    toTextEvent('f'),
  );
  const received = await stream();
  expect(textOf(received)).toBe('abcde');
  expect(parseFrames(received).slice(-2)).toMatchObject([
    {
      id: expect.stringMatching(/^gen-/) as unknown,
      object: 'chat.completion.chunk',
      model: 'test/model',
      provider: 'Up0',
      error: {
        code: 502,
        message: 'Up0 returned an error',
        metadata: { error_type: 'provider_unavailable' },
      },
      choices: [
        {
          index: 0,
          delta: { content: '' },
          finish_reason: 'error',
        },
      ],
    },
    'done',
  ]);
  expect(received).not.toMatch(/10\.0\.0\.7|sk-upstream/);
  const { record: written, content } = await record();
  expect(written.generation.finish_reason).toBe('error');
  expect(content).toMatchObject({ output: { completion: 'abcde' }, error: { status: 502 } });
});

test('41: events with names of their own are read by what they hold', async () => {
  const { stream } = await startStreaming(
    'event: ping\ndata: {}\n\nevent: ping\ndata: {"type":"ping"}\n\n',
    toEvents('Hi'),
  );
  expect(textOf(await stream())).toBe('Hi');

  const failing = await startStreaming(
    toTextEvent('Hi'),
    `event: error\n${toEvent({ error: { message: 'Too many', type: 'rate_limit_error' } })}`,
  );
  expect(parseFrames(await failing.stream()).slice(-2)).toMatchObject([{ error: { code: 429 } }, 'done']);
});

test('42: bytes that are no UTF-8 become one replacement each, the same for the client and the store', async () => {
  const bytes = Buffer.concat([
    Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"a'),
    Buffer.from([0xff, 0x62, 0xc3, 0x28, 0xe2, 0x98]),
    Buffer.from('"}}]}\n\n'),
  ]);
  for (const pieces of [[bytes], Array.from(bytes, (byte) => Uint8Array.of(byte))]) {
    const { stream, record } = await startStreaming(...pieces, toEvents('z'));
    expect(textOf(await stream())).toBe('a\uFFFDb\uFFFD(\uFFFDz');
    expect((await record()).content?.output.completion).toBe('a\uFFFDb\uFFFD(\uFFFDz');
  }
});

test.each([
  ['43: half of a surrogate pair', 'a\ud800b'],
  ['43: a pair in two halves', 'a\ud83d', '\ude00b'],
  ['44: a NUL', 'a\0b'],
  [
    '44: every control character',
    String.fromCharCode(...Array.from({ length: 32 }, (_, i) => i), 127, 0x2028, 0x2029, 0xfffe),
  ],
])('%s is relayed and stored as it came', async (_name, ...texts) => {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-texts-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const store = await createJsonFileStore({ dir });
  const upstream = await startRawUpstream(({ socket, body }) => {
    if (body.includes('"stream":true')) void sendStream(socket, [toEvents(...texts)]);
    else socket.write(toRawResponse(200, toWhole(texts.join(''))));
  });
  const { stream, ask } = await startFaultGateway([upstream], { gateway: { store } });

  const received = await stream();
  expect(textOf(received)).toBe(texts.join(''));
  const whole = (await (await ask()).json()) as { id: string; choices: [{ message: { content: string } }] };
  expect(whole.choices[0].message.content).toBe(texts.join(''));

  const ids = [chunksOf(received)[0]?.id ?? '', whole.id];
  await store.close();
  // Read again from the disk: what was acknowledged is what is there.
  const again = await createJsonFileStore({ dir });
  for (const id of ids) expect((await again.generations.getContent(id))?.output.completion).toBe(texts.join(''));
  await again.close();
});

test('34: an upstream that reports odd usage for ever brings no budget back', async () => {
  const { stream, gateway, recorded } = await startStreaming(
    toTextEvent('Hi'),
    FINISH_EVENT,
    usageEvent({ prompt_tokens: -1e9, completion_tokens: -1e9 }),
    DONE_EVENT,
  );
  for (let call = 0; call < 5; call += 1) await stream();
  await vi.waitFor(() => expect(gateway.stats().openCalls).toBe(0));
  for (const { record } of recorded) expect(record.costNanoUsd).toBeGreaterThan(0);
});
