import { getEventListeners } from 'node:events';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { settle } from '../../../../test/support/async/virtual-platform.ts';
import {
  chunksOf,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  parseFrames,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { chunkings, toEvent, toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import {
  connectionReset,
  createReplayTransport,
  createScriptedTransport,
  type ScriptedExchange,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import { TransportError } from '../foundation/transport.ts';
import type { Provider } from '../providers/provider.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';
import { generationSchema } from '../wire/generation.ts';

const piece = (content: string): object => ({
  id: 'up-1',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});
const opening = { id: 'up-1', choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] };
const stop = { id: 'up-1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const usage = { id: 'up-1', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };
const GOOD = toEventPieces([opening, piece('Hé'), piece('llo 👩‍👩‍👧'), stop, usage]);

const respondWith = (exchange: ScriptedExchange, ...payloads: readonly (string | object)[]): void => {
  exchange.respond();
  for (const payload of payloads) exchange.push(typeof payload === 'string' ? payload : toEvent(payload));
};

test.each(chunkings(GOOD))(
  'streams text, the finish reason, usage once and the end marker, in this order (%s)',
  async (_name, pieces) => {
    const { chat, store } = createCoreGateway(createReplayTransport({ pieces }));
    const response = await chat({ stream: true });
    expect(response.status).toBe(200);
    expect(response.headers).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req-/) as string,
      'x-generation-id': expect.stringMatching(/^gen-/) as string,
    });
    const text = await readFrames(response).rest();
    expect(store.appended[0]?.record.generation.id).toBe(response.headers['x-generation-id']);
    const frames = parseFrames(text);
    const chunks = chunksOf(text);
    expect(frames.at(-1)).toBe('done');
    expect(frames).toHaveLength(chunks.length + 1);
    for (const { id, model, provider } of chunks) {
      expect({ id, model, provider }).toEqual({
        id: response.headers['x-generation-id'],
        model: 'acme/chat',
        provider: 'Acme',
      });
    }
    expect(
      chunks.map(({ choices, usage: counted }) => choices[0]?.finish_reason ?? (counted ? 'usage' : 'text')),
    ).toEqual(['text', 'text', 'stop', 'usage']);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Héllo 👩‍👩‍👧');
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.00002, is_byok: false },
    });
    expect(chunks.at(-1)?.usage).not.toHaveProperty('estimated');
  },
);

test.each(chunkings(GOOD))('streams null for a cost that is not known (%s)', async (_name, pieces) => {
  const { chat } = createCoreGateway(createReplayTransport({ pieces }));
  const last = async (userAgent: string): Promise<unknown> => {
    const headers = { authorization: 'Bearer sk-test-api', 'user-agent': userAgent };
    return chunksOf(await readFrames(await chat({ model: 'acme/other', stream: true }, { headers })).rest()).at(-1)
      ?.usage;
  };
  expect(await last('curl/8')).toHaveProperty('cost', null);
  expect(await last('ai-sdk/openrouter/3.1.0')).not.toHaveProperty('cost');
});

const spoken = (audio: object): object => ({
  id: 'up-1',
  choices: [{ index: 0, delta: { audio }, finish_reason: null }],
});

test.each(
  chunkings(
    toEventPieces([
      opening,
      spoken({ id: 'audio_1', transcript: 'Good ' }),
      spoken({ data: 'UklG' }),
      spoken({ transcript: 'morning' }),
      spoken({ data: 'Rg==', expires_at: 1_800_000_000 }),
      stop,
      usage,
    ]),
  ),
)('streams speech as it comes, and records what was said (%s)', async (_name, pieces) => {
  const upstream = createReplayTransport({ pieces });
  const { chat, store } = createCoreGateway(upstream, { logging: { inputOutput: true } });
  const audio = { voice: 'alloy', format: 'pcm16' };
  const response = await chat({ model: 'acme/chat', stream: true, modalities: ['text'], audio });
  const chunks = chunksOf(await readFrames(response).rest());
  expect(upstream.latest().sent).toMatchObject({ audio });
  expect(chunks.flatMap(({ choices }) => choices[0]?.delta.audio ?? [])).toEqual([
    { id: 'audio_1', transcript: 'Good ' },
    { data: 'UklG' },
    { transcript: 'morning' },
    { data: 'Rg==', expires_at: 1_800_000_000 },
  ]);
  // Upstream has not counted the tokens of the speech, so that its cost is not known although the model has prices.
  expect(chunks.at(-1)?.usage).toMatchObject({ completion_tokens: 5, cost: null });
  expect(store.appended[0]).toMatchObject({
    record: { generation: { cost_known: false } },
    content: { output: { completion: 'Good morning' } },
  });
});

test('records a completed stream once, before its last frames can be read', async () => {
  const { chat, store, platform } = createCoreGateway(createReplayTransport({ pieces: GOOD }));
  const release = store.holdAppends();
  const response = await chat({ stream: true });
  const reader = readFrames(response);
  const seen: string[] = [];
  const reading = (async () => {
    for (let text = await reader.next(); text !== undefined; text = await reader.next()) seen.push(text);
  })();
  await platform.advance(0);
  expect(chunksOf(seen.join('')).map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null]);
  expect(seen.join('')).not.toContain('[DONE]');

  release();
  await reading;
  expect(seen.join('')).toContain('[DONE]');
  expect(store.appended).toHaveLength(1);
  expect(store.appended[0]?.record).toMatchObject({
    generation: {
      id: response.headers['x-generation-id'],
      upstream_id: 'up-1',
      model: 'acme/chat',
      provider_name: 'Acme',
      streamed: true,
      cancelled: false,
      finish_reason: 'stop',
      native_finish_reason: 'stop',
      tokens_prompt: 10,
      tokens_completion: 5,
      total_cost: 2e-5,
      cost_known: true,
      usage_estimated: false,
    },
    costNanoUsd: 20_000,
  });
  expect(store.appended[0]?.content).toEqual({
    input: { messages: [{ role: 'user', content: 'Hello' }] },
    output: { completion: 'Héllo 👩‍👩‍👧', reasoning: null },
    error: null,
    timeline: { interval_ms: 20, gaps_ms: [0], text: [14] },
    callTimeline: expect.objectContaining({ attempts_ms: [0] }),
    request: expect.objectContaining({ format: 'chat' }),
  });
});

test('can be read by its id the moment the stream ends', async () => {
  const { chat, get } = createCoreGateway(createReplayTransport({ pieces: GOOD }));
  const response = await chat({ stream: true });
  await readFrames(response).rest();
  const record = await get(`/api/v1/generation?id=${response.headers['x-generation-id']}`);
  expect(jsonOf(record)).toMatchObject({ data: { tokens_prompt: 10, finish_reason: 'stop' } });
});

test('estimates usage that upstream does not report, and says so', async () => {
  const { chat, store } = createCoreGateway(
    createReplayTransport({ pieces: toEventPieces([piece('twelve chars'), stop]) }),
  );
  const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
  expect(chunks.filter((chunk) => chunk.usage)).toHaveLength(1);
  expect(chunks.at(-1)?.usage).toMatchObject({
    prompt_tokens: 6,
    completion_tokens: 3,
    total_tokens: 9,
    estimated: true,
  });
  expect(store.appended[0]?.record.generation).toMatchObject({ usage_estimated: true, tokens_completion: 3 });
});

test.each([
  [
    'on every chunk',
    [piece('a'), piece('b'), stop].map((each, i) => ({ ...each, usage: { prompt_tokens: 10, completion_tokens: i } })),
    2,
  ],
  ['twice at the end', [piece('a'), stop, usage, { ...usage, usage: { prompt_tokens: 10, completion_tokens: 7 } }], 7],
  ['before the finish reason', [piece('a'), usage, stop], 5],
  ['before the first text', [usage, opening, piece('a'), stop], 5],
])('sends usage once and takes the last when upstream sends it %s', async (_name, payloads, completion) => {
  const { chat } = createCoreGateway(createReplayTransport({ pieces: toEventPieces(payloads) }));
  const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
  expect(chunks.map((chunk) => chunk.usage?.['completion_tokens'])).toEqual([
    ...chunks.slice(1).map(() => undefined),
    completion,
  ]);
});

test('sends the finish reason once when upstream repeats or changes it, the first', async () => {
  const length = { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] };
  const { chat } = createCoreGateway(
    createReplayTransport({ pieces: toEventPieces([piece('a'), stop, length, piece('b'), stop]) }),
  );
  const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
  expect(chunks.map(({ choices }) => choices[0]?.finish_reason).filter((reason) => reason)).toEqual(['stop']);
});

test('streams tool calls in pieces that put together are what upstream meant', async () => {
  const calls = [
    { index: 0, id: 'c1', function: { name: 'f', arguments: '' } },
    { index: 0, function: { arguments: '{"x":' } },
    { index: 0, function: { arguments: '1}' } },
    { index: 1, id: 'c2', function: { name: 'g' } },
  ].map((call) => ({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }));
  const pieces = toEventPieces([...calls, stop]);
  for (const [, bytes] of chunkings(pieces)) {
    const { chat, store } = createCoreGateway(createReplayTransport({ pieces: bytes }));
    const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta['tool_calls'] ?? [])).toEqual([
      { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":' } },
      { index: 0, function: { arguments: '1}' } },
      { index: 1, id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
    ]);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
    expect(store.appended[0]?.content?.output.tool_calls).toEqual([
      { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
      { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
    ]);
  }
});

test.each([{ reasoning: { exclude: true } }, { include_reasoning: false }])(
  'keeps reasoning back for %j, and records it',
  async (body) => {
    const thought = { choices: [{ index: 0, delta: { reasoning_content: 'secret' }, finish_reason: null }] };
    const { chat, store } = createCoreGateway(
      createReplayTransport({ pieces: toEventPieces([thought, thought, piece('Hi'), stop]) }),
    );
    const text = await readFrames(await chat({ stream: true, ...body })).rest();
    expect(text).not.toContain('secret');
    expect(chunksOf(text)[0]?.choices[0]?.delta.content).toBe('Hi');
    expect(store.appended[0]?.content?.output.reasoning).toBe('secretsecret');
  },
);

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

// Keep-alive

test('responds with a comment when nothing has come within the interval, and repeats it', async () => {
  const transport = createScriptedTransport();
  const { chat, platform } = createCoreGateway(transport, { timeouts: { keepAliveMs: 10_000 } });
  let hasResponded = false;
  const pending = chat({ stream: true }).then((response) => ((hasResponded = true), response));
  await platform.advance(9_900);
  expect(hasResponded).toBe(false);
  await platform.advance(200);
  const reader = readFrames(await pending);
  expect(await reader.next()).toMatch(/^: .+\n\n$/);
  const second = reader.next();
  await platform.advance(10_100);
  expect(await second).toMatch(/^: .+\n\n$/);

  respondWith(transport.latest(), piece('Hi'));
  expect(chunksOf((await reader.next()) ?? '')[0]?.choices[0]?.delta.content).toBe('Hi');
  const silent = reader.next();
  await platform.advance(10_100);
  expect(await silent).toMatch(/^: /);
  const { pulls } = transport.latest();
  const stillSilent = reader.next();
  await platform.advance(10_100);
  expect(await stillSilent).toMatch(/^: /);
  // Upstream was read once, however often the client's reader returned.
  expect(transport.latest().pulls).toBe(pulls);
  respondWith(transport.latest(), stop);
  transport.exchanges[0]?.end();
  expect(parseFrames(await reader.rest()).at(-1)).toBe('done');
});

test('still tries the next endpoint after a comment, and reports its failure in-band', async () => {
  const transport = createScriptedTransport();
  const { chat, platform, store } = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const pending = chat({ stream: true });
  await platform.advance(1100);
  const response = await pending;
  expect(response.status).toBe(200);
  const reader = readFrames(response);
  await reader.next();
  transport.exchanges[0]?.respond(503);
  transport.exchanges[0]?.end();
  await settle();
  expect(transport.exchanges).toHaveLength(2);
  transport.exchanges[1]?.respond(429);
  transport.exchanges[1]?.end();
  const frames = parseFrames(await reader.rest());
  expect(frames).toEqual([
    expect.objectContaining({
      id: response.headers['x-generation-id'],
      object: 'chat.completion.chunk',
      model: 'acme/chat',
      error: expect.objectContaining({ code: 429 }) as object,
      choices: [expect.objectContaining({ finish_reason: 'error' })],
    }),
    'done',
  ]);
  expect(store.appended).toHaveLength(1);
});

test('continues at once when the first event after a comment is not to be shown', async () => {
  const transport = createScriptedTransport();
  const { chat, platform } = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const pending = chat({ stream: true, include_reasoning: false });
  await platform.advance(1100);
  const reader = readFrames(await pending);
  await reader.next();
  const next = reader.next();
  respondWith(transport.latest(), { choices: [{ index: 0, delta: { reasoning: 'hm' } }] }, piece('Hi'));
  await settle();
  expect(chunksOf((await next) ?? '')[0]?.choices[0]?.delta.content).toBe('Hi');
  await reader.leave();
});

test('reads nothing of upstream for a reader that is not there yet, even when there is nothing to show', async () => {
  const transport = createScriptedTransport((exchange) =>
    respondWith(exchange, { choices: [{ index: 0, delta: { reasoning: 'hm' } }] }, piece('a'), piece('b')),
  );
  const { chat } = createCoreGateway(transport);
  const reader = readFrames(await chat({ stream: true, include_reasoning: false }));
  await settle();
  expect(transport.latest().pulls).toBe(1);
  await reader.leave();
});

test('keeps the end for a reader that is not waiting when it comes', async () => {
  const transport = createScriptedTransport((exchange) => respondWith(exchange, piece('Hi')));
  const { chat, gateway, platform } = createCoreGateway(transport, { timeouts: { drainMs: 100 } });
  const reader = readFrames(await chat({ stream: true }));
  await reader.next();
  const pending = reader.next();
  transport.latest().push(toEvent(piece('!')));
  await pending;
  const closing = gateway.close();
  await platform.advance(200);
  await closing;
  expect(parseFrames(await reader.rest())).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ code: 503 }) as object }),
    'done',
  ]);
});

test('sends no comment to a reader that has not taken what is ready', async () => {
  const transport = createScriptedTransport((exchange) => respondWith(exchange, piece('a')));
  const { chat, platform } = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const reader = readFrames(await chat({ stream: true }));
  await platform.advance(30_000);
  expect(parseFrames((await reader.next()) ?? '')).toHaveLength(1);
});

test('sends no more than one comment ahead of a reader that takes its time', async () => {
  const transport = createScriptedTransport();
  const { chat, platform } = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const pending = chat({ stream: true });
  await platform.advance(60_000);
  const reader = readFrames(await pending);
  expect(parseFrames((await reader.next()) ?? '')).toEqual(['comment']);
});

// Back-pressure

test('reads upstream no faster than its reader reads', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    for (let i = 0; i < 1000; i += 1) exchange.push(toEvent(piece(`${i} `)));
  });
  const { chat } = createCoreGateway(transport);
  const reader = readFrames(await chat({ stream: true }));
  await settle();
  expect(transport.exchanges[0]?.pulls).toBe(1);
  for (let read = 1; read <= 20; read += 1) {
    expect(chunksOf((await reader.next()) ?? '')).toHaveLength(1);
    await settle();
    expect(transport.exchanges[0]?.pulls).toBe(read);
  }
  await reader.leave();
});

test('reads one batch at a time from a provider, however often its reader calls', async () => {
  const asked: ((text: string) => void)[] = [];
  const completion = (text: string): IteratorResult<ChatChunk[]> => ({
    done: false,
    value: [{ choices: [{ index: 0, delta: { content: text }, finish_reason: null, native_finish_reason: null }] }],
  });
  const provider: Provider = {
    ...createScriptedProvider('acme', []),
    chat: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise((resolve) => asked.push((text) => resolve(completion(text)))),
      }),
    }),
  };
  const { chat, platform } = createCoreGateway([provider, createScriptedProvider('beta', [])], {
    timeouts: { keepAliveMs: 1000 },
  });
  const pending = chat({ stream: true });
  await settle();
  asked[0]?.('a');
  const reader = readFrames(await pending);
  await reader.next();
  for (let comment = 0; comment < 3; comment += 1) {
    const next = reader.next();
    await platform.advance(1100);
    expect(await next).toMatch(/^: /);
  }
  expect(asked).toHaveLength(2);
  asked[1]?.('b');
  expect(chunksOf((await reader.next()) ?? '')[0]?.choices[0]?.delta.content).toBe('b');
  await reader.leave();
});

test('counts the time to the first token as the caller felt it, failed attempts and all', async () => {
  const transport = createScriptedTransport();
  const { chat, platform, store } = createCoreGateway(transport);
  const pending = chat({ stream: true });
  await platform.advance(300);
  transport.latest().respond(503);
  transport.latest().end();
  await platform.advance(200);
  respondWith(transport.latest(), piece('Hi'), stop);
  transport.latest().end();
  const reader = readFrames(await pending);
  await platform.advance(1000);
  await reader.rest();
  expect(store.appended[0]?.record.generation).toMatchObject({
    latency: 500,
    generation_time: 1500,
    provider_responses: [{ latency: 300 }, { latency: 200 }],
  });
});

test('leaves nothing hanging on the signal of a client whose call is over', async () => {
  const { signal } = new AbortController();
  const { chat } = createCoreGateway(createReplayTransport({ pieces: GOOD }));
  await readFrames(await chat({ stream: true }, { signal })).rest();
  expect((await chat({ stream: true, model: 'acme/none' }, { signal })).status).toBe(400);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

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

// Whatever happens

type Action =
  | 'text'
  | 'thought'
  | 'stop'
  | 'usage'
  | 'error'
  | 'garbage'
  | 'marker'
  | 'end'
  | 'reset'
  | 'refuse'
  | 'leave'
  | 'abort'
  | 'wait'
  | 'read'
  | 'close'
  | 'fail store';

test('ends every stream in one way, records it once and holds nothing back, whatever happens in whatever order', async () => {
  const action = fc.constantFrom<Action>(
    ...([
      'text',
      'text',
      'text',
      'thought',
      'stop',
      'usage',
      'error',
      'garbage',
      'marker',
      'end',
      'reset',
      'refuse',
    ] as const),
    ...(['leave', 'abort', 'wait', 'read', 'read', 'read', 'close', 'fail store'] as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 14 }), fc.boolean(), async (actions, readsAlong) => {
      const transport = createScriptedTransport();
      const { chat, store, platform, gateway } = createCoreGateway(transport, {
        timeouts: { keepAliveMs: 500, firstTokenMs: 2000, drainMs: 100, clientWriteMs: 100 },
      });
      const client = new AbortController();
      let isGone = false;
      let hasStore = true;
      let frames = '';
      let reader: ReturnType<typeof readFrames> | undefined;
      let isReading = false;
      let isDone = false;
      const read = (): void => {
        if (isReading || isDone || reader === undefined) return;
        isReading = true;
        void reader.next().then((text) => {
          isReading = false;
          if (text === undefined) isDone = true;
          else frames += text;
          if (readsAlong) read();
        });
      };
      let status = 0;
      const responded = chat({ stream: true }, { signal: client.signal }).then((response) => {
        ({ status } = response);
        if (status === 200) reader = readFrames(response);
        if (readsAlong) read();
      });
      await settle();
      let hasHead = false;
      for (const act of [...actions, 'end', 'reset', 'end', 'refuse'] as const) {
        const exchange = transport.exchanges.at(-1);
        if (
          exchange !== undefined &&
          !['leave', 'abort', 'wait', 'read', 'close', 'fail store', 'refuse'].includes(act)
        ) {
          if (exchange.pulls === 0) exchange.respond();
          hasHead = true;
        }
        if (act === 'text') exchange?.push(toEvent(piece('x')));
        if (act === 'thought') exchange?.push(toEvent({ choices: [{ delta: { reasoning: 'hm' } }] }));
        if (act === 'stop') exchange?.push(toEvent(stop));
        if (act === 'usage') exchange?.push(toEvent(usage));
        if (act === 'error') exchange?.push(toEvent({ error: { message: 'no', code: 429 } }));
        if (act === 'garbage') exchange?.push('data: {oops\n\n');
        if (act === 'marker') exchange?.push('data: [DONE]\n\n');
        if (act === 'end') exchange?.end();
        if (act === 'reset') exchange?.fail(connectionReset());
        if (act === 'refuse' && !hasHead) {
          exchange?.respond(503);
          exchange?.end();
        }
        if (act === 'abort') {
          client.abort();
          isGone = true;
        }
        if (act === 'leave' && reader !== undefined) {
          await reader.leave();
          isGone = true;
        }
        if (act === 'wait') await platform.advance(700);
        if (act === 'read') read();
        if (act === 'close') void gateway.close();
        if (act === 'fail store') {
          store.failAppends(new Error('full'));
          hasStore = false;
        }
        await settle();
      }
      // A client that is still there reads on to the end.
      for (let i = 0; i < 60 && !isDone && status !== 499; i += 1) {
        read();
        await platform.advance(100);
      }
      await responded;
      await settle();

      expect(gateway.stats()).toEqual({ openCalls: 0, openStreams: 0 });
      expect(store.appendCalls()).toBe(1);
      expect(hasStore ? [1] : [0, 1]).toContain(store.appended.length);
      expect(transport.exchanges.length).toBeLessThanOrEqual(2);
      const parsed = parseFrames(frames);
      const ends = parsed.filter((frame) => frame === 'done').length;
      expect(status === 200 && !isGone ? [1] : [0, 1]).toContain(ends);
      expect(parsed.slice(0, -1)).not.toContain('done');
      const reasons = chunksOf(frames).flatMap(({ choices }) => choices[0]?.finish_reason ?? []);
      expect(reasons.length).toBe(ends);
      expect(chunksOf(frames).filter((chunk) => chunk.usage)).toHaveLength(
        reasons.filter((reason) => reason !== 'error').length,
      );
      // The reader received the recorded outcome, unless it received the error that recording failed.
      const record = store.appended[0]?.record.generation;
      const recorded = record?.cancelled === true ? 'cancelled' : record?.finish_reason;
      expect([undefined, recorded, ...(hasStore ? [] : ['error'])]).toContain(reasons[0]);
    }),
    { numRuns: 150 },
  );
});
