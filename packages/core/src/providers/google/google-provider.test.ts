import { expect, test } from 'vitest';

import { findCaptures, missingCaptures } from '../../../../../test/support/upstreams/captures.ts';
import { chunkings, toEvent } from '../../../../../test/support/upstreams/chunkings.ts';
import {
  connectionReset,
  createReplayTransport,
  createScriptedTransport,
} from '../../../../../test/support/upstreams/scripted-transport.ts';
import type { Transport } from '../../foundation/transport.ts';
import { type CompletionAccumulator, createCompletionAccumulator } from '../../generations/completion-accumulator.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import type { ChatCall } from '../provider.ts';
import { createGoogleProvider, type GoogleProviderSettings } from './google-provider.ts';
import { readGoogleError } from './read-google-error.ts';

const TIMEOUTS = { headersMs: 1, nonStreamMs: 2, idleMs: 3, totalMs: 4 };
const JSON_HEADERS = { 'content-type': 'application/json; charset=UTF-8' };

function callOf(overrides: Partial<ChatCall> = {}): ChatCall {
  return {
    generationId: 'gen-1700000000-abcdefghijkl',
    request: { messages: [{ role: 'user', content: 'Hello' }] },
    providerModel: 'gemini-2.5-flash',
    stream: true,
    supportedParameters: null,
    signal: new AbortController().signal,
    timeouts: TIMEOUTS,
    ...overrides,
  };
}

const providerOn = (
  transport: Transport,
  settings: Partial<GoogleProviderSettings> = {},
): ReturnType<typeof createGoogleProvider> =>
  createGoogleProvider({
    slug: 'google-ai-studio',
    name: 'Acme',
    baseUrl: 'https://api.acme.example/v1beta',
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
const messageOf = ({ text, reasoning, toolCalls, usage, finish, upstreamId }: CompletionAccumulator): object => ({
  text,
  reasoning,
  toolCalls,
  usage,
  finish,
  upstreamId,
});

const readStreamed = (pieces: readonly (string | Uint8Array)[]): Promise<CompletionAccumulator> =>
  read(createReplayTransport({ pieces }));
const readWhole = (pieces: readonly (string | Uint8Array)[]): Promise<CompletionAccumulator> =>
  read(createReplayTransport({ headers: JSON_HEADERS, pieces }), { stream: false });

interface RecordedCompletion {
  readonly candidates: readonly [
    { readonly content: { readonly parts: readonly Record<string, unknown>[] }; readonly finishReason?: string },
  ];
  readonly usageMetadata: { readonly totalTokenCount: number };
}

const partsOf = ({ candidates: [{ content }] }: RecordedCompletion): readonly Record<string, unknown>[] =>
  content.parts;
const textOf = (parts: readonly Record<string, unknown>[], isThought: boolean): string =>
  parts.map(({ text, thought }) => (typeof text === 'string' && (thought === true) === isThought ? text : '')).join('');

const captures = findCaptures((payload) => 'candidates' in payload);

test.skipIf(missingCaptures !== undefined)(
  `finds recordings of this wire${missingCaptures === undefined ? '' : `: ${missingCaptures}`}`,
  () => {
    expect(captures.length).toBeGreaterThanOrEqual(5);
  },
);

test.each(captures.filter(({ isStream }) => isStream))(
  'reads $name the same streamed in any chunking, and whole',
  async ({ payloads }) => {
    const events = payloads.map((payload) => JSON.parse(payload) as RecordedCompletion);
    const parts = events.flatMap(partsOf);
    const last = events.at(-1) as RecordedCompletion;
    const whole = { ...last, candidates: [{ ...last.candidates[0], content: { parts } }] };
    const expected = await readWhole([JSON.stringify(whole)]);
    const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall as { args: unknown }] : []));
    expect(expected.text).toBe(textOf(parts, false));
    expect(expected.reasoning).toBe(textOf(parts, true));
    expect(expected.toolCalls.map((call) => JSON.parse(call.function.arguments) as unknown)).toEqual(
      calls.map(({ args }) => args),
    );
    expect(expected.finish).toEqual({ reason: calls.length > 0 ? 'tool_calls' : 'stop', native: 'STOP' });
    expect(expected.usage?.total_tokens).toBe(last.usageMetadata.totalTokenCount);
    for (const [chunking, pieces] of chunkings(payloads.map(toEvent))) {
      const streamed = await readStreamed(pieces);
      expect({ chunking, ...messageOf(streamed) }).toEqual({ chunking, ...messageOf(expected) });
    }
  },
);

test.each(captures.filter(({ isStream }) => !isStream))(
  'reads $name the same whole, and streamed in any chunking',
  async ({ payloads: [text = ''] }) => {
    const whole = JSON.parse(text) as RecordedCompletion;
    const [candidate] = whole.candidates;
    const pieceOf = (part: object): object => ({ ...whole, candidates: [{ content: { parts: [part] } }] });
    const events = [
      ...partsOf(whole).flatMap((part) =>
        typeof part['text'] === 'string'
          ? [
              ...(part['text'].match(/[^]{1,20}/g) ?? []).map((piece) => pieceOf({ text: piece })),
              pieceOf({ ...part, text: '' }),
            ]
          : [pieceOf(part)],
      ),
      { ...whole, candidates: [{ content: { parts: [{ text: '' }] }, finishReason: candidate.finishReason }] },
    ];
    for (const [, pieces] of chunkings([text])) {
      const completion = await readWhole(pieces);
      expect(completion.text).toBe(textOf(partsOf(whole), false));
      expect(completion.usage?.total_tokens).toBe(whole.usageMetadata.totalTokenCount);
      for (const [, streamPieces] of chunkings(events.map(toEvent))) {
        expect(messageOf(await readStreamed(streamPieces))).toEqual(messageOf(completion));
      }
    }
  },
);

test.each(findCaptures((payload) => JSON.stringify(payload).includes('google.rpc.RetryInfo')))(
  'reads the wait that $name names',
  async ({ payloads: [text = ''] }) => {
    await expect(
      read(createReplayTransport({ status: 429, headers: JSON_HEADERS, pieces: [text] })),
    ).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'You exceeded your current quota, please check your plan.',
      retryAfterSeconds: 34.4,
      metadata: { provider_code: 'RESOURCE_EXHAUSTED' },
    });
  },
);

const event = (parts: readonly object[], extra: object = {}): object => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...extra }],
});
const hi = event([{ text: 'Hi' }]);
const stop = event([{ text: '' }], { finishReason: 'STOP' });

test('posts to the streaming method, with its key in a header and the limits of a stream', async () => {
  const transport = createReplayTransport({ pieces: [hi, stop].map(toEvent) });
  const provider = providerOn(transport, {
    baseUrl: 'https://api.acme.example/v1beta//',
    headers: { 'x-goog-user-project': 'project-1' },
  });
  await collect(provider.chat?.(callOf()));
  const [exchange] = transport.exchanges;
  expect(exchange?.request).toMatchObject({
    method: 'POST',
    url: 'https://api.acme.example/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    headersTimeoutMs: 1,
    idleTimeoutMs: 3,
    totalTimeoutMs: 4,
  });
  expect(exchange?.request.headers).toEqual({
    'x-goog-api-key': 'key-of-acme',
    'x-goog-user-project': 'project-1',
    'content-type': 'application/json',
  });
  expect(exchange?.sent).toMatchObject({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] });
});

test('requests an unstreamed completion by the other method, without a key when there is none', async () => {
  const whole = event([{ text: 'Hi' }], { finishReason: 'STOP' });
  const transport = createReplayTransport({ headers: JSON_HEADERS, pieces: [JSON.stringify(whole)] });
  const provider = createGoogleProvider({ slug: 'local', baseUrl: 'http://127.0.0.1:1/v1beta', transport });
  expect(await collect(provider.chat?.(callOf({ stream: false, providerModel: 'tunedModels/a b' })))).toEqual([
    [{ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop', native_finish_reason: 'STOP' }] }],
  ]);
  const { request } = transport.exchanges[0] ?? {};
  expect(request).toMatchObject({
    url: 'http://127.0.0.1:1/v1beta/tunedModels/a%20b:generateContent',
    headersTimeoutMs: 2,
    idleTimeoutMs: 2,
    totalTimeoutMs: 2,
  });
  expect(request?.headers).toEqual({ 'content-type': 'application/json' });
  expect(provider).toMatchObject({ name: 'local', dataPolicy: { training: null, retainsPrompts: null } });
});

test('refuses what the wire cannot express before it calls upstream', async () => {
  const transport = createReplayTransport({ pieces: [] });
  const request = callOf().request;
  await expect(
    read(transport, { request: { ...request, response_format: { type: 'grammar', grammar: 'x' } } }),
  ).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('response_format') as string });
  expect(transport.exchanges).toHaveLength(0);
});

test.each([
  ['ends without a finish reason', [hi], 'Acme ended its completion without a finish reason'],
  ['ends before it began', [], 'Acme ended its completion without a finish reason'],
  ['ends within an event', [hi, 'data: {"candidates":[{"con'], 'Acme ended its response in the middle of an event'],
])('calls a stream broken that %s', async (_name, events, message) => {
  const pieces = events.map((piece) => (typeof piece === 'string' ? piece : toEvent(piece)));
  for (const [, bytes] of chunkings(pieces)) {
    await expect(readStreamed(bytes)).rejects.toMatchObject({ code: 'provider_unavailable', message });
  }
});

test('needs no blank line after the last event, and reads nothing after an end marker', async () => {
  for (const [, pieces] of chunkings([toEvent(hi), toEvent(stop).trimEnd()])) {
    expect(await readStreamed(pieces)).toMatchObject({ text: 'Hi', finish: { reason: 'stop' } });
  }
  for (const [, pieces] of chunkings([
    ': hello\n\n',
    toEvent(hi),
    'data:\n\n',
    toEvent(stop),
    'data: [DONE]\n\n',
    'data: nonsense\n\n',
  ])) {
    expect(await readStreamed(pieces)).toMatchObject({ text: 'Hi', finish: { reason: 'stop' } });
  }
});

test.each([
  ['an object', { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }],
  ['a list', [{ error: { message: 'The model is overloaded.', status: 'UNAVAILABLE' } }]],
])('yields what came before an error event that is %s, and then throws it', async (_name, error) => {
  for (const [, pieces] of chunkings([toEvent(hi), toEvent(error)])) {
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

test('reads an unstreamed completion although a stream was requested', async () => {
  const whole = event([{ text: 'Hi' }], { finishReason: 'STOP' });
  for (const [, pieces] of chunkings([JSON.stringify(whole)])) {
    expect(await read(createReplayTransport({ headers: JSON_HEADERS, pieces }))).toMatchObject({ text: 'Hi' });
  }
});

test.each([
  ['a web page', { 'content-type': 'text/html' }, '<html>Log in</html>', 'a web page instead of a completion'],
  ['nothing', JSON_HEADERS, '', 'something that is not JSON'],
  ['null', JSON_HEADERS, 'null', 'JSON that is not a chat completion'],
  ['a list', JSON_HEADERS, '[]', 'JSON that is not a chat completion'],
])('refuses %s with status 200', async (_name, headers, text, message) => {
  const failure = { code: 'provider_unavailable', message: `Acme returned ${message}` };
  const transport = (): Transport => createReplayTransport({ headers, pieces: [text] });
  await expect(read(transport(), { stream: false })).rejects.toMatchObject(failure);
  await expect(read(transport())).rejects.toMatchObject(failure);
});

const badKey = {
  code: 400,
  message: 'API key not valid: key-of-acme',
  status: 'INVALID_ARGUMENT',
  details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
};

test.each([
  [
    'a bad field',
    400,
    { code: 400, message: 'temperature', status: 'INVALID_ARGUMENT' },
    'invalid_request',
    'temperature',
  ],
  [
    'a prompt that is too long',
    400,
    {
      code: 400,
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      status: 'INVALID_ARGUMENT',
    },
    'context_length_exceeded',
    '1048576',
  ],
  ['a bad key', 400, badKey, 'provider_unavailable', "refused the gateway's own account (HTTP 401)"],
  [
    'an account',
    400,
    { code: 400, message: 'region', status: 'FAILED_PRECONDITION' },
    'provider_unavailable',
    'account',
  ],
  ['a permission', 403, { code: 403, message: 'x', status: 'PERMISSION_DENIED' }, 'provider_unavailable', 'account'],
  ['a model', 404, { code: 404, message: 'x', status: 'NOT_FOUND' }, 'not_found', 'does not serve this model'],
  [
    'a rate',
    429,
    { code: 429, message: 'of key-of-acme', status: 'RESOURCE_EXHAUSTED' },
    'rate_limit_exceeded',
    'of [redacted]',
  ],
  ['its own fault', 500, { code: 500, message: 'x', status: 'INTERNAL' }, 'provider_unavailable', 'HTTP 500'],
  ['overload', 503, { code: 503, message: 'x', status: 'UNAVAILABLE' }, 'provider_overloaded', 'overloaded'],
  ['nothing it says', 502, undefined, 'provider_unavailable', 'HTTP 502'],
])('reads a refusal over %s', async (_name, status, error, code, message) => {
  for (const body of [{ error }, [{ error }]]) {
    const transport = createReplayTransport({ status, headers: JSON_HEADERS, pieces: [JSON.stringify(body)] });
    await expect(read(transport)).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
  }
});

test('takes no inherited member of a table for a status', () => {
  expect(readGoogleError({ status: 'constructor' })).toMatchObject({ status: null, providerCode: 'constructor' });
});

test('prefers the wait in the header, and takes none that makes no sense', async () => {
  const refusal = (retryDelay: unknown, headers: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const details = [null, { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }];
    const body = JSON.stringify({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', details } });
    return read(createReplayTransport({ status: 429, headers, pieces: [body] })).catch((error: unknown) => error);
  };
  expect(await refusal('30s', { 'retry-after': '7' })).toMatchObject({ retryAfterSeconds: 7 });
  expect(await refusal('99999s')).toMatchObject({ retryAfterSeconds: 3600 });
  for (const retryDelay of ['soon', '-1s', 5, null]) {
    expect(await refusal(retryDelay)).toMatchObject({ retryAfterSeconds: undefined, code: 'rate_limit_exceeded' });
  }
});

test.each(['<html><h1>Bad Gateway</h1></html>', '', '"no"', 'null', '[]'])(
  'makes the best of a refusal that says %j',
  async (text) => {
    const error: unknown = await read(createReplayTransport({ status: 502, pieces: [text] })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'provider_unavailable', upstreamStatus: 502 });
    expect((error as Error).message).not.toContain('<');
  },
);

test('passes the failures of the transport on as they are', async () => {
  const reset = connectionReset();
  const broken = createScriptedTransport((exchange) => {
    exchange.respond();
    exchange.push(toEvent(hi));
    exchange.fail(reset);
  });
  await expect(read(broken)).rejects.toBe(reset);
});

test('makes ids of its own for tool calls that come without', async () => {
  const call = event([{ functionCall: { name: 'f' } }], { finishReason: 'STOP' });
  const { toolCalls } = await readStreamed([toEvent(call)]);
  expect(toolCalls).toEqual([
    { id: 'call_abcdefghijkl_0', type: 'function', function: { name: 'f', arguments: '{}' } },
  ]);
});

test('lists the models that something here is made with, and says what', async () => {
  const models = [
    { name: 'models/gemini-2.5-flash', inputTokenLimit: 1048576, supportedGenerationMethods: ['generateContent'] },
    { name: 'models/text-embedding-004', inputTokenLimit: 2048, supportedGenerationMethods: ['embedContent'] },
    { name: 'models/imagen-4.0-generate-001', supportedGenerationMethods: ['predict'] },
    { name: 'models/veo-3.1-generate-preview', supportedGenerationMethods: ['predictLongRunning'] },
    { name: 'models/aqa', supportedGenerationMethods: ['generateAnswer'] },
    { name: 'tunedModels/mine', inputTokenLimit: 'many' },
    { name: 5 },
    null,
  ];
  const transport = createReplayTransport({ headers: JSON_HEADERS, pieces: [JSON.stringify({ models })] });
  const { signal } = new AbortController();
  expect(await providerOn(transport).listModels?.(signal)).toEqual([
    { id: 'gemini-2.5-flash', contextLength: 1048576 },
    { id: 'text-embedding-004', contextLength: 2048, outputModalities: ['embeddings'] },
    { id: 'imagen-4.0-generate-001', outputModalities: ['image'] },
    { id: 'veo-3.1-generate-preview', outputModalities: ['video'] },
    { id: 'tunedModels/mine' },
  ]);
  expect(transport.exchanges[0]?.request).toMatchObject({
    method: 'GET',
    url: 'https://api.acme.example/v1beta/models?pageSize=1000',
    headers: { 'x-goog-api-key': 'key-of-acme' },
    totalTimeoutMs: 10_000,
    signal,
  });
});

test.each(['<html>', '{"data":[]}', 'null'])('refuses the model list %s', async (text) => {
  const { signal } = new AbortController();
  await expect(providerOn(createReplayTransport({ pieces: [text] })).listModels?.(signal)).rejects.toThrow(
    'Acme returned a model list without "models"',
  );
});

test('says why a server will not list its models', async () => {
  const { signal } = new AbortController();
  const transport = createReplayTransport({ status: 400, pieces: [JSON.stringify({ error: badKey })] });
  await expect(providerOn(transport).listModels?.(signal)).rejects.toThrow("Acme refused the gateway's own account");
});

test('names a likely type of a file whose address shows none at Vertex AI, which demands one', async () => {
  const url = 'https://files.example/1';
  const content = [
    { type: 'image_url' as const, image_url: { url } },
    { type: 'image_url' as const, image_url: { url: `${url}.png` } },
    { type: 'video_url' as const, video_url: { url } },
    { type: 'file' as const, file: { file_data: url } },
  ];
  const typesAt = async (platform: 'vertex' | undefined): Promise<unknown> => {
    const transport = createReplayTransport({ headers: JSON_HEADERS, pieces: [JSON.stringify(stop)] });
    const call = callOf({ stream: false, request: { messages: [{ role: 'user', content }] } });
    await collect(providerOn(transport, { platform }).chat?.(call));
    const { contents } = transport.latest().sent as { contents: { parts: { fileData: { mimeType?: string } }[] }[] };
    return contents[0]?.parts.map(({ fileData }) => fileData.mimeType);
  };
  expect(await typesAt('vertex')).toEqual(['image/jpeg', 'image/png', 'video/mp4', 'application/pdf']);
  expect(await typesAt(undefined)).toEqual([undefined, 'image/png', undefined, undefined]);
});
