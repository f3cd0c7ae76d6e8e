import { OpenRouter } from '@openrouter/sdk';
import { HTTPClient } from '@openrouter/sdk/lib/http.js';
import type { ChatRequest, ChatResult, ChatStreamChunk } from '@openrouter/sdk/models';
import * as errors from '@openrouter/sdk/models/errors';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { readAll } from '../../support/async/read-all.ts';
import { CITY_SCHEMA, PIXEL_URL, WEATHER_TOOL, weatherOf } from '../../support/clients/client-inputs.ts';
import { CLIENT_HOSTS } from '../../support/conformance/hosts.ts';
import { type Conformance, openConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY, UPSTREAM_KEY } from '../../support/gateways/test-gateway.ts';

const HELLO: ChatRequest['messages'] = [{ role: 'user', content: 'Hello!' }];
const TEXT = 'Hello there, how are you? ☕ 你好';

describe.each(CLIENT_HOSTS)('the OpenRouter client on %s', (kind) => {
  let conformance: Conformance;
  let client: OpenRouter;

  const clientWith = (apiKey: string): OpenRouter =>
    new OpenRouter({
      apiKey,
      serverURL: conformance.apiUrl,
      httpClient: new HTTPClient({ fetcher: conformance.fetch }),
      // It would go on for an hour.
      retryConfig: { strategy: 'none' },
    });

  const send = async (request: ChatRequest): Promise<ChatResult> =>
    (await client.chat.send({ chatRequest: { ...request, stream: false } })) as ChatResult;

  const stream = async (request: ChatRequest, signal?: AbortSignal): Promise<AsyncIterable<ChatStreamChunk>> =>
    (await client.chat.send(
      { chatRequest: { ...request, stream: true } },
      signal && { signal },
    )) as AsyncIterable<ChatStreamChunk>;

  beforeAll(async () => {
    conformance = await openConformance(kind);
    client = clientWith(TEST_KEY);
  });
  afterEach(() => conformance.throwViolations());
  afterAll(() => conformance.close());

  test('gets a response with its usage and cost', async () => {
    const result = await send({ model: 'test/text', messages: HELLO });
    expect(result.choices[0]).toMatchObject({ finishReason: 'stop', message: { role: 'assistant', content: TEXT } });
    expect(result.usage).toMatchObject({
      promptTokens: 12,
      completionTokens: 8,
      totalTokens: 20,
      promptTokensDetails: { cachedTokens: 4 },
      cost: 0.000026,
    });
  });

  test('gets null for a cost that is not known, streamed and not, and reads the record', async () => {
    const whole = await send({ model: 'test/unpriced', messages: HELLO });
    const chunks = await readAll(await stream({ model: 'test/unpriced', messages: HELLO }));
    expect([whole.usage?.cost, chunks.at(-1)?.usage?.cost]).toEqual([null, null]);
    const { data } = await client.generations.getGeneration({ id: whole.id });
    expect(data.totalCost).toBe(0);
  });

  test('hears what is spoken, streamed and not, and gets null for its cost without a price for audio', async () => {
    const request: ChatRequest = { model: 'test/speech', messages: HELLO, modalities: ['text', 'audio'] };
    const whole = await send(request);
    const chunks = await readAll(await stream(request));
    expect(whole.choices[0]?.message.audio).toMatchObject({ id: 'audio_1', transcript: 'Good morning from nobody' });
    const pieces = chunks.map(({ choices }) => choices[0]?.delta.audio);
    expect(pieces.map((audio) => audio?.transcript ?? '').join('')).toBe('Good morning from nobody');
    expect(pieces.findLast((audio) => audio?.expiresAt !== undefined)?.expiresAt).toBe(1_800_000_000);
    expect([whole.usage?.cost, chunks.at(-1)?.usage?.cost]).toEqual([null, null]);
  });

  test.each(['text', 'trickle'])('streams the text whole, then one finish and one usage (%s)', async (name) => {
    const chunks = await readAll(await stream({ model: `test/${name}`, messages: HELLO }));
    expect(textOf(chunks)).toBe(TEXT);
    expect(chunks.slice(-2)).toMatchObject([
      { choices: [{ finishReason: 'stop' }] },
      { choices: [], usage: { promptTokens: 12, completionTokens: 8, cost: 0.000026 } },
    ]);
    expect(chunks.filter(({ usage }) => usage !== undefined)).toHaveLength(1);
  });

  test.each(['tools', 'parallel-tools'])('calls tools and answers from their results (%s)', async (name) => {
    const request = { model: `test/${name}`, tools: [WEATHER_TOOL] };
    const called = await send({ ...request, messages: HELLO });
    const calls = called.choices[0]?.message.toolCalls ?? [];
    expect(called.choices[0]?.finishReason).toBe('tool_calls');
    const results = calls.map(({ id, function: tool }) => ({
      role: 'tool' as const,
      toolCallId: id,
      content: weatherOf(tool.arguments),
    }));
    const completion = await send({
      ...request,
      messages: [...HELLO, { role: 'assistant', content: null, toolCalls: calls }, ...results],
    });
    expect(completion.choices[0]?.message.content).toBe(
      name === 'tools' ? 'call_1: sunny in Paris' : 'call_1: sunny in Paris; call_2: sunny in Oslo',
    );
  });

  test('streams parallel tool calls with one id and name each, and arguments that add up', async () => {
    const chunks = await readAll(
      await stream({ model: 'test/parallel-tools', tools: [WEATHER_TOOL], messages: HELLO }),
    );
    const deltas = chunks.flatMap(({ choices }) => choices[0]?.delta.toolCalls ?? []);
    const argumentsOf = (index: number): string =>
      deltas.flatMap((delta) => (delta.index === index ? (delta.function?.arguments ?? '') : [])).join('');
    expect(deltas.flatMap(({ id }) => id ?? [])).toEqual(['call_1', 'call_2']);
    expect(deltas.flatMap((delta) => delta.function?.name ?? [])).toEqual(['get_weather', 'get_weather']);
    expect([argumentsOf(0), argumentsOf(1)]).toEqual(['{"city":"Paris"}', '{"city":"Oslo"}']);
  });

  test('creates a response of the newer form, streamed and not, without losing an item or an event', async () => {
    const request = { model: 'test/reasoning', input: 'Hello!' };
    const whole = await client.responses.send({ responsesRequest: { ...request, stream: false } });
    expect(JSON.stringify(whole)).not.toContain('UNKNOWN');
    expect(whole).toMatchObject({
      status: 'completed',
      output: [
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'First this, then that.' }] },
        { type: 'message', content: [{ text: 'Thought with effort unset.' }] },
      ],
    });
    const events = await readAll(
      (await client.responses.send({ responsesRequest: { ...request, stream: true } })) as AsyncIterable<object>,
    );
    expect(JSON.stringify(events)).not.toContain('UNKNOWN');
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
  });

  test('sends an image unchanged', async () => {
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, imageUrl: { url: PIXEL_URL } },
    ];
    const result = await send({ model: 'test/image', messages: [{ role: 'user', content }] });
    expect(result.choices[0]?.message.content).toBe(`I see ${PIXEL_URL}`);
  });

  test('gets a response that follows a JSON schema', async () => {
    const result = await send({
      model: 'test/json-schema',
      messages: HELLO,
      responseFormat: { type: 'json_schema', jsonSchema: { name: 'city', strict: true, schema: CITY_SCHEMA } },
    });
    expect(result.choices[0]?.message.content).toBe('{"city":"Paris","country":"France"}');
  });

  test('shows the reasoning, streamed and not', async () => {
    const request: ChatRequest = { model: 'test/reasoning', messages: HELLO, reasoning: { effort: 'low' } };
    const whole = await send(request);
    const chunks = await readAll(await stream(request));
    expect(whole.choices[0]?.message).toMatchObject({
      content: 'Thought with effort low.',
      reasoning: 'First this, then that.',
      reasoningDetails: [{ type: 'reasoning.text', text: 'First this, then that.' }],
    });
    expect(whole.usage?.completionTokensDetails?.reasoningTokens).toBe(5);
    expect(chunks.map(({ choices }) => choices[0]?.delta.reasoning ?? '').join('')).toBe('First this, then that.');
  });

  test('shows a refusal', async () => {
    const result = await send({ model: 'test/refusal', messages: HELLO });
    expect(result.choices[0]?.message).toMatchObject({ content: null, refusal: 'I cannot help with that.' });
  });

  test('throws a 400 that names the field', async () => {
    const failure = await failureOf(send({ model: 'test/text', messages: [] }));
    expect(failure).toBeInstanceOf(errors.BadRequestResponseError);
    expect((failure as errors.BadRequestResponseError).error.message).toContain('messages');
  });

  test('throws a 400 for a model that is not there', async () => {
    const failure = await failureOf(send({ model: 'test/unheard-of', messages: HELLO }));
    expect(failure).toBeInstanceOf(errors.BadRequestResponseError);
  });

  test('throws a 401 for an unknown key', async () => {
    const failure = await failureOf(
      clientWith('sk-gw-v1-unknown').chat.send({ chatRequest: { model: 'test/text', messages: HELLO } }),
    );
    expect(failure).toBeInstanceOf(errors.UnauthorizedResponseError);
  });

  test('throws a 404 when the preferences leave no endpoint', async () => {
    const failure = await failureOf(send({ model: 'test/text', messages: HELLO, provider: { only: ['nobody'] } }));
    expect(failure).toBeInstanceOf(errors.NotFoundResponseError);
  });

  test('throws a 429 with the wait that the provider asks for', async () => {
    const failure = await failureOf(send({ model: 'test/rate-limited', messages: HELLO }));
    expect(failure).toBeInstanceOf(errors.TooManyRequestsResponseError);
    expect((failure as errors.TooManyRequestsResponseError).headers.get('retry-after')).toBe('7');
  });

  test('throws a 502 for a provider that breaks, and never shows the key of the gateway', async () => {
    const failure = await failureOf(send({ model: 'test/unauthorized', messages: HELLO }));
    expect(failure).toBeInstanceOf(errors.BadGatewayResponseError);
    expect((failure as errors.BadGatewayResponseError).body).not.toContain(UPSTREAM_KEY);
    expect(await failureOf(send({ model: 'test/broken', messages: HELLO }))).toBeInstanceOf(
      errors.BadGatewayResponseError,
    );
  });

  // This client does not throw: it hands the error over as the last chunk.
  test.each(['error-event', 'cut'])(
    'ends a stream that breaks with a chunk that holds the error (%s)',
    async (name) => {
      const chunks = await readAll(await stream({ model: `test/${name}`, messages: HELLO }));
      expect(textOf(chunks)).toBe('Hello there, ');
      expect(chunks.at(-1)).toMatchObject({
        error: { code: name === 'cut' ? 502 : 503, message: expect.stringContaining('Scripted') },
        choices: [{ finishReason: 'error' }],
      });
    },
  );

  test('closes the call upstream when it gives up before the first token', async () => {
    const leaving = new AbortController();
    const [call, record] = [conformance.upstream.nextCall(), conformance.nextRecord()];
    const pending = failureOf(stream({ model: 'test/hang', messages: HELLO }, leaving.signal));
    const { closed } = await call;
    leaving.abort();
    expect(await pending).toBeInstanceOf(errors.RequestAbortedError);
    expect(await closed).toBe(false);
    expect((await record).generation).toMatchObject({ cancelled: true, finish_reason: null });
  });

  test('closes the call upstream when it stops reading', async () => {
    const [call, record] = [conformance.upstream.nextCall(), conformance.nextRecord()];
    for await (const _ of await stream({ model: 'test/held', messages: HELLO })) break;
    expect(await (await call).closed).toBe(false);
    expect((await record).generation).toMatchObject({ cancelled: true, streamed: true });
  });

  test('lists the models page by page, once each', async () => {
    const pages = await readAll(await client.models.list({ limit: 5 }));
    const ids = pages.flatMap(({ result }) => result.data.map(({ id }) => id));
    const whole = await client.models.list();
    expect(pages.map(({ result }) => result.data.length)).toEqual([5, 5, 5, 3]);
    expect(new Set(ids).size).toBe(whole.result.totalCount);
    expect(whole.result.data.find(({ id }) => id === 'test/unpriced')?.pricing).toEqual({
      prompt: '-1',
      completion: '-1',
      request: '-1',
      image: '-1',
      discount: 0,
    });
  });

  test('lists the models of the account, and counts them', async () => {
    const { result } = await client.models.listForUser({ bearer: TEST_KEY });
    const { data } = await client.models.count();
    expect(result.data.map(({ id }) => id)).toContain('test/text');
    expect(data.count).toBe(result.data.length);
  });

  test('lists the endpoints of a model, and throws a 404 for one that is not there', async () => {
    const { data } = await client.endpoints.list({ author: 'test', slug: 'text' });
    expect(data).toMatchObject({ id: 'test/text', endpoints: [{ providerName: 'Scripted', contextLength: 32_768 }] });
    const failure = await failureOf(client.endpoints.list({ author: 'test', slug: 'unheard-of' }));
    expect(failure).toBeInstanceOf(errors.NotFoundResponseError);
  });

  test.each([false, true])('reads the generation the moment its response has ended (stream: %s)', async (streamed) => {
    const request: ChatRequest = { model: 'test/reasoning', messages: HELLO, user: 'user-1', sessionId: 'session-1' };
    const id = streamed ? (await readAll(await stream(request)))[0]?.id : (await send(request)).id;
    const { data } = await client.generations.getGeneration({ id: id ?? '' });
    const { data: content } = await client.generations.listGenerationContent({ id: id ?? '' });
    expect(data).toMatchObject({
      id,
      model: 'test/reasoning',
      upstreamId: 'chatcmpl-upstream-1',
      providerName: 'Scripted',
      externalUser: 'user-1',
      sessionId: 'session-1',
      streamed,
      cancelled: false,
      finishReason: 'stop',
      tokensPrompt: 12,
      tokensCompletion: 8,
      nativeTokensReasoning: 5,
      totalCost: 0.000026,
    });
    expect(content).toEqual({
      input: { messages: [{ role: 'user', content: 'Hello!' }] },
      output: { completion: 'Thought with effort unset.', reasoning: 'First this, then that.' },
      error: null,
    });
  });

  test('throws a 404 for a generation that is not there', async () => {
    const failure = await failureOf(client.generations.getGeneration({ id: 'gen-unheard-of' }));
    expect(failure).toBeInstanceOf(errors.NotFoundResponseError);
  });
});

const textOf = (chunks: readonly ChatStreamChunk[]): string =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
