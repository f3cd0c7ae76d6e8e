import { createOpenRouter, type OpenRouterProvider } from '@openrouter/ai-sdk-provider';
import { APICallError, generateText, isStepCount, jsonSchema, Output, streamText, tool } from 'ai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { readAll } from '../../support/async/read-all.ts';
import { CITY_SCHEMA, PIXEL_URL } from '../../support/clients/client-inputs.ts';
import { CLIENT_HOSTS } from '../../support/conformance/hosts.ts';
import { type Conformance, openConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY } from '../../support/gateways/test-gateway.ts';

const TEXT = 'Hello there, how are you? ☕ 你好';

const WEATHER = tool({
  description: 'Tells the weather of a city.',
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: ({ city }) => `sunny in ${city}`,
});

describe.each(CLIENT_HOSTS)('the AI SDK on %s', (kind) => {
  let conformance: Conformance;
  let openrouter: OpenRouterProvider;

  const providerWith = (apiKey: string): OpenRouterProvider =>
    createOpenRouter({ apiKey, baseURL: conformance.apiUrl, fetch: conformance.fetch });

  const ask = (name: string, settings: object = {}): Parameters<typeof streamText>[0] => ({
    model: openrouter(`test/${name}`, settings),
    prompt: 'Hello!',
    maxRetries: 0,
    onError: () => undefined,
  });

  beforeAll(async () => {
    conformance = await openConformance(kind);
    openrouter = providerWith(TEST_KEY);
  });
  afterEach(() => conformance.throwViolations());
  afterAll(() => conformance.close());

  test('generates text with its usage and cost', async () => {
    const { text, usage, finishReason, providerMetadata } = await generateText(ask('text'));
    expect({ text, finishReason }).toEqual({ text: TEXT, finishReason: 'stop' });
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 8, inputTokenDetails: { cacheReadTokens: 4 } });
    expect(providerMetadata).toMatchObject({ openrouter: { provider: 'Scripted', usage: { cost: 0.000026 } } });
  });

  test('uses a model whose price is not known, streamed and not', async () => {
    const whole = await generateText(ask('unpriced'));
    const streamed = streamText(ask('unpriced'));
    await streamed.consumeStream();
    expect([whole.text, await streamed.text]).toEqual([TEXT, TEXT]);
    expect([whole.finishReason, await streamed.finishReason]).toEqual(['stop', 'stop']);
    expect(whole.usage).toMatchObject({ inputTokens: 12, outputTokens: 8 });
  });

  test.each(['text', 'trickle'])('streams text with its usage (%s)', async (name) => {
    const result = streamText(ask(name));
    expect((await readAll(result.textStream)).join('')).toBe(TEXT);
    expect(await result.usage).toMatchObject({ inputTokens: 12, outputTokens: 8 });
    expect(await result.finishReason).toBe('stop');
  });

  test.each([
    ['tools', 'call_1: sunny in Paris'],
    ['parallel-tools', 'call_1: sunny in Paris; call_2: sunny in Oslo'],
  ])('runs tools and answers from their results, streamed and not (%s)', async (name, expected) => {
    const request = { ...ask(name), tools: { get_weather: WEATHER }, stopWhen: isStepCount(2) };
    const whole = await generateText(request);
    const streamed = streamText(request);
    await streamed.consumeStream();
    expect(whole.text).toBe(expected);
    expect(await streamed.text).toBe(expected);
    expect(await streamed.steps).toHaveLength(2);
  });

  test('completes a text of the older form, streamed and not', async () => {
    // Above the model the AI SDK asks for a choice of tools, which this one refuses.
    const model = openrouter.completion('test/text');
    const call = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello!' }] }] };
    expect((await model.doGenerate(call)).content).toMatchObject([{ type: 'text', text: TEXT }]);
    const parts = await readAll((await model.doStream(call)).stream);
    expect(parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')).toBe(TEXT);
  });

  test('sends an image unchanged', async () => {
    const { text } = await generateText({
      model: openrouter('test/image'),
      messages: [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: PIXEL_URL }] }],
    });
    expect(text).toBe(`I see ${PIXEL_URL}`);
  });

  test('generates an object that follows a JSON schema', async () => {
    const schema = jsonSchema<{ city: string; country: string }>(CITY_SCHEMA);
    const { output } = await generateText({ ...ask('json-schema'), output: Output.object({ schema }) });
    expect(output).toEqual({ city: 'Paris', country: 'France' });
  });

  test('shows the reasoning, streamed and not', async () => {
    const request = ask('reasoning', { reasoning: { effort: 'high' } });
    const whole = await generateText(request);
    const streamed = streamText(request);
    await streamed.consumeStream();
    expect(whole).toMatchObject({ text: 'Thought with effort high.', reasoningText: 'First this, then that.' });
    expect(await streamed.reasoningText).toBe('First this, then that.');
    expect(whole.usage.outputTokenDetails.reasoningTokens).toBe(5);
  });

  test.each([
    ['bad-request', 400, /no such voice/],
    ['broken', 502, /Scripted/],
  ])('throws what the provider answered (%s)', async (name, statusCode, message) => {
    const failure = await failureOf(generateText(ask(name)));
    expect(APICallError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ statusCode, message: expect.stringMatching(message) });
  });

  test('throws a 429 with the wait that the provider asks for', async () => {
    expect(await failureOf(generateText(ask('rate-limited')))).toMatchObject({
      statusCode: 429,
      responseHeaders: { 'retry-after': '7' },
    });
  });

  test('throws a 400 that names the field, a 401 and a 404', async () => {
    const unknownKey = { ...ask('text'), model: providerWith('sk-gw-v1-unknown')('test/text') };
    const noEndpoint = ask('text', { provider: { only: ['nobody'] } });
    expect(await failureOf(generateText({ ...ask('text'), temperature: 3 }))).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('temperature'),
    });
    expect(await failureOf(generateText(unknownKey))).toMatchObject({ statusCode: 401 });
    expect(await failureOf(generateText(noEndpoint))).toMatchObject({ statusCode: 404 });
  });

  test.each(['error-event', 'cut'])('tells of a stream that breaks, after what came before (%s)', async (name) => {
    const parts = await readAll(streamText(ask(name)).fullStream);
    const text = parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');
    expect(text).toBe('Hello there, ');
    expect(parts.find(({ type }) => type === 'error')).toMatchObject({
      error: { message: expect.stringContaining('Scripted') },
    });
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' });
  });

  test.each(['hang', 'held'])('closes the call upstream when it is aborted (%s)', async (name) => {
    const leaving = new AbortController();
    const [call, record] = [conformance.upstream.nextCall(), conformance.nextRecord()];
    const reading = readAll(streamText({ ...ask(name), abortSignal: leaving.signal }).fullStream);
    const { closed } = await call;
    leaving.abort();
    expect((await reading).some(({ type }) => type === 'abort')).toBe(true);
    expect(await closed).toBe(false);
    expect((await record).generation).toMatchObject({ cancelled: true, streamed: true });
  });
});
