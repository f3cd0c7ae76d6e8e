import { expect, test } from 'vitest';

import {
  chunksOf,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  parseFrames,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { GOOD, opening, piece, respondWith, stop, usage } from '../../../../test/support/upstreams/good-stream.ts';
import {
  connectionReset,
  createReplayTransport,
  createScriptedTransport,
  type ScriptedExchange,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import { TransportError } from '../foundation/transport.ts';
import type { Provider } from '../providers/provider.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';

// Errors

test('responds with the real status, as JSON, to a failure before the first token', async () => {
  const refusal = JSON.stringify({ error: { message: 'top_k is not a field', type: 'invalid_request_error' } });
  const { chat, store } = createCoreGateway(createReplayTransport({ status: 400, pieces: [refusal] }));
  const response = await chat({ stream: true });
  expect(response.status).toBe(400);
  expect(response.headers['content-type']).toBe('application/json');
  expect(response.headers['x-generation-id']).toBe(store.appended[0]?.record.generation.id);
  expect(jsonOf(response)).toMatchObject({ error: { code: 400, message: 'top_k is not a field' } });
  expect(store.appended).toHaveLength(1);
  expect(store.appended[0]?.record).toMatchObject({
    generation: { finish_reason: 'error', cancelled: false, total_cost: 0, tokens_prompt: null, cost_known: true },
    costNanoUsd: 0,
  });
});

const BROKEN_ENDS: readonly [name: string, end: (exchange: ScriptedExchange) => void, code: number][] = [
  [
    'an error event',
    (exchange) => respondWith(exchange, { error: { message: 'x', code: 'rate_limit_exceeded' } }),
    429,
  ],
  ['a reset', (exchange) => exchange.fail(connectionReset()), 502],
  [
    'a time limit',
    (exchange) =>
      exchange.fail(new TransportError('a limit ran out', { phase: 'body', requestSent: true, timedOut: true })),
    408,
  ],
  ['an end without a finish reason', (exchange) => exchange.end(), 502],
  [
    'an end marker without a finish reason',
    (exchange) => (respondWith(exchange, 'data: [DONE]\n\n'), exchange.end()),
    502,
  ],
  [
    'an end in the middle of an event',
    (exchange) => (respondWith(exchange, 'data: {"choices":[{"del'), exchange.end()),
    502,
  ],
  ['an event that is no JSON', (exchange) => respondWith(exchange, 'data: {oops}\n\n'), 502],
  ['an event that is no completion chunk', (exchange) => respondWith(exchange, 'data: [1]\n\n'), 502],
  ['an error of the gateway’s own making', (exchange) => exchange.fail(new TypeError('x is not a function')), 500],
];

test.each(BROKEN_ENDS)(
  'reports in-band %s after the first token, then ends, without another attempt',
  async (_name, breakOff, code) => {
    const transport = createScriptedTransport((exchange) => respondWith(exchange, piece('Hé'), piece('llo')));
    const { chat, store } = createCoreGateway(transport);
    const reader = readFrames(await chat({ stream: true, models: ['acme/other'] }));
    const seen = [await reader.next(), await reader.next()].join('');
    breakOff(transport.latest());
    const frames = parseFrames(seen + (await reader.rest()));

    expect(transport.exchanges).toHaveLength(1);
    expect(transport.exchanges[0]?.isClosed).toBe(true);
    expect(frames.at(-1)).toBe('done');
    const chunks = frames.filter((frame) => typeof frame === 'object');
    expect(chunks.map(({ choices }) => choices[0]?.delta.content)).toEqual(['Hé', 'llo', '']);
    expect(chunks.at(-1)).toMatchObject({
      error: { code, metadata: { error_type: expect.any(String) as string } },
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    });
    expect(chunks.some((chunk) => chunk.usage)).toBe(false);

    expect(store.appended).toHaveLength(1);
    const { record, content } = store.appended[0] ?? {};
    expect(record?.generation).toMatchObject({
      finish_reason: 'error',
      native_finish_reason: null,
      cancelled: false,
      usage_estimated: true,
    });
    expect(record?.costNanoUsd).toBeGreaterThan(0);
    expect(content).toMatchObject({
      output: { completion: 'Héllo' },
      error: { status: code, provider_name: 'Acme', previous_errors: [] },
    });
  },
);

test('says nothing of its own failures but that they are', async () => {
  const transport = createScriptedTransport((exchange) => {
    respondWith(exchange, piece('Hi'));
    exchange.fail(new TypeError('secret.table is not a function'));
  });
  const { chat, logged } = createCoreGateway(transport);
  const text = await readFrames(await chat({ stream: true })).rest();
  expect(text).not.toContain('secret');
  expect(chunksOf(text).at(-1)?.error?.message).toBe('Internal Server Error');
  expect(logged).toContainEqual(
    expect.objectContaining({
      line: 'warn a call failed',
      fields: expect.objectContaining({
        code: 'internal',
        cause: expect.stringContaining('secret.table') as string,
      }) as object,
    }),
  );
});

// Chunks that no form can write

/** As deep as `JSON.parse` reads it, and `JSON.stringify` does not write it. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

const toChunk = (content: string, logprobs?: unknown): ChatChunk => ({
  choices: [{ index: 0, delta: { content }, finish_reason: null, native_finish_reason: null, logprobs }],
});

test.each([
  ['its first chunk', []],
  ['a later chunk', [[toChunk('Hi')]]],
])('reports in-band that %s cannot be written, and ends the call', async (_name, before) => {
  const batches = [...before, [toChunk('odd', JSON.parse(DEEP))], [toChunk('never')]];
  const signals: AbortSignal[] = [];
  const acme: Provider = {
    ...createScriptedProvider('acme', []),
    async *chat({ signal }) {
      signals.push(signal);
      yield* batches;
    },
  };
  const { chat, store } = createCoreGateway([acme, createScriptedProvider('beta', [])]);
  const response = await chat({ stream: true });
  const frames = parseFrames(await readFrames(response).rest());
  expect(frames.at(-2)).toMatchObject({ error: { code: 500 }, choices: [{ finish_reason: 'error' }] });
  expect(frames.at(-1)).toBe('done');
  expect(JSON.stringify(frames)).not.toContain('never');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(store.appended.map(({ record }) => record.generation.finish_reason)).toEqual(['error']);
});

test('reports in-band that the last frames cannot be written', async () => {
  const batches: ChatChunk[][] = [
    [toChunk('Hi')],
    [
      {
        choices: [{ index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: 'stop' }],
        upstream: { citations: JSON.parse(DEEP) as unknown[] },
      },
    ],
  ];
  const { chat, logged } = createCoreGateway(
    [createScriptedProvider('acme', batches), createScriptedProvider('beta', [])],
    { logging: { inputOutput: false } },
  );
  const frames = parseFrames(await readFrames(await chat({ stream: true })).rest());
  expect(frames.at(-2)).toMatchObject({ error: { code: 500 }, choices: [{ finish_reason: 'error' }] });
  expect(frames.at(-1)).toBe('done');
  expect(logged.map(({ line }) => line)).toContain('error the end of a stream could not be written');
});

test.each([
  ['whole', false],
  ['streamed', true],
])('a completion that is nested too deep is an error of its provider (%s)', async (_name, stream) => {
  const choice = `{"index":0,"${stream ? 'delta' : 'message'}":{"content":"Hi","annotations":[${DEEP}]},"finish_reason":"stop"}`;
  const json = `{"id":"up-1","choices":[${choice}]}`;
  const transport = createReplayTransport(
    stream ? { pieces: [`data: ${json}\n\n`] } : { headers: { 'content-type': 'application/json' }, pieces: [json] },
  );
  const { chat, store } = createCoreGateway(transport);
  const response = await chat({ stream });
  expect(response.status).toBe(502);
  expect(jsonOf(response)).toMatchObject({ error: { message: expect.stringContaining('nested too deep') as string } });
  expect(store.appended.map(({ record }) => record.generation.finish_reason)).toEqual(['error']);
});

// Fallback

const NOTHING_SAID: readonly [name: string, fail: (exchange: ScriptedExchange) => void][] = [
  ['refuses', (exchange) => (exchange.respond(503), exchange.end())],
  ['rejects the gateway’s key', (exchange) => (exchange.respond(401), exchange.end())],
  [
    'cannot be reached',
    (exchange) => exchange.fail(new TransportError('no connection', { phase: 'connect', requestSent: false })),
  ],
  ['breaks off before a token', (exchange) => (respondWith(exchange, opening), exchange.fail(connectionReset()))],
  ['ends before a token', (exchange) => (respondWith(exchange, opening), exchange.end())],
  ['sends usage and ends', (exchange) => (respondWith(exchange, usage, 'data: [DONE]\n\n'), exchange.end())],
  ['sends an error as its first event', (exchange) => respondWith(exchange, { error: { message: 'overloaded' } })],
  [
    'sends a web page',
    (exchange) => (exchange.respond(200, { 'content-type': 'text/html' }), exchange.push('<html>'), exchange.end()),
  ],
];

test.each(NOTHING_SAID)('goes on to the next endpoint when one %s', async (_name, fail) => {
  const transport = createScriptedTransport((exchange) => {
    if (exchange.request.url.includes('acme')) fail(exchange);
    else {
      respondWith(exchange, ...GOOD);
      exchange.end();
    }
  });
  const { chat, store } = createCoreGateway(transport);
  const response = await chat({ stream: true });
  const chunks = chunksOf(await readFrames(response).rest());
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Héllo 👩‍👩‍👧');
  expect(new Set(chunks.map(({ provider }) => provider))).toEqual(new Set(['Beta']));
  expect(transport.exchanges.map(({ sent }) => sent['model'])).toEqual(['chat-1', 'chat-b']);
  expect(store.appended).toHaveLength(1);
  expect(store.appended[0]?.record.generation).toMatchObject({
    provider_name: 'Beta',
    finish_reason: 'stop',
    tokens_prompt: 10,
    total_cost: 6e-5,
    provider_responses: [
      { provider_name: 'Acme' },
      {
        provider_name: 'Beta',
        status: 200,
      },
    ],
  });
});

test('after a caller’s mistake, calls no other endpoint of the model, but another model', async () => {
  const transport = createScriptedTransport((exchange) => {
    if (exchange.sent['model'] === 'other-b') {
      respondWith(exchange, piece('Hi'), stop);
      exchange.end();
    } else {
      exchange.respond(400);
      exchange.push('{"error":{"message":"too long","code":"context_length_exceeded"}}');
      exchange.end();
    }
  });
  const { chat } = createCoreGateway(transport);
  const chunks = chunksOf(await readFrames(await chat({ stream: true, models: ['acme/other'] })).rest());
  expect(transport.exchanges.map(({ sent }) => sent['model'])).toEqual(['chat-1', 'other-b']);
  expect(chunks[0]).toMatchObject({ model: 'acme/other', provider: 'Beta' });
});

test('returns the last failure when all have failed, with those before it', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond(exchange.request.url.includes('acme') ? 401 : 429, { 'retry-after': '7' });
    exchange.push('{"error":{"message":"quota of the minute"}}');
    exchange.end();
  });
  const { chat, store } = createCoreGateway(transport);
  const response = await chat({ stream: true });
  expect(response.status).toBe(429);
  expect(response.headers['retry-after']).toBe('7');
  expect(jsonOf(response)).toMatchObject({
    error: {
      code: 429,
      message: 'quota of the minute',
      metadata: {
        provider_name: 'Beta',
        previous_errors: [
          {
            code: 502,
            provider_name: 'Acme',
          },
        ],
      },
    },
  });
  expect(store.appended[0]?.content?.error).toMatchObject({
    status: 429,
    provider_name: 'Beta',
    previous_errors: [
      {
        code: 502,
        provider_name: 'Acme',
      },
    ],
  });
  expect(store.appended[0]?.record.generation.provider_responses).toMatchObject([{ status: 401 }, { status: 429 }]);
});

test('promises a wait only when every endpoint named one, the shortest', async () => {
  const waits = (first: string | undefined, second: string): Promise<unknown> => {
    const transport = createScriptedTransport((exchange) => {
      const wait = exchange.request.url.includes('acme') ? first : second;
      exchange.respond(429, wait === undefined ? {} : { 'retry-after': wait });
      exchange.end();
    });
    return createCoreGateway(transport)
      .chat({ stream: true })
      .then(({ headers }) => headers['retry-after']);
  };
  expect(await waits('9', '20')).toBe('9');
  expect(await waits(undefined, '20')).toBeUndefined();
});

test('gives an endpoint that sends no token in time up for the next one', async () => {
  const transport = createScriptedTransport((exchange) => respondWith(exchange, opening));
  const { chat, platform } = createCoreGateway(transport, { timeouts: { firstTokenMs: 1000, keepAliveMs: 60_000 } });
  const pending = chat({ stream: true });
  await platform.advance(1100);
  expect(transport.exchanges).toHaveLength(2);
  expect(transport.exchanges[0]?.isClosed).toBe(true);
  await platform.advance(1100);
  const response = await pending;
  expect(response.status).toBe(408);
  expect(jsonOf(response)).toMatchObject({ error: { message: 'Beta sent no token within the time limit' } });
});

test('does not limit the time of a completion that has begun', async () => {
  const transport = createScriptedTransport((exchange) => respondWith(exchange, piece('a')));
  const { chat, platform } = createCoreGateway(transport, { timeouts: { firstTokenMs: 1000, keepAliveMs: 60_000 } });
  const reader = readFrames(await chat({ stream: true }));
  await platform.advance(30_000);
  respondWith(transport.latest(), piece('b'), stop);
  transport.exchanges[0]?.end();
  expect(
    chunksOf(await reader.rest())
      .map(({ choices }) => choices[0]?.delta.content ?? '')
      .join(''),
  ).toBe('ab');
});

// The store

test('never calls complete what could not be recorded', async () => {
  const { chat, store, get, logged } = createCoreGateway(createReplayTransport({ pieces: GOOD }));
  store.failAppends(new Error('disk full at /var/data'));
  const frames = parseFrames(await readFrames(await chat({ stream: true })).rest());
  const chunks = frames.filter((frame) => typeof frame === 'object');
  expect(chunks.at(-1)).toMatchObject({ error: { code: 500, message: 'Internal Server Error' } });
  expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, 'error']);
  expect(chunks.some((chunk) => chunk.usage)).toBe(false);
  expect(frames.at(-1)).toBe('done');
  expect(logged).toContainEqual(expect.objectContaining({ line: 'error a generation could not be recorded' }));
  expect(jsonOf(await get('/health'))).toEqual({ status: 'degraded', trouble: 'unrecorded' });
});

test('responds with 500 when not even a refusal could be recorded', async () => {
  const { chat, store } = createCoreGateway(createReplayTransport({ status: 429, pieces: [] }));
  store.failAppends(new Error('disk full'));
  const response = await chat({ stream: true });
  expect(response.status).toBe(500);
  expect(jsonOf(response)).toEqual({
    error: { code: 500, message: 'Internal Server Error', metadata: { error_type: 'server' } },
  });
});
