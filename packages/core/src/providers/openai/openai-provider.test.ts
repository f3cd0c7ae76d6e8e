import { expect, test } from 'vitest';

import { settle } from '../../../../../test/support/async/virtual-platform.ts';
import { findCaptures, missingCaptures } from '../../../../../test/support/upstreams/captures.ts';
import { chunkings, toEvent, toEventPieces } from '../../../../../test/support/upstreams/chunkings.ts';
import {
  connectionReset,
  createReplayTransport,
  createScriptedTransport,
} from '../../../../../test/support/upstreams/scripted-transport.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Transport } from '../../foundation/transport.ts';
import { type CompletionAccumulator, createCompletionAccumulator } from '../../generations/completion-accumulator.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import type { ChatCall, WholeProvider } from '../provider.ts';
import { OPENAI_PRESETS } from './openai-presets.ts';
import { createOpenAiProvider, type OpenAiProviderSettings } from './openai-provider.ts';

const TIMEOUTS = { headersMs: 1, nonStreamMs: 2, idleMs: 3, totalMs: 4 };

function callOf(overrides: Partial<ChatCall> = {}): ChatCall {
  return {
    generationId: 'gen-1700000000-abcdefghijkl',
    request: { messages: [{ role: 'user', content: 'Hello' }] },
    providerModel: 'chat-1',
    stream: true,
    supportedParameters: null,
    signal: new AbortController().signal,
    timeouts: TIMEOUTS,
    ...overrides,
  };
}

const providerOn = (transport: Transport, settings: Partial<OpenAiProviderSettings> = {}): WholeProvider =>
  createOpenAiProvider({
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

async function collect(chunks: AsyncIterable<readonly ChatChunk[]> | undefined): Promise<(readonly ChatChunk[])[]> {
  const batches: (readonly ChatChunk[])[] = [];
  for await (const batch of chunks ?? []) batches.push(batch);
  return batches;
}

/** The parts that must be equal in both forms of a completion. */
const messageOf = ({
  text,
  reasoning,
  toolCalls,
  usage,
  finish,
  systemFingerprint,
}: CompletionAccumulator): unknown => ({
  text,
  reasoning,
  toolCalls,
  usage,
  finish,
  systemFingerprint,
});

interface Piece {
  readonly choices: readonly {
    readonly delta?: Record<string, unknown>;
    readonly message?: Record<string, unknown>;
    readonly finish_reason?: string | null;
  }[];
  readonly [field: string]: unknown;
}

/** Folds recorded pieces into an unstreamed completion, in the simplest way that these recordings allow. */
function toWholeCompletion(pieces: readonly Piece[]): object {
  const message: Record<string, string> = {};
  const calls: { id: unknown; type: 'function'; function: { name: unknown; arguments: string } }[] = [];
  for (const { choices } of pieces) {
    for (const [field, value] of Object.entries(choices[0]?.delta ?? {})) {
      if (typeof value === 'string' && field !== 'role') message[field] = (message[field] ?? '') + value;
      if (field !== 'tool_calls') continue;
      for (const call of value as { index: number; id?: string; function: { name?: string; arguments: string } }[]) {
        const known = (calls[call.index] ??= {
          id: call.id,
          type: 'function',
          function: { name: call.function.name, arguments: '' },
        });
        known.function.arguments += call.function.arguments;
      }
    }
  }
  return {
    ...pieces[0],
    usage: pieces.findLast(({ usage }) => usage)?.['usage'],
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...message, ...(calls.length > 0 && { tool_calls: calls }) },
        finish_reason: pieces.flatMap(({ choices }) => choices).findLast((choice) => choice.finish_reason)
          ?.finish_reason,
      },
    ],
  };
}

/** Splits an unstreamed completion into pieces of a few characters, as a streaming server would. */
function toPieces(whole: Piece): object[] {
  const { message = {}, finish_reason } = whole.choices[0] ?? {};
  const { tool_calls, ...texts } = message as {
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  };
  const piece = (delta: object, extra: object = {}): object => ({
    ...whole,
    usage: null,
    choices: [{ index: 0, delta, finish_reason: null, ...extra }],
  });
  return [
    piece({ role: 'assistant', content: '' }),
    ...Object.entries(texts).flatMap(([field, value]) =>
      typeof value !== 'string' || field === 'role'
        ? []
        : (value.match(/[^]{1,40}/g) ?? []).map((part) => piece({ [field]: part })),
    ),
    ...(tool_calls ?? []).flatMap(({ id, function: { name, arguments: text } }, index) => [
      piece({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...(text.match(/[^]{1,3}/g) ?? []).map((part) =>
        piece({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ]),
    piece({}, { finish_reason }),
    { ...whole, choices: [] },
  ];
}

const captures = findCaptures((payload) => 'choices' in payload);

test.skipIf(missingCaptures !== undefined)(
  `finds recordings of this wire${missingCaptures === undefined ? '' : `: ${missingCaptures}`}`,
  () => {
    expect(captures.length).toBeGreaterThanOrEqual(7);
  },
);

test.each(captures.filter(({ isStream }) => isStream))(
  'reads $name the same streamed in any chunking, and whole',
  async ({ payloads }) => {
    const pieces = payloads.map((payload) => JSON.parse(payload) as Piece);
    const whole = toWholeCompletion(pieces);
    const expected = await read(
      createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(whole)] }),
      { stream: false },
    );
    const { message, finish_reason } = (whole as Piece).choices[0] as {
      message: Record<string, string>;
      finish_reason: string;
    };
    expect(expected.text).toBe(message['content'] ?? '');
    expect(expected.reasoning).toBe(message['reasoning_content'] ?? message['reasoning'] ?? '');
    expect(expected.finish).toEqual({ reason: finish_reason, native: finish_reason });
    expect(expected.usage?.total_tokens).toBe(((whole as Piece)['usage'] as { total_tokens: number }).total_tokens);

    for (const [chunking, bytes] of chunkings(toEventPieces(payloads))) {
      const streamed = await read(createReplayTransport({ pieces: bytes }));
      expect({ chunking, ...(messageOf(streamed) as object) }).toEqual({
        chunking,
        ...(messageOf(expected) as object),
      });
    }
  },
);

test.each(captures.filter(({ isStream }) => !isStream))(
  'reads $name the same whole, and streamed in any chunking',
  async ({ payloads: [text = ''] }) => {
    const whole = JSON.parse(text) as Piece;
    for (const [chunking, bytes] of chunkings([text])) {
      const completion = await read(
        createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: bytes }),
        { stream: false },
      );
      const message = whole.choices[0]?.message as { content?: string; tool_calls?: unknown[] };
      expect({ chunking, text: completion.text, calls: completion.toolCalls }).toEqual({
        chunking,
        text: message.content ?? '',
        calls: (message.tool_calls ?? []).map(
          (call) => expect.objectContaining({ id: (call as { id: string }).id }) as unknown,
        ),
      });
      for (const [, streamBytes] of chunkings(toEventPieces(toPieces(whole)))) {
        expect(messageOf(await read(createReplayTransport({ pieces: streamBytes })))).toEqual(messageOf(completion));
      }
    }
  },
);

const piece = (content: string): object => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

test('posts to the chat path with its key, its headers and the limits of a stream', async () => {
  const transport = createReplayTransport({ pieces: toEventPieces([piece('Hi'), stop]) });
  const provider = providerOn(transport, {
    baseUrl: 'https://api.acme.example/v1//',
    headers: { 'x-organisation': 'org-1' },
  });
  await collect(provider.chat?.(callOf()));
  const [exchange] = transport.exchanges;
  expect(exchange?.request).toMatchObject({
    method: 'POST',
    url: 'https://api.acme.example/v1/chat/completions',
    headers: { authorization: 'Bearer key-of-acme', 'x-organisation': 'org-1', 'content-type': 'application/json' },
    headersTimeoutMs: 1,
    idleTimeoutMs: 3,
    totalTimeoutMs: 4,
  });
  expect(exchange?.sent).toMatchObject({ model: 'chat-1', stream: true });
});

test('sends no authorization without a key, and limits an unstreamed call as a whole', async () => {
  const whole = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] };
  const transport = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify(whole)],
  });
  const provider = createOpenAiProvider({ slug: 'local', baseUrl: 'http://127.0.0.1:11434/v1', transport });
  const batches = await collect(provider.chat?.(callOf({ stream: false })));
  expect(batches).toEqual([
    [{ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop', native_finish_reason: 'stop' }] }],
  ]);
  const { request } = transport.exchanges[0] ?? {};
  expect(request?.headers).toEqual({ 'content-type': 'application/json' });
  expect(request).toMatchObject({ headersTimeoutMs: 2, idleTimeoutMs: 2, totalTimeoutMs: 2 });
  expect(provider).toMatchObject({
    slug: 'local',
    name: 'local',
    dataPolicy: { training: null, retainsPrompts: null },
  });
});

test('sends its key in the header, and calls the address, that the server requires', async () => {
  const transport = createReplayTransport({ pieces: toEventPieces([piece('Hi'), stop]) });
  const settings = {
    slug: 'azure',
    apiKey: 'key-of-azure',
    query: { 'api-version': '2024-10-21' },
    dialect: OPENAI_PRESETS.azure.dialect,
    transport,
  };
  const ask = (baseUrl: string): Promise<unknown> =>
    collect(createOpenAiProvider({ ...settings, baseUrl }).chat?.(callOf({ providerModel: 'my gpt/4' })));
  await ask('https://acme.openai.azure.com/openai/deployments/{model}/');
  await ask('https://acme.openai.azure.com/openai/v1');
  expect(transport.exchanges.map(({ request: { url, headers } }) => [url, headers])).toEqual([
    [
      'https://acme.openai.azure.com/openai/deployments/my%20gpt%2F4/chat/completions?api-version=2024-10-21',
      { 'api-key': 'key-of-azure', 'content-type': 'application/json' },
    ],
    [
      'https://acme.openai.azure.com/openai/v1/chat/completions?api-version=2024-10-21',
      { 'api-key': 'key-of-azure', 'content-type': 'application/json' },
    ],
  ]);
});

test('continues a completion at another address where the server has one for that', async () => {
  const transport = createReplayTransport({ pieces: toEventPieces([piece('Hi'), stop]) });
  const { dialect, baseUrl } = OPENAI_PRESETS.deepseek;
  const provider = createOpenAiProvider({ slug: 'deepseek', baseUrl: baseUrl ?? '', dialect, transport });
  expect(provider.prefillOf?.('deepseek-chat')).toBe('prefix');
  await collect(provider.chat?.(callOf()));
  await collect(provider.chat?.(callOf({ prefill: 'prefix' })));
  expect(transport.exchanges.map(({ request }) => request.url)).toEqual([
    'https://api.deepseek.com/v1/chat/completions',
    'https://api.deepseek.com/beta/chat/completions',
  ]);
});

test('has no list of models where the address is of one model, or where the options say so', () => {
  const transport = createReplayTransport({ pieces: [] });
  expect(providerOn(transport, { baseUrl: 'https://acme.example/{model}/v1' }).listModels).toBeUndefined();
  expect(providerOn(transport, { listsModels: false }).listModels).toBeUndefined();
});

test('yields all that one piece of bytes completed as one batch', async () => {
  const events = [piece('a'), piece('b'), piece('c'), stop].map(toEvent);
  const pieces = [
    `${events[0]}${events[1]}`,
    `${events[2]}${(events[3] ?? '').slice(0, 9)}`,
    (events[3] ?? '').slice(9),
  ];
  const batches = await collect(providerOn(createReplayTransport({ pieces })).chat?.(callOf()));
  expect(batches.map((batch) => batch.map(({ choices }) => choices[0]?.delta.content))).toEqual([
    ['a', 'b'],
    ['c'],
    [undefined],
  ]);
});

test('reads no more from upstream than its reader reads', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    for (let i = 0; i < 10; i += 1) exchange.push(toEvent(piece(String(i))));
  });
  const chunks = providerOn(transport).chat?.(callOf())[Symbol.asyncIterator]() as AsyncIterator<readonly ChatChunk[]>;
  await chunks.next();
  await chunks.next();
  await settle();
  expect(transport.exchanges[0]?.pulls).toBe(2);
});

test('leaves upstream’s body when its reader leaves', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    exchange.push(toEvent(piece('a')));
  });
  const chunks = providerOn(transport).chat?.(callOf())[Symbol.asyncIterator]() as AsyncIterator<readonly ChatChunk[]>;
  await chunks.next();
  await chunks.return?.();
  expect(transport.exchanges[0]?.isClosed).toBe(true);
});

test.each([
  ['after the end marker', 'data: [DONE]\n\ndata: {"error":"late"}\n\n'],
  ['after an end marker written oddly', 'data:   [done] \n\ndata: nonsense\n\n'],
  ['after two end markers', 'data: [DONE]\n\ndata: [DONE]\n\n'],
])('reads nothing %s', async (_name, end) => {
  for (const [, pieces] of chunkings([toEvent(piece('Hi')), toEvent(stop), end])) {
    expect((await read(createReplayTransport({ pieces }))).text).toBe('Hi');
  }
});

test('needs no end marker, nor a blank line after the last event', async () => {
  for (const [, pieces] of chunkings([toEvent(piece('Hi')), toEvent(stop).trimEnd()])) {
    expect((await read(createReplayTransport({ pieces }))).finish?.reason).toBe('stop');
  }
  for (const [, pieces] of chunkings([toEvent(piece('Hi')), toEvent(stop), 'data: [DONE]'])) {
    expect((await read(createReplayTransport({ pieces }))).finish?.reason).toBe('stop');
  }
});

test('treats a completion as broken that ends within an event', async () => {
  for (const [, pieces] of chunkings([toEvent(piece('Hi')), 'data: {"choices":[{"delta":{"con'])) {
    await expect(read(createReplayTransport({ pieces }))).rejects.toThrow(
      new GatewayError('provider_unavailable', 'Acme ended its response in the middle of an event'),
    );
  }
});

test('sees that a stream was cut although each of its chunks has an empty finish reason', async () => {
  const pieces = ['Hel', 'lo', ' wor'].map((content) =>
    toEvent({ choices: [{ index: 0, delta: { content }, finish_reason: '' }] }),
  );
  const completion = await read(createReplayTransport({ pieces }));
  expect(completion.text).toBe('Hello wor');
  expect(completion.finish).toBeUndefined();
});

test('yields what came before an error in the same bytes, and then throws it', async () => {
  const error = { error: { message: 'overloaded', type: 'overloaded_error' } };
  for (const [, pieces] of chunkings([toEvent(piece('Hi')), toEvent(error)])) {
    const texts: unknown[] = [];
    const reading = (async () => {
      for await (const chunks of providerOn(createReplayTransport({ pieces })).chat?.(callOf()) ?? []) {
        texts.push(...chunks.map(({ choices }) => choices[0]?.delta.content));
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'provider_overloaded', message: 'Acme is overloaded' });
    expect(texts).toEqual(['Hi']);
  }
});

test('takes comments, names of events and empty events for nothing', async () => {
  const stream = `: hello\n\nevent: ping\n\nevent: message\n${toEvent(piece('Hi'))}data:\n\ndata: \n\n${toEvent(stop)}data: [DONE]\n\n`;
  for (const [, pieces] of chunkings([stream])) {
    expect((await read(createReplayTransport({ pieces }))).text).toBe('Hi');
  }
});

test('reads an unstreamed completion although a stream was requested', async () => {
  const whole = {
    choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  };
  for (const [, pieces] of chunkings([JSON.stringify(whole)])) {
    const transport = createReplayTransport({ headers: { 'content-type': 'application/json; charset=utf-8' }, pieces });
    expect(await read(transport)).toMatchObject({ text: 'Hi', finish: { reason: 'stop' }, usage: { total_tokens: 2 } });
  }
});

test.each([
  ['no content type', {}],
  ['text/plain', { 'content-type': 'text/plain' }],
  ['an unusual case', { 'content-type': 'Text/Event-Stream; charset=UTF-8' }],
])('reads a valid stream that comes with %s', async (_name, headers) => {
  const transport = createReplayTransport({
    headers: headers,
    pieces: toEventPieces([piece('Hi'), stop]),
  });
  expect((await read(transport)).text).toBe('Hi');
});

test.each([
  [
    'a web page',
    { 'content-type': 'text/html; charset=utf-8' },
    '<html>Log in</html>',
    'a web page instead of a completion',
  ],
  ['nothing', { 'content-type': 'application/json' }, '', 'something that is not JSON'],
  ['null', { 'content-type': 'application/json' }, 'null', 'JSON that is not a chat completion'],
  ['a list', { 'content-type': 'application/json' }, '[]', 'JSON that is not a chat completion'],
  [
    'a completion without choices',
    { 'content-type': 'application/json' },
    '{"choices":[]}',
    'a completion without choices',
  ],
])('refuses %s with status 200', async (_name, headers, text, message) => {
  const failure = { code: 'provider_unavailable', message: `Acme returned ${message}` };
  await expect(read(createReplayTransport({ headers, pieces: [text] }), { stream: false })).rejects.toMatchObject(
    failure,
  );
  await expect(read(createReplayTransport({ headers, pieces: [text] }))).rejects.toMatchObject(failure);
});

test('throws the error in an unstreamed response with status 200', async () => {
  const transport = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: ['{"error":{"message":"prompt too long","code":"context_length_exceeded"}}'],
  });
  await expect(read(transport, { stream: false })).rejects.toMatchObject({
    code: 'context_length_exceeded',
    status: 400,
  });
});

test.each(
  captures.length === 0
    ? []
    : findCaptures((payload) => 'error' in payload && 'message' in (payload['error'] as object)),
)('says what the refusal in $name says', async ({ payloads: [text = ''] }) => {
  const { message } = (JSON.parse(text) as { error: { message: string } }).error;
  await expect(read(createReplayTransport({ status: 400, pieces: [text] }))).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(message.slice(0, 40)) as string,
  });
});

test('reads the refusal of an upstream, without its own key, and with the wait it names', async () => {
  const transport = createReplayTransport({
    status: 429,
    headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    pieces: ['{"error":{"message":"too fast for key-of-acme","type":"requests",', '"code":"rate_limit_exceeded"}}'],
  });
  await expect(read(transport)).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    message: 'too fast for [redacted]',
    retryAfterSeconds: 30,
    upstreamStatus: 429,
  });
});

test.each([
  ['a page', 502, '<html><h1>Bad Gateway</h1></html>', 'provider_unavailable'],
  ['five megabytes', 500, 'x'.repeat(5_000_000), 'provider_unavailable'],
  ['no body', 503, '', 'provider_overloaded'],
  ['an error without an envelope', 422, '{"message":"bad","type":"x"}', 'unprocessable'],
  ['JSON that is no object', 400, '"no"', 'invalid_request'],
  ['null', 400, 'null', 'invalid_request'],
  ['a redirect', 307, '', 'provider_unavailable'],
])('makes the best of a refusal with %s', async (_name, status, text, code) => {
  const error: unknown = await read(createReplayTransport({ status, pieces: [text] })).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code, upstreamStatus: status });
  expect((error as Error).message).not.toMatch(/<|xxxx/);
});

test('reads no more of an error body than is worth reading', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond(500);
    for (let i = 0; i < 100; i += 1) exchange.push('x'.repeat(16 * 1024));
  });
  await expect(read(transport)).rejects.toThrow('HTTP 500');
  expect(transport.exchanges[0]?.pulls).toBe(5);
  expect(transport.exchanges[0]?.isClosed).toBe(true);
});

test('knows a refusal by its status even when the body breaks', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond(429);
    exchange.push('{"error":');
    exchange.fail(connectionReset());
  });
  await expect(read(transport)).rejects.toMatchObject({ code: 'rate_limit_exceeded', upstreamStatus: 429 });
});

test('passes the failures of the transport on as they are', async () => {
  const reset = connectionReset();
  await expect(read(createScriptedTransport((exchange) => exchange.fail(reset)))).rejects.toBe(reset);
  const broken = createScriptedTransport((exchange) => {
    exchange.respond();
    exchange.push(toEvent(piece('Hi')));
    exchange.fail(reset);
  });
  await expect(read(broken)).rejects.toBe(reset);
});

test('makes ids of its own for tool calls that come without', async () => {
  const call = {
    choices: [
      { delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] }, finish_reason: 'tool_calls' },
    ],
  };
  const { toolCalls } = await read(createReplayTransport({ pieces: toEventPieces([call]) }));
  expect(toolCalls[0]?.id).toBe('call_abcdefghijkl_0');
});

test('lists the models that a server names, with what it says of them', async () => {
  const body = {
    object: 'list',
    data: [
      { id: 'llama3:8b', created: 1700000000, context_length: 8192 },
      { id: 'vllm', max_model_len: 4096, created: 'yesterday' },
      { id: 'groq', context_window: 131072 },
      { id: 'bare' },
      { id: 5 },
      null,
      'text',
    ],
  };
  const transport = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify(body)],
  });
  const { signal } = new AbortController();
  expect(await providerOn(transport).listModels?.(signal)).toEqual([
    { id: 'llama3:8b', created: 1700000000, contextLength: 8192 },
    { id: 'vllm', contextLength: 4096 },
    { id: 'groq', contextLength: 131072 },
    { id: 'bare' },
  ]);
  expect(transport.exchanges[0]?.request).toMatchObject({
    method: 'GET',
    url: 'https://api.acme.example/v1/models',
    headers: { authorization: 'Bearer key-of-acme' },
    totalTimeoutMs: 10_000,
    signal,
  });
});

test('reads a list of models that is nothing but the list', async () => {
  const { signal } = new AbortController();
  const transport = createReplayTransport({ pieces: ['[{"id":"meta/llama","context_length":131072}]'] });
  expect(await providerOn(transport).listModels?.(signal)).toEqual([{ id: 'meta/llama', contextLength: 131072 }]);
});

test('reads the list of Cohere at its own address, and what its models are for', async () => {
  const models = [
    { name: 'command-a-03-2025', endpoints: ['generate', 'chat'], context_length: 288000 },
    { name: 'embed-v4.0', endpoints: ['embed', 'classify'], context_length: 128000 },
    { name: 'rerank-v3.5', endpoints: ['rerank'], context_length: 4096 },
  ];
  const transport = createReplayTransport({ pieces: [JSON.stringify({ models, next_page_token: '' })] });
  const { baseUrl, dialect } = OPENAI_PRESETS.cohere;
  const cohere = createOpenAiProvider({ slug: 'cohere', baseUrl: baseUrl ?? '', apiKey: 'key', dialect, transport });
  expect(await cohere.listModels?.(new AbortController().signal)).toEqual([
    { id: 'command-a-03-2025', contextLength: 288000, outputModalities: ['text'] },
    { id: 'embed-v4.0', contextLength: 128000, outputModalities: ['embeddings'] },
    { id: 'rerank-v3.5', contextLength: 4096, outputModalities: ['rerank'] },
  ]);
  expect(transport.latest().request.url).toBe('https://api.cohere.ai/v1/models?page_size=1000');
});

test.each([
  ['<html>', 'a model list that is not JSON'],
  ['{"list":[]}', 'a model list without "data"'],
  ['{"data":{}}', 'a model list without "data"'],
  ['null', 'a model list without "data"'],
])('refuses the model list %s', async (text, message) => {
  const { signal } = new AbortController();
  await expect(providerOn(createReplayTransport({ pieces: [text] })).listModels?.(signal)).rejects.toThrow(message);
});

test('says why a server will not list its models', async () => {
  const { signal } = new AbortController();
  await expect(providerOn(createReplayTransport({ status: 401, pieces: [] })).listModels?.(signal)).rejects.toThrow(
    "Acme refused the gateway's own account (HTTP 401)",
  );
});

const NATIVE = { form: 'responses', body: { input: 'Hi' }, headers: {}, read: () => ({ messages: [] }) } as const;
const RESPONSE = { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }] };
const COMPLETION = { choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] };

test.each([
  ['the Responses form goes on in it where the server has that', true, NATIVE, '/responses', 'Hi'],
  ['that form is translated where it has not', undefined, NATIVE, '/chat/completions', 'Hello'],
  ['another form goes to chat completions', true, { ...NATIVE, form: 'messages' }, '/chat/completions', 'Hello'],
  ['a chat completion goes to chat completions', true, undefined, '/chat/completions', 'Hello'],
] as const)('a call of %s, whole and streamed', async (_name, responses, native, path, said) => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond(200, { 'content-type': 'application/json' });
    exchange.push(JSON.stringify(exchange.request.url.includes('/responses') ? RESPONSE : COMPLETION));
    exchange.end();
  });
  const settings = { responses, baseUrl: 'https://up.example/{model}/v1', query: { 'api-version': '1' } };
  const provider = providerOn(transport, settings);
  const whole = await provider.chatWhole?.(callOf({ native, stream: false }));
  expect(whole?.choices[0]?.delta.content).toBe(said);
  const streamed = await collect(provider.chat?.(callOf({ native })));
  expect(streamed[0]?.[0]?.choices[0]?.delta.content).toBe(said);
  expect(transport.exchanges.map(({ request }) => request.url)).toEqual(
    Array.from({ length: 2 }, () => `https://up.example/chat-1/v1${path}?api-version=1`),
  );
});

test.each<[string, Partial<ChatCall['request']>, string]>([
  ['gpt-5.6-luna', {}, 'responses'],
  ['gpt-5.6-luna', { reasoning_effort: 'low' }, 'responses'],
  ['gpt-5.6-luna', { reasoning_effort: 'none' }, 'chat/completions'],
  ['gpt-6-astra', {}, 'responses'],
  ['gpt-5.4-mini', {}, 'chat/completions'],
  ['gpt-5.4-mini', { reasoning: { effort: 'high' } }, 'responses'],
  ['gpt-5.5', { reasoning: { enabled: false } }, 'chat/completions'],
  ['gpt-5.2', { reasoning_effort: 'high' }, 'chat/completions'],
  ['gpt-5.6-chat-latest', { reasoning_effort: 'high' }, 'chat/completions'],
  ['gpt-35-turbo', {}, 'chat/completions'],
  ['gpt-5.6-luna', { tools: [] }, 'chat/completions'],
  ['gpt-5.6-luna', { tools: [{ type: 'custom', custom: { name: 'f' } }] }, 'chat/completions'],
])('a call of functions to %s with %j goes to /%s', async (providerModel, asked, path) => {
  const sent: string[] = [];
  const transport = createScriptedTransport((exchange) => {
    sent.push(exchange.request.url);
    exchange.respond(200, { 'content-type': 'application/json' });
    exchange.push(JSON.stringify(exchange.request.url.includes('/responses') ? RESPONSE : COMPLETION));
    exchange.end();
  });
  const provider = providerOn(transport, { responses: true, batches: true, dialect: OPENAI_PRESETS.openai.dialect });
  const tools = [{ type: 'function' as const, function: { name: 'f' } }];
  const request = { ...callOf().request, tools, ...asked };
  await provider.chatWhole?.(callOf({ request, providerModel, stream: false }));
  await collect(provider.chat?.(callOf({ request, providerModel })));
  const line = await provider.batches?.toRequest(callOf({ request, providerModel, stream: false }));
  expect([...sent, line?.group]).toEqual(Array.from({ length: 3 }, () => `https://api.acme.example/v1/${path}`));
});

test.each([
  ['that is only compatible', { responses: true }],
  ['that is not to get the Responses form', { responses: false, dialect: OPENAI_PRESETS.openai.dialect }],
])('a call of functions to a server %s stays with chat completions', async (_name, settings) => {
  const transport = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify(COMPLETION)],
  });
  const request = { ...callOf().request, tools: [{ type: 'function' as const, function: { name: 'f' } }] };
  await providerOn(transport, settings).chatWhole?.(callOf({ request, providerModel: 'gpt-5.6', stream: false }));
  expect(transport.latest().request.url).toContain('/chat/completions');
});

test('a gateway that gets the Responses form is told what it may choose among, and which plugins to run', async () => {
  const transport = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify(RESPONSE)],
  });
  const provider = providerOn(transport, { responses: true, dialect: OPENAI_PRESETS.openrouter.dialect });
  const native = { ...NATIVE, body: { input: 'Hi', provider: { only: ['ours'] }, plugins: [{ id: 'ours' }] } };
  const onward = { preferences: { zdr: true }, plugins: [{ id: 'web' }] };
  await provider.chatWhole?.(callOf({ native, onward, stream: false }));
  expect(transport.latest().sent).toMatchObject({ input: 'Hi', provider: { zdr: true }, plugins: [{ id: 'web' }] });
});
