import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { readAll } from '../../support/async/read-all.ts';
import { PIXEL_URL } from '../../support/clients/client-inputs.ts';
import { CLIENT_HOSTS } from '../../support/conformance/hosts.ts';
import { type Conformance, openConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY } from '../../support/gateways/test-gateway.ts';

const TEXT = 'Hello there, how are you? ☕ 你好';

const WEATHER: Anthropic.Tool = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const RUNNABLE_WEATHER = betaTool({
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const,
  run: ({ city }) => `sunny in ${city}`,
});

const ask = (name: string, content: Anthropic.MessageParam['content'] = 'Hello!') => ({
  model: `test/${name}`,
  max_tokens: 2000,
  messages: [{ role: 'user' as const, content }],
});

const textOf = (message: Pick<Anthropic.Message, 'content'>): string =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

describe.each(CLIENT_HOSTS)('the Anthropic client on %s', (kind) => {
  let conformance: Conformance;
  let client: Anthropic;

  /** The client puts `/v1/messages` behind the address itself. */
  const clientWith = (keys: { apiKey: string | null; authToken?: string }): Anthropic =>
    new Anthropic({
      authToken: null,
      ...keys,
      baseURL: conformance.apiUrl.replace(/\/v1$/, ''),
      fetch: conformance.fetch,
      maxRetries: 0,
    });

  beforeAll(async () => {
    conformance = await openConformance(kind);
    client = clientWith({ apiKey: TEST_KEY });
  });
  afterEach(() => conformance.throwViolations());
  afterAll(() => conformance.close());

  test('creates a message with its usage, with a key in either header', async () => {
    for (const own of [client, clientWith({ apiKey: null, authToken: TEST_KEY })]) {
      const message = await own.messages.create(ask('text'));
      expect(message).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn' });
      expect(textOf(message)).toBe(TEXT);
      expect(message.usage).toMatchObject({ input_tokens: 8, cache_read_input_tokens: 4, output_tokens: 8 });
    }
  });

  test.each(['text', 'trickle'])('streams a message that the stream helper puts together (%s)', async (name) => {
    const stream = client.messages.stream(ask(name));
    const pieces: string[] = [];
    stream.on('text', (piece) => pieces.push(piece));
    const message = await stream.finalMessage();
    expect([pieces.join(''), textOf(message)]).toEqual([TEXT, TEXT]);
    expect(message).toMatchObject({ stop_reason: 'end_turn', usage: { output_tokens: 8 } });
  });

  test('streams thinking before the text, without losing the first piece of either', async () => {
    const request = { ...ask('reasoning'), thinking: { type: 'enabled' as const, budget_tokens: 1024 } };
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    for (const message of [whole, streamed]) {
      expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
      expect(message.content[0]).toMatchObject({ thinking: 'First this, then that.' });
      expect(textOf(message)).toMatch(/^Thought with effort /);
    }
  });

  test.each([
    ['tools', 'call_1: sunny in Paris'],
    ['parallel-tools', 'call_1: sunny in Paris; call_2: sunny in Oslo'],
  ])('runs tools with the tool runner, streamed and not (%s)', async (name, expected) => {
    const request = { ...ask(name), tools: [RUNNABLE_WEATHER] };
    const whole = await client.beta.messages.toolRunner(request);
    expect(textOf(whole as Anthropic.Message)).toBe(expected);

    const streamed = client.beta.messages.toolRunner({ ...request, stream: true });
    const messages = await Promise.all((await readAll(streamed)).map((stream) => stream.finalMessage()));
    expect(messages.map(({ stop_reason }) => stop_reason)).toEqual(['tool_use', 'end_turn']);
    expect(textOf(messages.at(-1) as Anthropic.Message)).toBe(expected);
  });

  test('gets the input of a tool piece by piece, and as the object it is', async () => {
    const stream = client.messages.stream({ ...ask('tools'), tools: [WEATHER] });
    const pieces: string[] = [];
    stream.on('inputJson', (piece) => pieces.push(piece));
    const { content } = await stream.finalMessage();
    expect(JSON.parse(pieces.join(''))).toEqual({ city: 'Paris' });
    expect(content).toMatchObject([{ type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } }]);
  });

  test('sends an image unchanged', async () => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: PIXEL_URL.split(',')[1] ?? '' };
    const message = await client.messages.create(ask('image', [{ type: 'image', source }]));
    expect(textOf(message)).toBe(`I see ${PIXEL_URL}`);
  });

  test('parses an output that follows a JSON schema', async () => {
    const format = { type: 'json_schema' as const, schema: { type: 'object', properties: {} } };
    const message = await client.messages.parse({ ...ask('json-schema'), output_config: { format } });
    expect(JSON.parse(textOf(message))).toEqual({ city: 'Paris', country: 'France' });
  });

  test('counts tokens', async () => {
    const { model, messages } = ask('text');
    expect((await client.messages.countTokens({ model, messages })).input_tokens).toBeGreaterThan(0);
  });

  test('throws the error class of each status, with what the provider said', async () => {
    const unknown = clientWith({ apiKey: 'sk-gw-v1-unknown' });
    const failures = await Promise.all([
      failureOf(client.messages.create(ask('bad-request'))),
      failureOf(unknown.messages.create(ask('text'))),
      failureOf(client.messages.create(ask('no-such-model'))),
      failureOf(client.messages.create(ask('rate-limited'))),
      failureOf(client.messages.create({ ...ask('text'), max_tokens: -1 })),
    ]);
    expect(failures.map((failure) => (failure as object).constructor)).toEqual([
      Anthropic.BadRequestError,
      Anthropic.AuthenticationError,
      Anthropic.NotFoundError,
      Anthropic.RateLimitError,
      Anthropic.BadRequestError,
    ]);
    expect(failures[0]).toMatchObject({ status: 400, message: expect.stringContaining('no such voice') });
    expect((failures[3] as InstanceType<typeof Anthropic.RateLimitError>).headers.get('retry-after')).toBe('7');
    expect(failures[4]).toMatchObject({ message: expect.stringContaining('max_tokens') });
  });

  test.each(['error-event', 'cut'])('throws when a stream breaks, after what came before (%s)', async (name) => {
    const stream = client.messages.stream(ask(name));
    const pieces: string[] = [];
    stream.on('text', (piece) => pieces.push(piece));
    expect(await failureOf(stream.finalMessage())).toBeInstanceOf(Anthropic.APIError);
    expect(pieces.join('')).toBe('Hello there, ');
  });

  test('closes the call upstream when it is aborted', async () => {
    const [call, record] = [conformance.upstream.nextCall(), conformance.nextRecord()];
    const stream = client.messages.stream(ask('held'));
    const reading = failureOf(stream.finalMessage());
    const { closed } = await call;
    stream.abort();
    expect(await reading).toBeInstanceOf(Anthropic.APIUserAbortError);
    expect(await closed).toBe(false);
    expect((await record).generation).toMatchObject({ cancelled: true, streamed: true });
  });
});
