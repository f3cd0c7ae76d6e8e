import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, isStepCount, jsonSchema, type LanguageModel, Output, streamText, tool } from 'ai';
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

/** The AI SDK's own providers, each with the address of its format at the gateway. */
const PROVIDERS: Readonly<Record<string, (at: Conformance, apiKey: string) => (model: string) => LanguageModel>> = {
  Anthropic: ({ apiUrl, fetch }, apiKey) => createAnthropic({ apiKey, baseURL: apiUrl, fetch }),
  OpenAI: ({ apiUrl, fetch }, apiKey) => createOpenAI({ apiKey, baseURL: apiUrl, fetch }),
};

const cases = CLIENT_HOSTS.flatMap((host) => Object.keys(PROVIDERS).map((provider) => ({ host, provider })));

describe.each(cases)('the $provider provider of the AI SDK on $host', ({ host, provider }) => {
  let conformance: Conformance;

  const ask = (name: string, apiKey = TEST_KEY): Parameters<typeof streamText>[0] => ({
    model: (PROVIDERS[provider] as (typeof PROVIDERS)[string])(conformance, apiKey)(`test/${name}`),
    prompt: 'Hello!',
    maxRetries: 0,
    onError: () => undefined,
  });

  beforeAll(async () => {
    conformance = await openConformance(host);
  });
  afterEach(() => conformance.throwViolations());
  afterAll(() => conformance.close());

  test('generates text with its usage, streamed and not', async () => {
    const whole = await generateText(ask('text'));
    expect(whole).toMatchObject({ text: TEXT, finishReason: 'stop' });
    expect(whole.usage).toMatchObject({ inputTokens: 12, outputTokens: 8 });
    for (const name of ['text', 'trickle']) {
      const streamed = streamText(ask(name));
      expect((await readAll(streamed.textStream)).join('')).toBe(TEXT);
      expect(await streamed.usage).toMatchObject({ inputTokens: 12, outputTokens: 8 });
    }
  });

  test.each([
    ['tools', 'call_1: sunny in Paris'],
    ['parallel-tools', 'call_1: sunny in Paris; call_2: sunny in Oslo'],
  ])('runs tools and goes on from their results, streamed and not (%s)', async (name, expected) => {
    const request = { ...ask(name), tools: { get_weather: WEATHER }, stopWhen: isStepCount(2) };
    const whole = await generateText(request);
    const streamed = streamText(request);
    await streamed.consumeStream();
    expect([whole.text, await streamed.text]).toEqual([expected, expected]);
  });

  test('keeps reasoning apart from the text, streamed and not', async () => {
    // The OpenAI provider shows summaries alone, and does not know of this model that it reasons.
    const openai = { reasoningSummary: 'auto', forceReasoning: true };
    const request = { ...ask('reasoning'), providerOptions: { openai } };
    const whole = await generateText(request);
    const streamed = streamText(request);
    await streamed.consumeStream();
    const shown = 'First this, then that.';
    expect([whole.reasoningText, await streamed.reasoningText]).toEqual([shown, shown]);
    expect([whole.text, await streamed.text]).toEqual(Array.from({ length: 2 }, () => 'Thought with effort unset.'));
  });

  test('sends an image unchanged', async () => {
    const { text } = await generateText({
      model: ask('image').model,
      messages: [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: PIXEL_URL }] }],
    });
    expect(text).toBe(`I see ${PIXEL_URL}`);
  });

  test('generates an object that follows a JSON schema', async () => {
    const schema = jsonSchema<{ city: string; country: string }>(CITY_SCHEMA);
    // Of a model that it does not know, the Anthropic provider assumes that it follows no schema.
    const providerOptions = { anthropic: { structuredOutputMode: 'outputFormat' } };
    const output = Output.object({ schema });
    const result = await generateText({ ...ask('json-schema'), output, providerOptions });
    expect(result.output).toEqual({ city: 'Paris', country: 'France' });
  });

  test.each([
    ['bad-request', 400, /no such voice/],
    ['broken', 502, /Scripted/],
    ['no-such-model', provider === 'Anthropic' ? 404 : 400, /no-such-model/],
  ])('throws what the provider said (%s)', async (name, statusCode, message) => {
    const failure = await failureOf(generateText(ask(name)));
    expect(APICallError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ statusCode, message: expect.stringMatching(message) });
  });

  test('throws a 401 for a key that is not known', async () => {
    expect(await failureOf(generateText(ask('text', 'sk-gw-v1-unknown')))).toMatchObject({ statusCode: 401 });
  });

  test.each(['error-event', 'cut'])('tells of a stream that breaks, after what came before (%s)', async (name) => {
    const parts = await readAll(streamText(ask(name)).fullStream);
    const text = parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');
    expect(text).toBe('Hello there, ');
    expect(JSON.stringify(parts.find(({ type }) => type === 'error'))).toContain('Scripted');
  });
});
