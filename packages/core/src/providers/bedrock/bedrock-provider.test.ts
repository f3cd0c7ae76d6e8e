import { createHash, createHmac } from 'node:crypto';

import type { ChatCall, ChatChunk, Transport } from '@model-gateway/core';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, test } from 'vitest';

import { chunkings } from '../../../../../test/support/upstreams/chunkings.ts';
import {
  createReplayTransport,
  createScriptedTransport,
} from '../../../../../test/support/upstreams/scripted-transport.ts';
import { script as anthropic } from '../../../../../test/support/wires/anthropic.ts';
import { script, toAwsMessage } from '../../../../../test/support/wires/bedrock.ts';
import { parseChatCompletion } from '../../wire/chat-request.ts';
import { type BedrockProviderSettings, createBedrockProvider } from './bedrock-provider.ts';

const NOVA = 'eu.amazon.nova-pro-v1:0';
const CLAUDE = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const KEYS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'session-token-of-a-role',
};
const NOW = Date.UTC(2026, 10, 29, 12, 30, 5);
const TIMEOUTS = { headersMs: 1000, nonStreamMs: 1000, idleMs: 1000, totalMs: 1000 };

const create = (transport: Transport, settings: Partial<BedrockProviderSettings> = {}) =>
  createBedrockProvider({
    slug: 'bedrock',
    name: 'Amazon Bedrock',
    baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
    credentials: () => KEYS,
    now: () => NOW,
    transport,
    ...settings,
  });

const toCall = (body: object = {}, more: Partial<ChatCall> = {}): ChatCall => ({
  generationId: 'gen-1-abcdefghijkl',
  request: parseChatCompletion({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...body }),
  providerModel: NOVA,
  stream: false,
  supportedParameters: null,
  signal: new AbortController().signal,
  timeouts: TIMEOUTS,
  ...more,
});

const replay = (whole: object = script.responses.text.whole) =>
  createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(whole)] });

async function sendBody(body: object, more: Partial<ChatCall> = {}): Promise<Record<string, unknown>> {
  const transport = replay();
  await create(transport).chatWhole?.(toCall(body, more));
  return transport.latest().sent;
}

async function read(chat: AsyncIterable<readonly ChatChunk[]>): Promise<ChatChunk[]> {
  const chunks: ChatChunk[] = [];
  for await (const batch of chat) chunks.push(...batch);
  return chunks;
}

/** Node's own, in the form that AWS's signer wants. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const key = secret instanceof ArrayBuffer ? new Uint8Array(secret) : secret;
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', key as string);
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {}
}

describe('signatures', () => {
  test.each([
    ['a model with a colon', NOVA],
    ['the ARN of an inference profile', 'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2'],
  ])('are byte for byte those of AWS’s own signer: %s', async (_name, providerModel) => {
    const { sessionToken: _session, ...lasting } = KEYS;
    for (const credentials of [KEYS, lasting]) {
      const transport = replay();
      await create(transport, { credentials: () => credentials }).chatWhole?.(
        toCall({ messages: [{ role: 'user', content: 'Grüße ☕' }] }, { providerModel }),
      );
      const { url, method, headers, body } = transport.latest().request;
      const { host, pathname } = new URL(url);
      expect(url).toBe(
        `https://bedrock-runtime.eu-central-1.amazonaws.com/model/${encodeURIComponent(providerModel)}/converse`,
      );
      const signer = new SignatureV4({
        credentials,
        region: 'eu-central-1',
        service: 'bedrock',
        sha256: Sha256,
        applyChecksum: false,
      });
      const signed = await signer.sign(
        { method, protocol: 'https:', hostname: host, path: pathname, query: {}, headers: { host }, body },
        { signingDate: new Date(NOW), unsignableHeaders: new Set(['content-type']) },
      );
      expect(headers['authorization']).toBe(signed.headers['authorization']);
      expect(headers['x-amz-date']).toBe('20261129T123005Z');
      expect(headers['x-amz-security-token']).toBe('sessionToken' in credentials ? KEYS.sessionToken : undefined);
    }
  });

  test('an API key of Bedrock is sent in place of one', async () => {
    const transport = replay();
    await create(transport, { apiKey: 'bedrock-api-key-1' }).chatWhole?.(toCall());
    expect(transport.latest().request.headers).toEqual({
      authorization: 'Bearer bedrock-api-key-1',
      'content-type': 'application/json',
    });
  });

  test('credentials are asked for before each request, and without any nothing is sent', async () => {
    const transport = replay();
    const keys = [KEYS, { ...KEYS, accessKeyId: 'AKIDSECOND' }];
    const provider = create(transport, {
      credentials: () => keys.shift() ?? Promise.reject(new Error('no role here')),
    });
    const signatures: (string | undefined)[] = [];
    for (let call = 0; call < 2; call += 1) {
      await provider.chatWhole?.(toCall());
      signatures.push(transport.latest().request.headers['authorization']?.slice(0, 36));
    }
    expect(signatures).toEqual(['AWS4-HMAC-SHA256 Credential=AKIDEXAM', 'AWS4-HMAC-SHA256 Credential=AKIDSECO']);
    await expect(provider.chatWhole?.(toCall())).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining('got no credentials'),
      cause: { message: 'no role here' },
    });
    expect(transport.exchanges.length).toBe(2);
  });

  test('credentials that upstream repeats are in no message', async () => {
    const said = `${KEYS.secretAccessKey} and ${KEYS.sessionToken} of AKIAIOSFODNN7EXAMPLE`;
    const body = JSON.stringify({ message: said });
    const transport = createReplayTransport({ status: 400, headers: {}, pieces: [body] });
    const refused = (await Promise.resolve(create(transport).chatWhole?.(toCall())).catch((error) => error)) as Error;
    expect(refused.message).toBe('[redacted] and [redacted] of [redacted]');
  });
});

describe('requests', () => {
  test('marks become cache points, for the time that the model has, and are left out elsewhere', async () => {
    const marked = (text: string, ttl?: string) => [
      { type: 'text', text, cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } },
    ];
    const body = {
      messages: [
        { role: 'system', content: marked('Be brief.', '1h') },
        { role: 'user', content: marked('Hello', '5m') },
      ],
    };
    expect(await sendBody(body)).toMatchObject({
      system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
      messages: [{ content: [{ text: 'Hello' }, { cachePoint: { type: 'default', ttl: '5m' } }] }],
    });
    const other = await sendBody(body, { providerModel: 'meta.llama4-scout-17b-instruct-v1:0' });
    expect(JSON.stringify(other)).not.toContain('cachePoint');
  });

  test('sampling, stops and reasoning are said in the words of the model', async () => {
    const body = { temperature: 1.5, top_p: 0.9, top_k: 5, stop: ['END', ' '], max_tokens: 100, service_tier: 'flex' };
    expect(await sendBody(body)).toMatchObject({
      inferenceConfig: { maxTokens: 100, temperature: 1, topP: 0.9, stopSequences: ['END'] },
      additionalModelRequestFields: { inferenceConfig: { topK: 5 } },
      serviceTier: { type: 'flex' },
    });
    const nova2 = { providerModel: 'global.amazon.nova-2-lite-v1:0' };
    const config = async (wish: object) => (await sendBody(wish, nova2))['additionalModelRequestFields'];
    expect(await config({ reasoning: { effort: 'high' } })).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' },
    });
    // Its highest effort takes no limit of tokens: the caller's limit comes first.
    expect(await config({ reasoning: { effort: 'high' }, max_tokens: 100 })).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
    });
    expect(await config({ reasoning: { enabled: false } })).toEqual({ reasoningConfig: { type: 'disabled' } });
  });

  test('what Converse cannot say is refused by the name of its field', async () => {
    const picture = { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } };
    const tool = { type: 'function', function: { name: 'now' } };
    const called = [
      { role: 'user', content: 'When?' },
      { role: 'assistant', tool_calls: [{ id: '1', type: 'function', function: { name: 'now', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: '1', content: 'Noon' },
    ];
    await expect(sendBody({ messages: [{ role: 'user', content: [picture] }] })).rejects.toThrow(/data URLs/);
    await expect(sendBody({ messages: called, tools: [tool], tool_choice: 'none' })).rejects.toThrow(/tool_choice/);
    // The gateway's own wish, which ignores calls, needs no word for it.
    const last = await sendBody({ messages: called, tools: [tool], tool_choice: 'none' }, { ignoresCalls: true });
    expect(last['toolConfig']).toEqual({ tools: [{ toolSpec: expect.objectContaining({ name: 'now' }) }] });
    expect(await sendBody({ tools: [tool], tool_choice: 'none' })).not.toHaveProperty('toolConfig');
    expect(await sendBody({ tools: [tool], tool_choice: 'required' })).toMatchObject({
      toolConfig: { toolChoice: { any: {} } },
    });
  });

  test('tools that were called are named where the caller names none any more, as Converse demands it', async () => {
    const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } });
    const messages = [
      { role: 'user', content: 'When and where?' },
      { role: 'assistant', tool_calls: [call('1', 'now'), call('2', 'here'), call('3', 'now')] },
      ...['1', '2', '3'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
    ];
    const toolSpec = (name: string) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } });
    expect((await sendBody({ messages }))['toolConfig']).toEqual({ tools: [toolSpec('now'), toolSpec('here')] });
    expect(await sendBody({})).not.toHaveProperty('toolConfig');
  });

  test('files have names unlike each other, and texts are sent as bytes', async () => {
    const file = (data: string) => ({ type: 'file', file: { filename: 'a/b_c.pdf', file_data: data } });
    const content = [
      file('data:application/pdf;base64,JVBERg=='),
      file('data:text/plain,Hi'),
      { type: 'text', text: '?' },
    ];
    expect(await sendBody({ messages: [{ role: 'user', content }] })).toMatchObject({
      messages: [
        {
          content: [
            { document: { format: 'pdf', name: 'a b c pdf', source: { bytes: 'JVBERg==' } } },
            { document: { format: 'txt', name: 'a b c pdf 2', source: { bytes: 'SGk=' } } },
            { text: '?' },
          ],
        },
      ],
    });
  });
});

describe('responses', () => {
  test('tokens written to a cache are counted, those of an hour apart', async () => {
    const { whole } = script.responses.text;
    const usage = {
      inputTokens: 3,
      outputTokens: 5,
      totalTokens: 8,
      cacheReadInputTokens: 10,
      cacheWriteInputTokens: 7,
      cacheDetails: [
        { ttl: '1h', inputTokens: 4 },
        { ttl: '5m', inputTokens: 3 },
      ],
    };
    const transport = replay({ ...whole, usage, serviceTier: { type: 'priority' } });
    expect(await create(transport).chatWhole?.(toCall())).toMatchObject({
      usage: {
        prompt_tokens: 20,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 7, cache_write_1h_tokens: 4 },
      },
      serviceTier: 'priority',
    });
  });

  test.each([
    ['throttlingException', 'rate_limit_exceeded', 429],
    ['modelStreamErrorException', 'provider_unavailable', 502],
    ['internalServerException', 'provider_unavailable', 500],
    ['modelTimeoutException', 'provider_unavailable', 504],
    ['validationException', 'invalid_request', 400],
  ])('an exception within a stream, %s, comes after the text before it', async (type, code, upstreamStatus) => {
    const events = [...(script.responses.text.events ?? []).slice(0, 3), { [type]: { message: 'Oh no' } }];
    const seen: ChatChunk[] = [];
    const chat = create(createReplayTransport({ pieces: events.map(toAwsMessage) })).chat?.(
      toCall({}, { stream: true }),
    );
    const reading = (async () => {
      for await (const batch of chat ?? []) seen.push(...batch);
    })();
    await expect(reading).rejects.toMatchObject({ code, upstreamStatus });
    expect(seen[0]?.choices[0]?.delta.content).toBe('Hello ');
  });

  test('the error of the server behind AWS’s is told by its own status', async () => {
    const body = { message: 'The model failed', originalStatusCode: 429, originalMessage: 'Slow down' };
    const pieces = [toAwsMessage({ modelStreamErrorException: body })];
    const chat = create(createReplayTransport({ pieces })).chat?.(toCall({}, { stream: true }));
    await expect(read(chat as NonNullable<typeof chat>)).rejects.toMatchObject({ upstreamStatus: 502 });
  });

  test.each([
    [400, 'ServiceQuotaExceededException', 'rate_limit_exceeded'],
    [429, 'ModelNotReadyException', 'provider_overloaded'],
    [403, 'ExpiredTokenException', 'provider_unavailable'],
    [404, 'ResourceNotFoundException', 'not_found'],
    [424, 'ModelErrorException', 'provider_unavailable'],
  ])('a refusal with HTTP %i is what its name says: %s', async (status, name, code) => {
    const headers = { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/`, 'retry-after': '3' };
    const transport = createReplayTransport({ status, headers, pieces: ['{"message":"Oh no"}'] });
    await expect(create(transport).chatWhole?.(toCall())).rejects.toMatchObject({ code, retryAfterSeconds: 3 });
  });

  test('an abort closes the stream at once', async () => {
    const controller = new AbortController();
    const transport = createScriptedTransport((exchange) => {
      exchange.respond();
      for (const event of (script.responses.text.events ?? []).slice(0, 3)) exchange.push(toAwsMessage(event));
    });
    const chat = create(transport).chat?.(toCall({}, { stream: true, signal: controller.signal }));
    const reading = read(chat as NonNullable<typeof chat>);
    await expect.poll(() => transport.exchanges[0]?.pulls).toBe(4);
    controller.abort(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
    expect(transport.latest().isClosed).toBe(true);
  });

  test('lists the models that speak and can be called as they are', async () => {
    const model = (modelId: string, outputModalities = ['TEXT'], inferenceTypesSupported = ['ON_DEMAND']) => ({
      modelId,
      inputModalities: ['TEXT', 'IMAGE'],
      outputModalities,
      inferenceTypesSupported,
      modelLifecycle: { status: modelId === 'old' ? 'LEGACY' : 'ACTIVE' },
    });
    const modelSummaries = [model('a'), model('old'), model('e', ['EMBEDDING']), model('p', ['TEXT'], ['PROVISIONED'])];
    const transport = replay({ modelSummaries });
    const { signal } = new AbortController();
    expect(await create(transport).listModels?.(signal)).toEqual([
      { id: 'a', inputModalities: ['text', 'image'], outputModalities: ['text'] },
    ]);
    const { url, headers } = transport.latest().request;
    expect(url).toBe('https://bedrock.eu-central-1.amazonaws.com/foundation-models');
    expect(headers['authorization']).toContain('/eu-central-1/bedrock/aws4_request');
  });
});

describe('models of Anthropic', () => {
  const toChunk = (event: object): Uint8Array =>
    toAwsMessage({ chunk: { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abc' } });

  test('are called in Anthropic’s form, and streams are read as Anthropic’s, in any chunking', async () => {
    const whole = replay(anthropic.responses.reasoning.whole);
    const body = { reasoning: { effort: 'high' }, max_tokens: 4000 };
    const expected = await create(whole).chatWhole?.(toCall(body, { providerModel: CLAUDE }));
    expect(whole.latest().request.url).toMatch(/claude-sonnet-4-5-20250929-v1%3A0\/invoke$/);
    expect(whole.latest().sent).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 4000,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      thinking: { type: 'enabled', budget_tokens: 3200 },
    });
    const events = (anthropic.responses.reasoning.events ?? []).map(toChunk);
    for (const [chunking, pieces] of chunkings(events)) {
      const transport = createReplayTransport({ pieces });
      const chat = create(transport).chat?.(toCall(body, { providerModel: CLAUDE, stream: true }));
      const chunks = await read(chat as NonNullable<typeof chat>);
      const textOf = (list: readonly ChatChunk[]) =>
        list.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
      expect(textOf(chunks), chunking).toBe(textOf([expected as ChatChunk]));
      expect(chunks.at(-1)?.usage).toEqual(expected?.usage);
      expect(JSON.stringify(chunks)).toContain('"signature":"c2lnbmVk"');
      expect(transport.latest().request.url).toMatch(/\/invoke-with-response-stream$/);
    }
  });

  test('a request in that form is passed on as it came, with its betas, and its events are handed back', async () => {
    const body = {
      model: 'x',
      max_tokens: 10,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
      ],
      context_management: { edits: [] },
    };
    const headers = { 'anthropic-beta': 'context-management-2025-06-27, b', 'anthropic-version': '2023-06-01' };
    const native = { form: 'messages' as const, body, headers, read: parseChatCompletion };
    const transport = createReplayTransport({ pieces: (anthropic.responses.text.events ?? []).map(toChunk) });
    const call = toCall({ max_tokens: 10 }, { providerModel: CLAUDE, stream: true, native, keepsNative: true });
    const chat = create(transport).chat?.(call);
    const chunks = await read(chat as NonNullable<typeof chat>);
    expect(transport.latest().sent).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['context-management-2025-06-27', 'b'],
      max_tokens: 10,
      messages: body.messages,
      context_management: { edits: [] },
    });
    expect(transport.latest().request.headers).not.toHaveProperty('anthropic-beta');
    expect(chunks.flatMap(({ native: pieces = [] }) => pieces.map(({ type }) => type))).toContain(
      'content_block_delta',
    );
  });

  test.each(['chat', 'messages'])('are told the mark of a whole request at its end (%s)', async (form) => {
    const mark = { type: 'ephemeral', ttl: '1h' };
    const body = { messages: [{ role: 'user', content: 'Hi' }], cache_control: mark };
    const native = { form: 'messages' as const, body, headers: {}, read: parseChatCompletion };
    const transport = replay(anthropic.responses.text.whole);
    const call = toCall(body, { providerModel: CLAUDE, ...(form === 'messages' && { native }) });
    await create(transport).chatWhole?.(call);
    expect(transport.latest().sent).not.toHaveProperty('cache_control');
    expect(transport.latest().sent['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: mark }] },
    ]);
  });

  test('exceptions and events that are no base64 end a stream as failures of upstream', async () => {
    for (const event of [{ throttlingException: { message: 'Wait' } }, { chunk: { bytes: '*' } }]) {
      const chat = create(createReplayTransport({ pieces: [toAwsMessage(event)] })).chat?.(
        toCall({}, { providerModel: CLAUDE, stream: true }),
      );
      await expect(read(chat as NonNullable<typeof chat>)).rejects.toMatchObject({
        code: 'chunk' in event ? 'provider_unavailable' : 'rate_limit_exceeded',
      });
    }
  });
});
