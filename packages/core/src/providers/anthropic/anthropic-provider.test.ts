import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { settle } from '../../../../../test/support/async/virtual-platform.ts';
import { findCaptures, missingCaptures } from '../../../../../test/support/upstreams/captures.ts';
import { chunkings, toEvent } from '../../../../../test/support/upstreams/chunkings.ts';
import {
  connectionReset,
  createReplayTransport,
  createScriptedTransport,
} from '../../../../../test/support/upstreams/scripted-transport.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Transport } from '../../foundation/transport.ts';
import { type CompletionAccumulator, createCompletionAccumulator } from '../../generations/completion-accumulator.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import type { ChatCall } from '../provider.ts';
import { type AnthropicProviderSettings, createAnthropicProvider } from './anthropic-provider.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };

function callOf(overrides: Partial<ChatCall> = {}): ChatCall {
  return {
    generationId: 'gen-1700000000-abcdefghijkl',
    request: { messages: [{ role: 'user', content: 'Hello' }] },
    providerModel: 'claude-sonnet-4-5',
    stream: true,
    supportedParameters: null,
    signal: new AbortController().signal,
    timeouts: { headersMs: 1, nonStreamMs: 2, idleMs: 3, totalMs: 4 },
    ...overrides,
  };
}

const providerOn = (
  transport: Transport,
  settings: Partial<AnthropicProviderSettings> = {},
): ReturnType<typeof createAnthropicProvider> =>
  createAnthropicProvider({
    slug: 'acme',
    name: 'Acme',
    baseUrl: 'https://api.acme.example/v1',
    apiKey: 'key-of-acme',
    transport,
    ...settings,
  });

/** Reads a completion to its end and folds it. */
async function read(transport: Transport, overrides: Partial<ChatCall> = {}): Promise<CompletionAccumulator> {
  const completion = createCompletionAccumulator();
  for await (const chunks of providerOn(transport).chat?.(callOf(overrides)) ?? []) completion.observe(chunks);
  return completion;
}

/** The parts that must be equal in both forms of a completion; arguments are compared as parsed values. */
const messageOf = ({ text, reasoning, toolCalls, usage, finish, serviceTier }: CompletionAccumulator): object => ({
  text,
  reasoning,
  usage,
  finish,
  serviceTier,
  toolCalls: toolCalls.map(({ id, function: { name, arguments: args } }) => ({
    id,
    name,
    arguments: JSON.parse(args) as unknown,
  })),
});

interface RecordedBlock {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  input?: unknown;
}

interface RecordedEvent {
  readonly type: string;
  readonly index?: number;
  readonly message?: Readonly<Record<string, unknown>>;
  readonly content_block?: RecordedBlock;
  readonly delta?: Readonly<Record<string, string | null>>;
  readonly usage?: Readonly<Record<string, number>>;
}

interface RecordedMessage {
  readonly content: readonly RecordedBlock[];
  readonly stop_reason: string;
  readonly usage: Readonly<Record<string, number>>;
}

/** Folds recorded events into an unstreamed completion, in the simplest way that these recordings allow. */
function toWholeCompletion(events: readonly RecordedEvent[]): RecordedMessage {
  let message: Readonly<Record<string, unknown>> = {};
  let content: RecordedBlock[] = [];
  let args = '';
  for (const { type, index = 0, ...event } of events) {
    if (type === 'message_start') {
      message = { ...event.message };
      content = [];
    }
    if (type === 'content_block_start' && event.content_block) {
      content[index] = { ...event.content_block };
      args = '';
    }
    const block = content[index];
    if (type === 'content_block_delta' && block) {
      const { text, thinking, signature, partial_json } = event.delta ?? {};
      if (typeof text === 'string') block.text += text;
      if (typeof thinking === 'string') block.thinking += thinking;
      if (typeof signature === 'string') block.signature += signature;
      args += partial_json ?? '';
    }
    if (type === 'content_block_stop' && block && args !== '') block.input = JSON.parse(args);
    if (type === 'message_delta') {
      message = {
        ...message,
        ...event.delta,
        usage: { ...(message['usage'] as object), ...event.usage },
      };
    }
  }
  return { ...message, content } as unknown as RecordedMessage;
}

/** Splits an unstreamed completion into events, as the server that sent it would have streamed it. */
function toEvents(message: RecordedMessage): object[] {
  const { content, stop_reason, usage } = message;
  const cut = (value: string): readonly string[] => value.match(/[^]{1,40}/g) ?? [];
  return [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    { type: 'ping' },
    ...content.flatMap((block, index) => {
      const delta = (value: object): object => ({ type: 'content_block_delta', index, delta: value });
      const begun = {
        ...block,
        ...(block.text !== undefined && { text: '' }),
        ...(block.thinking && { thinking: '' }),
      };
      if (block.signature) begun.signature = '';
      if (block.input) begun.input = {};
      return [
        { type: 'content_block_start', index, content_block: begun },
        ...cut(block.text ?? '').map((text) => delta({ type: 'text_delta', text })),
        ...cut(block.thinking ?? '').map((thinking) => delta({ type: 'thinking_delta', thinking })),
        ...(block.signature ? [delta({ type: 'signature_delta', signature: block.signature })] : []),
        ...(block.input ? cut(JSON.stringify(block.input)) : []).map((part) =>
          delta({ type: 'input_json_delta', partial_json: part }),
        ),
        { type: 'content_block_stop', index },
      ];
    }),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage['output_tokens'] },
    },
    { type: 'message_stop' },
  ];
}

/** Events as the wire frames them: with a name, and without an end marker. */
const toFrames = (events: readonly (object | string)[]): string[] =>
  events.map((event) => {
    const { type } = (typeof event === 'string' ? JSON.parse(event) : event) as { type: string };
    return `event: ${type}\n${toEvent(event)}`;
  });

const captures = findCaptures(({ type }) => type === 'message_start' || type === 'message');

test.skipIf(missingCaptures !== undefined)(
  `finds recordings of this wire${missingCaptures === undefined ? '' : `: ${missingCaptures}`}`,
  () => {
    expect(captures.length).toBeGreaterThanOrEqual(8);
  },
);

/** The expected content of a recording, read from its unstreamed form without the code under test. */
function expectedOf({ content, usage }: RecordedMessage): object {
  const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0, output_tokens = 0 } = usage;
  const prompt = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return {
    text: content.map(({ text }) => text ?? '').join(''),
    reasoning: content.map(({ thinking }) => thinking ?? '').join(''),
    toolCalls: content
      .filter(({ type }) => type === 'tool_use')
      .map((block) => expect.objectContaining({ arguments: block.input }) as unknown),
    usage: expect.objectContaining({
      prompt_tokens: prompt,
      completion_tokens: output_tokens,
      total_tokens: prompt + output_tokens,
    }) as unknown,
  };
}

test.each(captures.filter(({ isStream }) => isStream))(
  'reads $name the same streamed in any chunking, and whole',
  async ({ payloads }) => {
    const last = payloads.findIndex((payload) => (JSON.parse(payload) as RecordedEvent).type === 'message_stop');
    const whole = toWholeCompletion(payloads.slice(0, last + 1).map((payload) => JSON.parse(payload) as RecordedEvent));
    const expected = await read(createReplayTransport({ headers: JSON_HEADERS, pieces: [JSON.stringify(whole)] }), {
      stream: false,
    });
    expect(messageOf(expected)).toMatchObject(expectedOf(whole));
    expect(expected.finish?.native).toBe(whole.stop_reason);
    for (const [chunking, pieces] of chunkings(toFrames(payloads))) {
      const streamed = await read(createReplayTransport({ pieces }));
      expect({ chunking, ...messageOf(streamed) }).toEqual({ chunking, ...messageOf(expected) });
    }
  },
);

test.each(captures.filter(({ isStream }) => !isStream))(
  'reads $name the same whole, and streamed in any chunking',
  async ({ payloads: [text = ''] }) => {
    const whole = JSON.parse(text) as RecordedMessage;
    for (const [chunking, pieces] of chunkings([text])) {
      const completion = await read(createReplayTransport({ headers: JSON_HEADERS, pieces }), { stream: false });
      expect({ chunking, ...messageOf(completion) }).toMatchObject({ chunking, ...expectedOf(whole) });
      for (const [, streamPieces] of chunkings(toFrames(toEvents(whole)))) {
        expect(messageOf(await read(createReplayTransport({ pieces: streamPieces })))).toEqual(messageOf(completion));
      }
    }
  },
);

const start = {
  type: 'message_start',
  message: { id: 'msg_1', content: [], usage: { input_tokens: 5, output_tokens: 1 } },
};
const text = (value: string): object => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: value },
});
const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } };
const over = { type: 'message_stop' };
const HELLO = toFrames([start, text('Hi'), stop, over]);

test('posts to the messages path with its key, its headers and the limits of a stream', async () => {
  const transport = createReplayTransport({ pieces: HELLO });
  const provider = providerOn(transport, {
    baseUrl: 'https://api.acme.example/v1//',
    headers: { 'anthropic-beta': 'beta-1' },
  });
  for await (const _ of provider.chat?.(callOf()) ?? []);
  const { request, sent } = transport.latest();
  expect(request).toMatchObject({
    method: 'POST',
    url: 'https://api.acme.example/v1/messages',
    headersTimeoutMs: 1,
    idleTimeoutMs: 3,
    totalTimeoutMs: 4,
  });
  expect(request.headers).toEqual({
    'x-api-key': 'key-of-acme',
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'beta-1',
    'content-type': 'application/json',
  });
  expect(sent).toMatchObject({ model: 'claude-sonnet-4-5', max_tokens: 32_000, stream: true });
});

test('sends no key where there is none, and lets the operator set the version of the wire', async () => {
  const transport = createReplayTransport({
    headers: JSON_HEADERS,
    pieces: ['{"content":[],"stop_reason":"end_turn"}'],
  });
  const headers = { 'anthropic-version': '2026-01-01' };
  const provider = createAnthropicProvider({ slug: 'local', baseUrl: 'http://127.0.0.1:9/v1', headers, transport });
  for await (const _ of provider.chat?.(callOf({ stream: false })) ?? []);
  expect(transport.latest().request.headers).toEqual({ ...headers, ...JSON_HEADERS });
  expect(transport.latest().request).toMatchObject({ headersTimeoutMs: 2, idleTimeoutMs: 2, totalTimeoutMs: 2 });
  expect(transport.latest().sent).not.toHaveProperty('stream');
  expect(provider).toMatchObject({ name: 'local', dataPolicy: { training: null, retainsPrompts: null } });
});

test('names the caller to upstream by the same opaque id each time', async () => {
  const userIds = [];
  for (const user of ['ann@example.com', 'ann@example.com', 'bob@example.com']) {
    const transport = createReplayTransport({ pieces: HELLO });
    await read(transport, { request: { messages: [{ role: 'user', content: 'Hi' }], user } });
    userIds.push((transport.latest().sent['metadata'] as { user_id: string }).user_id);
  }
  expect(userIds[0]).toBe(createHash('sha256').update('acme\nann@example.com').digest('hex'));
  expect(userIds[1]).toBe(userIds[0]);
  expect(userIds[2]).not.toBe(userIds[0]);
});

test('refuses what the wire cannot express before it calls upstream', async () => {
  const transport = createReplayTransport({ pieces: HELLO });
  const request = {
    messages: [{ role: 'user' as const, content: 'Hi' }],
    response_format: { type: 'python' as const },
  };
  await expect(read(transport, { request })).rejects.toMatchObject({ code: 'invalid_request' });
  expect(transport.exchanges).toEqual([]);
});

test('yields all that one piece of bytes completed as one batch', async () => {
  const [begun, hi, ...rest] = toFrames([start, text('Hi'), text('!'), stop, over]);
  const end = rest.join('');
  const pieces = [`${begun}${hi}${end.slice(0, 9)}`, end.slice(9)];
  const batches: (readonly ChatChunk[])[] = [];
  for await (const batch of providerOn(createReplayTransport({ pieces })).chat?.(callOf()) ?? []) batches.push(batch);
  expect(batches.map((batch) => batch.map(({ choices }) => choices[0]?.delta.content))).toEqual([
    [undefined, 'Hi'],
    ['!'],
    [undefined],
  ]);
});

test('reads no more from upstream than its reader reads', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    for (let i = 0; i < 10; i += 1) exchange.push(toEvent(text(String(i))));
  });
  const chunks = providerOn(transport).chat?.(callOf())[Symbol.asyncIterator]() as AsyncIterator<readonly ChatChunk[]>;
  await chunks.next();
  await chunks.next();
  await settle();
  expect(transport.latest().pulls).toBe(2);
});

test('leaves upstream’s body when its reader leaves', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    exchange.push(toEvent(text('a')));
  });
  const chunks = providerOn(transport).chat?.(callOf())[Symbol.asyncIterator]() as AsyncIterator<readonly ChatChunk[]>;
  await chunks.next();
  await chunks.return?.();
  expect(transport.latest().isClosed).toBe(true);
});

test('ends with the last event although upstream keeps the connection open', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    for (const frame of HELLO) exchange.push(frame);
  });
  expect((await read(transport)).finish?.reason).toBe('stop');
  expect(transport.latest().isClosed).toBe(true);
});

test('reads nothing after the last event', async () => {
  const late = toFrames([text('late'), { type: 'error', error: { type: 'api_error', message: 'late' } }]);
  for (const [, pieces] of chunkings([...HELLO, ...late, 'data: nonsense\n\n'])) {
    expect((await read(createReplayTransport({ pieces }))).text).toBe('Hi');
  }
});

test('needs no blank line after the last event', async () => {
  for (const [, pieces] of chunkings([...HELLO.slice(0, 3), toEvent(over).trimEnd()])) {
    expect((await read(createReplayTransport({ pieces }))).finish?.reason).toBe('stop');
  }
});

test.each([
  ['before anything came', []],
  ['after its beginning', HELLO.slice(0, 1)],
  ['after some text', HELLO.slice(0, 2)],
  ['before its last event', HELLO.slice(0, 3)],
  ['at the end marker of another wire', [...HELLO.slice(0, 2), 'data: [DONE]\n\n']],
])('treats a completion as broken that ends %s', async (_name, frames) => {
  for (const [, pieces] of chunkings(frames)) {
    await expect(read(createReplayTransport({ pieces }))).rejects.toThrow(
      new GatewayError('provider_unavailable', 'Acme ended its response before the end of the completion'),
    );
  }
});

test('treats a completion as broken that ends within an event', async () => {
  for (const [, pieces] of chunkings([...HELLO.slice(0, 2), 'event: message_delta\ndata: {"type":"mess'])) {
    await expect(read(createReplayTransport({ pieces }))).rejects.toThrow(
      new GatewayError('provider_unavailable', 'Acme ended its response in the middle of an event'),
    );
  }
});

test('yields what came before an error in the same bytes, and then throws it', async () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  for (const [, pieces] of chunkings(toFrames([start, text('Hi'), error]))) {
    const texts: unknown[] = [];
    const reading = (async () => {
      for await (const chunks of providerOn(createReplayTransport({ pieces })).chat?.(callOf()) ?? []) {
        texts.push(...chunks.map(({ choices }) => choices[0]?.delta.content));
      }
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'provider_overloaded',
      message: 'Acme is overloaded',
      metadata: { provider_name: 'Acme', provider_code: 'overloaded_error' },
    });
    expect(texts).toEqual([undefined, 'Hi']);
  }
});

test('takes comments and empty events for nothing', async () => {
  const stream = `: hello\n\nevent: ping\n\n${HELLO.slice(0, 3).join('')}data:\n\ndata: \n\n${HELLO[3]}`;
  for (const [, pieces] of chunkings([stream])) {
    expect((await read(createReplayTransport({ pieces }))).text).toBe('Hi');
  }
});

test('reads an unstreamed completion although a stream was requested', async () => {
  const whole = {
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  for (const [, pieces] of chunkings([JSON.stringify(whole)])) {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect(await read(createReplayTransport({ headers, pieces }))).toMatchObject({
      text: 'Hi',
      finish: { reason: 'stop' },
      usage: { total_tokens: 2 },
    });
  }
});

test.each([
  [
    'a web page',
    { 'content-type': 'text/html; charset=utf-8' },
    '<html>Log in</html>',
    'a web page instead of a completion',
  ],
  ['nothing', JSON_HEADERS, '', 'something that is not JSON'],
  ["another wire's response", JSON_HEADERS, '{"choices":[]}', 'JSON that is not a message'],
])('refuses %s with status 200', async (_name, headers, body, message) => {
  const failure = { code: 'provider_unavailable', message: `Acme returned ${message}` };
  await expect(read(createReplayTransport({ headers, pieces: [body] }), { stream: false })).rejects.toMatchObject(
    failure,
  );
  await expect(read(createReplayTransport({ headers, pieces: [body] }))).rejects.toMatchObject(failure);
});

const refusal = (type: string, message: string): string =>
  JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' });

test('reports a rate limit with the wait that upstream names, without its own key', async () => {
  const transport = createReplayTransport({
    status: 429,
    headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:21 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    pieces: [refusal('rate_limit_error', 'too fast for key-of-acme')],
  });
  await expect(read(transport)).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    status: 429,
    message: 'too fast for [redacted]',
    retryAfterSeconds: 21,
    upstreamStatus: 429,
  });
});

test.each([
  ['an overloaded server', 529, refusal('overloaded_error', 'Overloaded'), 'provider_overloaded', 'Acme is overloaded'],
  [
    'a context that is too long',
    400,
    refusal('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    'context_length_exceeded',
    'prompt is too long: 210000 tokens > 200000 maximum',
  ],
  [
    'a request that is malformed',
    400,
    refusal('invalid_request_error', 'tools.0.name: too long'),
    'invalid_request',
    'tools.0.name: too long',
  ],
  ['a request that is too large', 413, refusal('request_too_large', 'Too large'), 'payload_too_large', 'Too large'],
  [
    'a model that is not there',
    404,
    refusal('not_found_error', 'model: x'),
    'not_found',
    'Acme does not serve this model at the moment',
  ],
  ['a page', 502, '<html><h1>Bad Gateway</h1></html>', 'provider_unavailable', 'Acme returned an error (HTTP 502)'],
  ['no body', 500, '', 'provider_unavailable', 'Acme returned an error (HTTP 500)'],
  ['an error without an envelope', 422, '{"message":"bad","type":"x"}', 'unprocessable', 'bad'],
])('passes on a refusal for %s', async (_name, status, body, code, message) => {
  await expect(read(createReplayTransport({ status, pieces: [body] }))).rejects.toMatchObject({
    code,
    message,
    upstreamStatus: status,
  });
});

test.each([
  ['authentication_error', 401, 'invalid x-api-key key-of-acme', 401],
  ['invalid_request_error', 400, 'Your credit balance is too low to access the API', 402],
])("keeps a refusal of the gateway's own account from the caller: %s", async (type, status, message, shown) => {
  const error: unknown = await read(createReplayTransport({ status, pieces: [refusal(type, message)] })).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'provider_unavailable', status: 502 });
  expect((error as Error).message).toBe(
    `Acme refused the gateway's own account (HTTP ${shown}); the operator must check its key and balance`,
  );
});

test('reads no more of an error body than is worth reading', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond(500);
    for (let i = 0; i < 100; i += 1) exchange.push('x'.repeat(16 * 1024));
  });
  await expect(read(transport)).rejects.toThrow('HTTP 500');
  expect(transport.latest().pulls).toBe(5);
});

test('passes the failures of the transport on as they are', async () => {
  const reset = connectionReset();
  await expect(read(createScriptedTransport((exchange) => exchange.fail(reset)))).rejects.toBe(reset);
  const broken = createScriptedTransport((exchange) => {
    exchange.respond();
    exchange.push(toEvent(text('Hi')));
    exchange.fail(reset);
  });
  await expect(read(broken)).rejects.toBe(reset);
});

test('makes ids of its own for tool calls that come without', async () => {
  const use = { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', name: 'f', input: {} } };
  const { toolCalls } = await read(createReplayTransport({ pieces: toFrames([start, use, stop, over]) }));
  expect(toolCalls[0]?.id).toBe('toolu_abcdefghijkl_0');
});

test('sends the reasoning of a completion back in the next round, as upstream signed it', async () => {
  const content = [
    { type: 'thinking', thinking: 'I should look.', signature: 'sig-1' },
    { type: 'redacted_thinking', data: 'AAAA' },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'sky' } },
  ];
  const usage = { input_tokens: 1, output_tokens: 1 };
  const streamed = toFrames(toEvents({ content, stop_reason: 'tool_use', usage }));
  const details: Record<string, unknown>[] = [];
  const completion = createCompletionAccumulator();
  for await (const chunks of providerOn(createReplayTransport({ pieces: streamed })).chat?.(callOf()) ?? []) {
    completion.observe(chunks);
    details.push(...chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.reasoning_details ?? [])));
  }
  const next = createReplayTransport({ pieces: HELLO });
  await read(next, {
    request: {
      messages: [
        { role: 'user', content: 'Look' },
        { role: 'assistant', tool_calls: [...completion.toolCalls], reasoning_details: details as { type: string }[] },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'blue' },
      ],
    },
  });
  expect((next.latest().sent['messages'] as { content: unknown }[])[1]?.content).toEqual(content);
});

test('lists the models that upstream names, with what it says of them', async () => {
  const data = [
    { type: 'model', id: 'claude-a', created_at: '2025-09-29T00:00:00Z', max_input_tokens: 200_000 },
    { type: 'model', id: 'claude-b', created_at: '1970-01-01T00:00:00Z', max_input_tokens: 0 },
    { id: 'bare', created_at: 'yesterday', max_input_tokens: 'many' },
    { id: 5 },
    null,
  ];
  const transport = createReplayTransport({
    headers: JSON_HEADERS,
    pieces: [JSON.stringify({ data, has_more: false })],
  });
  const { signal } = new AbortController();
  expect(await providerOn(transport).listModels?.(signal)).toEqual([
    { id: 'claude-a', created: 1_759_104_000, contextLength: 200_000 },
    { id: 'claude-b' },
    { id: 'bare' },
  ]);
  expect(transport.latest().request).toMatchObject({
    method: 'GET',
    url: 'https://api.acme.example/v1/models?limit=1000',
    headers: { 'x-api-key': 'key-of-acme', 'anthropic-version': '2023-06-01' },
    totalTimeoutMs: 10_000,
    signal,
  });
});

test.each([
  ['<html>', 'a model list that is not JSON'],
  ['{"models":[]}', 'a model list without "data"'],
  ['null', 'a model list without "data"'],
])('refuses the model list %s', async (body, message) => {
  const { signal } = new AbortController();
  await expect(providerOn(createReplayTransport({ pieces: [body] })).listModels?.(signal)).rejects.toThrow(message);
});

test('says why upstream will not list its models', async () => {
  const { signal } = new AbortController();
  await expect(providerOn(createReplayTransport({ status: 401, pieces: [] })).listModels?.(signal)).rejects.toThrow(
    "Acme refused the gateway's own account (HTTP 401)",
  );
});
