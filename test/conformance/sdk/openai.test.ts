import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { readAll } from '../../support/async/read-all.ts';
import { CITY_SCHEMA, PIXEL_URL, WEATHER_TOOL, weatherOf } from '../../support/clients/client-inputs.ts';
import { CLIENT_HOSTS } from '../../support/conformance/hosts.ts';
import { type Conformance, openConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY, UPSTREAM_KEY } from '../../support/gateways/test-gateway.ts';

type Message = OpenAI.ChatCompletionMessageParam;

const HELLO: Message[] = [{ role: 'user', content: 'Hello!' }];
const TEXT = 'Hello there, how are you? ☕ 你好';

describe.each(CLIENT_HOSTS)('the openai client on %s', (kind) => {
  let conformance: Conformance;
  let client: OpenAI;

  const clientWith = (apiKey: string): OpenAI =>
    new OpenAI({ apiKey, baseURL: conformance.apiUrl, fetch: conformance.fetch, maxRetries: 0 });

  beforeAll(async () => {
    conformance = await openConformance(kind);
    client = clientWith(TEST_KEY);
  });
  afterEach(() => conformance.throwViolations());
  afterAll(() => conformance.close());

  test('gets a response with its usage', async () => {
    const result = await client.chat.completions.create({ model: 'test/text', messages: HELLO });
    expect(result.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant', content: TEXT } });
    expect(result.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 8, total_tokens: 20, cost: 0.000026 });
    expect(result.model).toBe('test/text');
  });

  test.each(['text', 'trickle'])('streams the text whole and the usage once (%s)', async (name) => {
    const stream = await client.chat.completions.create({ model: `test/${name}`, messages: HELLO, stream: true });
    const chunks = await readAll(stream);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(TEXT);
    expect(chunks.flatMap(({ usage }) => usage ?? [])).toMatchObject([{ prompt_tokens: 12, completion_tokens: 8 }]);
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(['stop']);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  test.each(['tools', 'parallel-tools'])('calls tools and answers from their results (%s)', async (name) => {
    const request = { model: `test/${name}`, tools: [WEATHER_TOOL] };
    const called = await client.chat.completions.create({ ...request, messages: HELLO });
    expect(called.choices[0]?.finish_reason).toBe('tool_calls');
    const completion = await client.chat.completions.create({ ...request, messages: toFollowUp(called) });
    expect(completion.choices[0]?.message.content).toBe(
      name === 'tools' ? 'call_1: sunny in Paris' : 'call_1: sunny in Paris; call_2: sunny in Oslo',
    );
  });

  test.each(['tools', 'parallel-tools'])('puts streamed tool calls together as they were meant (%s)', async (name) => {
    const request = { model: `test/${name}`, tools: [WEATHER_TOOL] };
    const called = await client.chat.completions.stream({ ...request, messages: HELLO }).finalChatCompletion();
    const completion = await client.chat.completions
      .stream({ ...request, messages: toFollowUp(called) })
      .finalChatCompletion();
    expect(called.choices[0]?.finish_reason).toBe('tool_calls');
    expect(completion.choices[0]?.message.content).toBe(
      name === 'tools' ? 'call_1: sunny in Paris' : 'call_1: sunny in Paris; call_2: sunny in Oslo',
    );
  });

  test('asks for a voice, and hears it streamed and not', async () => {
    const request = {
      model: 'test/speech',
      messages: HELLO,
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
    } satisfies OpenAI.ChatCompletionCreateParamsNonStreaming;
    const whole = await client.chat.completions.create(request);
    expect(whole.choices[0]?.message).toMatchObject({
      content: null,
      audio: { id: 'audio_1', data: 'UklGRg==', transcript: 'Good morning from alloy' },
    });
    const chunks = await readAll(await client.chat.completions.create({ ...request, stream: true }));
    const pieces = chunks.map(({ choices }) => choices[0]?.delta.audio);
    expect(pieces.map((audio) => audio?.transcript ?? '').join('')).toBe('Good morning from alloy');
    expect(pieces.flatMap((audio) => audio?.data ?? [])).toEqual(['UklGRg==']);
  });

  test.each([
    ['n', { n: 2 }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['function_call', { function_call: 'auto' as const }],
  ])('throws a 400 that says what to do instead of %s', async (field, asked) => {
    const request = client.chat.completions.create({ model: 'test/text', messages: HELLO, ...asked });
    expect(await failureOf(request)).toMatchObject({ status: 400, message: expect.stringContaining(field) });
  });

  test('sends an image unchanged', async () => {
    const content: OpenAI.ChatCompletionContentPart[] = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: PIXEL_URL } },
    ];
    const result = await client.chat.completions.create({ model: 'test/image', messages: [{ role: 'user', content }] });
    expect(result.choices[0]?.message.content).toBe(`I see ${PIXEL_URL}`);
  });

  test('parses a response that follows a JSON schema', async () => {
    const result = await client.chat.completions.parse({
      model: 'test/json-schema',
      messages: HELLO,
      response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true, schema: CITY_SCHEMA } },
    });
    expect(JSON.parse(result.choices[0]?.message.content ?? '')).toEqual({ city: 'Paris', country: 'France' });
  });

  test('sends the reasoning effort and shows the reasoning', async () => {
    const result = await client.chat.completions.create({
      model: 'test/reasoning',
      messages: HELLO,
      reasoning_effort: 'high',
    });
    expect(result.choices[0]?.message).toMatchObject({
      content: 'Thought with effort high.',
      reasoning: 'First this, then that.',
    });
    expect(result.usage?.completion_tokens_details?.reasoning_tokens).toBe(5);
  });

  test('shows a refusal, streamed and not', async () => {
    const request = { model: 'test/refusal', messages: HELLO };
    const whole = await client.chat.completions.create(request);
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    expect(whole.choices[0]?.message).toMatchObject({ content: null, refusal: 'I cannot help with that.' });
    expect(streamed.choices[0]?.message.refusal).toBe('I cannot help with that.');
  });

  test('throws a 400 that names the field', async () => {
    const failure = await failureOf(
      client.chat.completions.create({ model: 'test/text', messages: HELLO, temperature: 3 }),
    );
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure).toMatchObject({
      message: expect.stringContaining('temperature'),
      error: { metadata: { issues: [{ path: 'temperature' }] } },
    });
  });

  test('throws the 400 of the provider with its reason', async () => {
    const failure = await failureOf(client.chat.completions.create({ model: 'test/bad-request', messages: HELLO }));
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure).toMatchObject({ message: expect.stringContaining('This model has no such voice') });
  });

  test('throws a 401 for an unknown key, and a 403 for one that may not call models', async () => {
    const request = { model: 'test/text', messages: HELLO };
    const unknown = await failureOf(clientWith('sk-gw-v1-unknown').chat.completions.create(request));
    const management = await failureOf(clientWith(TEST_MANAGEMENT_KEY).chat.completions.create(request));
    expect(unknown).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(management).toBeInstanceOf(OpenAI.PermissionDeniedError);
  });

  test('throws a 404 when the preferences leave no endpoint', async () => {
    const request = { model: 'test/text', messages: HELLO, provider: { only: ['nobody'] } };
    expect(await failureOf(client.chat.completions.create(request))).toBeInstanceOf(OpenAI.NotFoundError);
  });

  test.each([false, true])('throws a 429 with the wait that the provider asks for (stream: %s)', async (stream) => {
    const failure = await failureOf(
      client.chat.completions.create({ model: 'test/rate-limited', messages: HELLO, stream }),
    );
    expect(failure).toBeInstanceOf(OpenAI.RateLimitError);
    expect((failure as InstanceType<typeof OpenAI.RateLimitError>).headers?.get('retry-after')).toBe('7');
  });

  test('throws a 502 for a provider that refuses the key of the gateway, and never shows that key', async () => {
    const failure = await failureOf(client.chat.completions.create({ model: 'test/unauthorized', messages: HELLO }));
    expect(failure).toMatchObject({ status: 502 });
    expect(JSON.stringify([failure, (failure as Error).message])).not.toContain(UPSTREAM_KEY);
  });

  test.each(['error-event', 'cut'])('throws in the middle of a stream that breaks (%s)', async (name) => {
    const stream = await client.chat.completions.create({ model: `test/${name}`, messages: HELLO, stream: true });
    let text = '';
    const reading = (async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    })();
    expect(await failureOf(reading)).toBeInstanceOf(OpenAI.APIError);
    expect(text).toBe('Hello there, ');
  });

  test.each([
    { name: 'hang', stream: false },
    { name: 'hang', stream: true },
  ])('closes the call upstream when it gives up before the response (stream: $stream)', async ({ name, stream }) => {
    const leaving = new AbortController();
    const [call, record] = [conformance.upstream.nextCall(), conformance.nextRecord()];
    const pending = failureOf(
      client.chat.completions.create({ model: `test/${name}`, messages: HELLO, stream }, { signal: leaving.signal }),
    );
    const { closed } = await call;
    leaving.abort();
    expect(await pending).toBeInstanceOf(OpenAI.APIUserAbortError);
    expect(await closed).toBe(false);
    expect((await record).generation).toMatchObject({ cancelled: true, finish_reason: null, streamed: stream });
  });

  test('closes the call upstream when it stops reading, and what was said is recorded as cancelled', async () => {
    const [call, record] = [conformance.upstream.nextCall(), conformance.nextRecord()];
    const stream = await client.chat.completions.create({ model: 'test/held', messages: HELLO, stream: true });
    let text = '';
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? '';
      if (text === 'Hello there, ') break;
    }
    expect(await (await call).closed).toBe(false);
    const { generation } = await record;
    expect(generation).toMatchObject({ cancelled: true, streamed: true, model: 'test/held' });
    const headers = { authorization: `Bearer ${TEST_KEY}` };
    const content = await conformance.fetch(`${conformance.apiUrl}/generation/content?id=${generation.id}`, {
      headers,
    });
    expect(await content.json()).toMatchObject({ data: { output: { completion: 'Hello there, ' } } });
  });

  test('lists the models', async () => {
    const models = await readAll(client.models.list());
    expect(models.map(({ id }) => id)).toContain('test/parallel-tools');
  });
});

/** The conversation after the tools have been run. */
function toFollowUp({ choices }: OpenAI.ChatCompletion): Message[] {
  const message = choices[0]?.message;
  if (message === undefined) throw new Error('there is no choice');
  const results = (message.tool_calls ?? []).map((call): Message => {
    if (call.type !== 'function') throw new Error(`a tool call of type ${call.type}`);
    return { role: 'tool', tool_call_id: call.id, content: weatherOf(call.function.arguments) };
  });
  return [...HELLO, message, ...results];
}
