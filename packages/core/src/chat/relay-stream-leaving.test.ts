import { expect, test } from 'vitest';

import { settle } from '../../../../test/support/async/virtual-platform.ts';
import {
  createCoreGateway,
  createScriptedProvider,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import { opening, piece, respondWith, stop, usage } from '../../../../test/support/upstreams/good-stream.ts';
import {
  createReplayTransport,
  createScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import { generationSchema } from '../wire/generation.ts';

// The client leaves

interface Leaving {
  readonly transport: ReturnType<typeof createScriptedTransport>;
  readonly platform: ReturnType<typeof createCoreGateway>['platform'];
}

const PHASES: readonly [
  phase: string,
  reach: (test: Leaving) => Promise<void>,
  text: string | null,
  upstreams: number,
][] = [
  ['while the connection is made', () => Promise.resolve(), null, 1],
  [
    'while upstream has sent only headers',
    async ({ transport }) => {
      transport.exchanges[0]?.respond();
      await settle();
    },
    null,
    1,
  ],
  [
    'before the first token',
    async ({ transport }) => {
      respondWith(transport.latest(), opening);
      await settle();
    },
    null,
    1,
  ],
  [
    'after a comment',
    async ({ platform }) => {
      await platform.advance(1100);
    },
    null,
    1,
  ],
  [
    'while the second endpoint is called',
    async ({ transport }) => {
      transport.exchanges[0]?.respond(503);
      transport.exchanges[0]?.end();
      await settle();
    },
    null,
    2,
  ],
  [
    'in the middle of the completion',
    async ({ transport }) => {
      respondWith(transport.latest(), piece('Hé'), piece('llo'));
      await settle();
    },
    'Héllo',
    1,
  ],
  [
    'after the finish reason, while upstream still talks',
    async ({ transport }) => {
      respondWith(transport.latest(), piece('Héllo'), stop);
      await settle();
    },
    'Héllo',
    1,
  ],
];

test.each(PHASES)(
  'closes upstream at once and records a cancelled call when the client leaves %s',
  async (_phase, reach, text, upstreams) => {
    const transport = createScriptedTransport();
    const { chat, store, platform, gateway } = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
    const client = new AbortController();
    const seen: string[] = [];
    const whole = chat({ stream: true }, { signal: client.signal }).then(async (response) => {
      if (response.status !== 200) return response.status;
      const reader = readFrames(response);
      for (let frame = await reader.next(); frame !== undefined; frame = await reader.next()) seen.push(frame);
      return 200;
    });
    await settle();
    await reach({ transport, platform });
    expect(gateway.stats()).toEqual({ openCalls: 1, openStreams: 1 });
    const before = seen.length;
    client.abort();
    await settle();

    expect(transport.exchanges).toHaveLength(upstreams);
    expect(transport.exchanges.at(-1)?.isClosed).toBe(true);
    expect([200, 499]).toContain(await whole);
    expect(seen.slice(before)).toEqual([]);
    expect(gateway.stats()).toEqual({ openCalls: 0, openStreams: 0 });

    expect(store.appended).toHaveLength(1);
    const { record, content } = store.appended[0] ?? {};
    expect(record?.generation).toMatchObject({
      cancelled: true,
      finish_reason: null,
      native_finish_reason: null,
      streamed: true,
      provider_name: upstreams === 2 ? 'Beta' : 'Acme',
      usage_estimated: text !== null,
    });
    expect(content?.output.completion).toBe(text);
    // Five letters are two tokens, the question six; what never began used nothing.
    expect(record?.generation.tokens_completion).toBe(text === null ? null : 2);
    expect(record?.costNanoUsd).toBe(text === null ? 0 : 6 * 1000 + 2 * 2000);
  },
);

test('calls no further endpoint when the client leaves between two of them', async () => {
  const client = new AbortController();
  const transport = createScriptedTransport((exchange) => {
    exchange.respond(503);
    client.abort();
    exchange.end();
  });
  const { chat, store } = createCoreGateway(transport);
  expect((await chat({ stream: true }, { signal: client.signal })).status).toBe(499);
  expect(transport.exchanges).toHaveLength(1);
  expect(store.appended.map(({ record }) => record.generation.cancelled)).toEqual([true]);
});

test('calls no endpoint when the client has left before the call begins', async () => {
  const transport = createScriptedTransport();
  const { chat, store } = createCoreGateway(transport);
  expect((await chat({ stream: true }, { signal: AbortSignal.abort() })).status).toBe(499);
  expect(transport.exchanges).toHaveLength(0);
  expect(store.appended).toHaveLength(1);
  expect(store.appended[0]?.record.generation).toMatchObject({
    cancelled: true,
    provider_responses: [],
    latency: null,
  });
  expect(generationSchema.safeParse(store.appended[0]?.record.generation).error).toBeUndefined();
});

test('takes a host that stops reading for a client that has left', async () => {
  const transport = createScriptedTransport((exchange) => respondWith(exchange, piece('Hi')));
  const { chat, store, gateway } = createCoreGateway(transport);
  const reader = readFrames(await chat({ stream: true }));
  await reader.next();
  const pending = reader.next();
  await reader.leave();
  expect(await pending).toBeUndefined();
  await settle();
  expect(transport.exchanges[0]?.isClosed).toBe(true);
  expect(
    store.appended.map(({ record, content }) => [record.generation.cancelled, content?.output.completion]),
  ).toEqual([[true, 'Hi']]);
  expect(gateway.stats().openCalls).toBe(0);
});

test('records once when the host aborts and then stops reading', async () => {
  const transport = createScriptedTransport((exchange) => respondWith(exchange, piece('Hi')));
  const { chat, store } = createCoreGateway(transport);
  const client = new AbortController();
  const reader = readFrames(await chat({ stream: true }, { signal: client.signal }));
  await reader.next();
  client.abort();
  await reader.leave();
  await reader.leave();
  await settle();
  expect(store.appended).toHaveLength(1);
});

test('keeps what was completed completed when the client leaves with the last frames unread', async () => {
  const { chat, store } = createCoreGateway(
    createReplayTransport({ pieces: toEventPieces([piece('Hi'), stop, usage]) }),
  );
  const client = new AbortController();
  const reader = readFrames(await chat({ stream: true }, { signal: client.signal }));
  const release = store.holdAppends();
  await reader.next();
  const pending = reader.next();
  await settle();
  client.abort();
  release();
  await pending;
  await reader.leave();
  await settle();
  expect(store.appended.map(({ record }) => [record.generation.cancelled, record.generation.finish_reason])).toEqual([
    [false, 'stop'],
  ]);
});

test('does not wait for a provider that ignores its signal', async () => {
  const text = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null, native_finish_reason: null }] };
  for (const batches of [[], [[text]]]) {
    const stubborn = createScriptedProvider('acme', batches, () => new Promise(() => undefined));
    const { chat, store } = createCoreGateway([stubborn, createScriptedProvider('beta', [])]);
    const client = new AbortController();
    const whole = chat({ stream: true }, { signal: client.signal }).then((response) =>
      response.status === 200 ? readFrames(response).rest() : '',
    );
    await settle();
    client.abort();
    await settle();
    expect(store.appended.map(({ record }) => record.generation.cancelled)).toEqual([true]);
    await whole;
  }
});

test('hears nothing of a provider that fails after its call is over', async () => {
  const late = createScriptedProvider(
    'acme',
    [],
    (signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => setImmediate(() => reject(new Error('late')))),
      ),
  );
  const { chat, store } = createCoreGateway([late, createScriptedProvider('beta', [])]);
  const client = new AbortController();
  const responded = chat({ stream: true }, { signal: client.signal });
  await settle();
  client.abort();
  expect((await responded).status).toBe(499);
  await settle();
  expect(store.appended).toHaveLength(1);
});
