import { ChatAnthropic } from '@langchain/anthropic';
import { AIMessage, type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { readAll } from '../../support/async/read-all.ts';
import { CITY_SCHEMA, WEATHER_TOOL, weatherOf } from '../../support/clients/client-inputs.ts';
import { CLIENT_HOSTS } from '../../support/conformance/hosts.ts';
import { type Conformance, openConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY } from '../../support/gateways/test-gateway.ts';

const TEXT = 'Hello there, how are you? ☕ 你好';

/** LangChain's own models, each over another format of the gateway. */
const MODELS = {
  '/chat/completions': ({ apiUrl, fetch }: Conformance, model: string, apiKey: string) =>
    new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: { baseURL: apiUrl, fetch } }),
  '/responses': ({ apiUrl, fetch }: Conformance, model: string, apiKey: string) =>
    new ChatOpenAI({
      model,
      apiKey,
      maxRetries: 0,
      useResponsesApi: true,
      // It shows summaries alone, and does not know of these models that they reason.
      modelKwargs: { reasoning: { summary: 'auto' } },
      configuration: { baseURL: apiUrl, fetch },
    }),
  '/messages': ({ apiUrl, fetch }: Conformance, model: string, apiKey: string) =>
    new ChatAnthropic({
      model,
      apiKey,
      maxRetries: 0,
      maxTokens: 2000,
      anthropicApiUrl: apiUrl.replace(/\/v1$/, ''),
      clientOptions: { fetch },
    }),
} as const;
type ChatFormat = keyof typeof MODELS;

const cases = CLIENT_HOSTS.flatMap((host) => (Object.keys(MODELS) as ChatFormat[]).map((format) => ({ host, format })));

const HELLO = new HumanMessage('Hello!');

const joined = (chunks: readonly AIMessageChunk[]): string => chunks.map(({ text }) => text).join('');

describe.each(cases)('LangChain on $format of $host', ({ host, format }) => {
  let conformance: Conformance;

  const modelOf = (name: string, apiKey: string = TEST_KEY) => MODELS[format](conformance, `test/${name}`, apiKey);

  beforeAll(async () => {
    conformance = await openConformance(host);
  });
  afterEach(() => conformance.throwViolations());
  afterAll(() => conformance.close());

  test('completes a chat with its usage, streamed and not', async () => {
    const whole = await modelOf('text').invoke([HELLO]);
    expect(whole.text).toBe(TEXT);
    expect(whole.usage_metadata).toMatchObject({ output_tokens: 8, total_tokens: 20 });
    for (const name of ['text', 'trickle']) {
      const chunks = await readAll(await modelOf(name).stream([HELLO]));
      expect(joined(chunks)).toBe(TEXT);
      const all = chunks.reduce((before, chunk) => before.concat(chunk));
      // Of a stream of Anthropic's it reads the count of the prompt at the beginning, when no other upstream has told it.
      expect(all.usage_metadata).toMatchObject({
        output_tokens: 8,
        ...(format !== '/messages' && { total_tokens: 20 }),
      });
    }
  });

  test.each([
    ['tools', 'call_1: sunny in Paris'],
    ['parallel-tools', 'call_1: sunny in Paris; call_2: sunny in Oslo'],
  ])('calls tools and goes on from their results, streamed and not (%s)', async (name, expected) => {
    const model = modelOf(name).bindTools([WEATHER_TOOL]);
    const streamed = (await readAll(await model.stream([HELLO]))).reduce((before, chunk) => before.concat(chunk));
    for (const called of [await model.invoke([HELLO]), streamed]) {
      const calls = called.tool_calls ?? [];
      const results = calls.map(
        ({ id = '', args }) => new ToolMessage({ tool_call_id: id, content: weatherOf(JSON.stringify(args)) }),
      );
      const { text } = await model.invoke([HELLO, called, ...results]);
      expect(text).toBe(expected);
    }
  });

  test('goes on from calls that were made elsewhere', async () => {
    const model = modelOf('tools').bindTools([WEATHER_TOOL]);
    const called = new AIMessage({
      content: 'One moment.',
      tool_calls: [{ id: 'call_1', name: 'get_weather', args: { city: 'Paris' } }],
    });
    const result = new ToolMessage({ tool_call_id: 'call_1', content: 'sunny in Paris' });
    expect((await model.invoke([HELLO, called, result])).text).toBe('call_1: sunny in Paris');
  });

  test('completes with an object that follows a JSON schema', async () => {
    const structured = modelOf('json-schema').withStructuredOutput(CITY_SCHEMA, {
      name: 'place',
      method: 'jsonSchema',
    });
    expect(await structured.invoke([HELLO])).toEqual({ city: 'Paris', country: 'France' });
  });

  test('shows reasoning apart from the text, where the format has a place that it reads', async () => {
    const whole = await modelOf('reasoning').invoke([HELLO]);
    const streamed = (await readAll(await modelOf('reasoning').stream([HELLO]))).reduce((before, chunk) =>
      before.concat(chunk),
    );
    for (const message of [whole, streamed]) {
      const shown = message.contentBlocks.map((block) => (block.type === 'reasoning' ? block.reasoning : '')).join('');
      expect([shown, message.text]).toEqual([
        format === '/chat/completions' ? '' : 'First this, then that.',
        'Thought with effort unset.',
      ]);
    }
  });

  test('throws what the provider said, and a 401 for a key that is not known', async () => {
    const refused = await failureOf(modelOf('bad-request').invoke([HELLO]));
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('no such voice') });
    expect(await failureOf(modelOf('text', 'sk-gw-v1-unknown').invoke([HELLO]))).toMatchObject({ status: 401 });
  });

  test.each(['error-event', 'cut'])('never takes a stream that breaks for a completion (%s)', async (name) => {
    const chunks: AIMessageChunk[] = [];
    const reading = async (): Promise<void> => {
      for await (const chunk of await modelOf(name).stream([HELLO])) chunks.push(chunk);
    };
    // It passes over the event of a response that has failed, and gives back what came before without a status.
    if (format === '/responses') {
      await reading();
      expect(chunks.some(({ response_metadata: told }) => told['status'] === 'completed')).toBe(false);
    } else expect(await failureOf(reading())).toMatchObject({ message: expect.stringContaining('Scripted') });
    expect(joined(chunks)).toBe('Hello there, ');
  });
});
