import { type ChatRequest, type ChatResponse, Ollama, type Tool } from 'ollama';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { readAll } from '../../support/async/read-all.ts';
import { PIXEL_URL } from '../../support/clients/client-inputs.ts';
import { CLIENT_HOSTS } from '../../support/conformance/hosts.ts';
import { type Conformance, openConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../../support/gateways/test-gateway.ts';
import { chunkings } from '../../support/upstreams/chunkings.ts';

const TEXT = 'Hello there, how are you? ☕ 你好';

const WEATHER: Tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Tells the weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** Its overloads tell by `stream` what is returned. */
type Asked = Omit<ChatRequest, 'stream'>;

const ask = (name: string, content = 'Hello!'): Asked => ({
  model: `test/${name}`,
  messages: [{ role: 'user', content }],
});

/** What the lines of a stream say together, with the figures of the last. */
function join(lines: readonly ChatResponse[]): ChatResponse {
  const last = lines.at(-1) as ChatResponse;
  const said = lines.map(({ message }) => message);
  const calls = said.flatMap(({ tool_calls: made = [] }) => made);
  const thinking = said.map((message) => message.thinking ?? '').join('');
  return {
    ...last,
    message: {
      role: 'assistant',
      content: said.map(({ content }) => content).join(''),
      ...(thinking !== '' && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  };
}

describe.each(CLIENT_HOSTS)('the Ollama client on %s', (kind) => {
  let conformance: Conformance;
  let client: Ollama;

  /** `OLLAMA_HOST` is the mount itself. */
  const clientWith = (key: string | null, given: typeof fetch = conformance.fetch): Ollama =>
    new Ollama({
      host: conformance.apiUrl.replace(/\/api\/v1$/, ''),
      fetch: given,
      ...(key !== null && { headers: { Authorization: `Bearer ${key}` } }),
    });

  beforeAll(async () => {
    conformance = await openConformance(kind);
    client = clientWith(TEST_KEY);
  });
  afterEach(() => conformance.throwViolations());
  afterAll(() => conformance.close());

  test('chats with its figures, and the record says in which format', async () => {
    const recorded = conformance.nextRecord();
    const response = await client.chat(ask('text'));
    expect(response).toMatchObject({
      model: 'test/text',
      message: { role: 'assistant', content: TEXT },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 12,
      eval_count: 8,
    });
    expect(response.prompt_eval_duration + response.eval_duration).toBe(response.total_duration);
    expect((await recorded).generation).toMatchObject({ model: 'test/text', streamed: false });
  });

  test.each(['text', 'trickle'])('streams a chat, in any chunking (%s)', async (name) => {
    for (const at of [0, 1, 2]) {
      const streaming = await clientWith(TEST_KEY, cutBy(conformance.fetch, at)).chat({ ...ask(name), stream: true });
      const lines = await readAll(streaming);
      expect(lines.map(({ done }) => done)).toEqual([...lines.slice(1).map(() => false), true]);
      expect(join(lines)).toMatchObject({
        message: { role: 'assistant', content: TEXT },
        done_reason: 'stop',
        prompt_eval_count: 12,
        eval_count: 8,
      });
    }
  });

  test('streams a chat that does not say whether it wants a stream', async () => {
    const response = await conformance.fetch(`${conformance.apiUrl.replace(/\/v1$/, '')}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(ask('text')),
    });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect((await response.text()).trimEnd().split('\n').length).toBeGreaterThan(3);
  });

  test('names a model by its tag :latest, and with a variant of the gateway', async () => {
    for (const model of ['test/text:latest', 'test/text:nitro', 'test/text:nitro:latest']) {
      expect((await client.chat({ ...ask('text'), model })).model).toBe('test/text');
    }
  });

  test.each([
    ['tools', 'call_1: sunny in Paris'],
    ['parallel-tools', 'call_1: sunny in Paris; call_2: sunny in Oslo'],
  ])('runs tools and goes on from their results, streamed and not (%s)', async (name, expected) => {
    const request = { ...ask(name), tools: [WEATHER] };
    const streaming = async (asked: Asked) => join(await readAll(await client.chat({ ...asked, stream: true })));
    for (const chat of [(asked: Asked) => client.chat({ ...asked, stream: false }), streaming]) {
      const { message, done_reason } = await chat(request);
      expect(done_reason).toBe('stop');
      const results = (message.tool_calls ?? []).map(({ function: called }) => ({
        role: 'tool',
        tool_name: called.name,
        content: `sunny in ${String(called.arguments['city'])}`,
      }));
      const end = await chat({ ...request, messages: [...(request.messages ?? []), message, ...results] });
      expect(end.message.content).toBe(expected);
    }
  });

  test('sends an image with what it is', async () => {
    const images = [PIXEL_URL.split(',')[1] ?? ''];
    const messages = [{ role: 'user', content: 'What is this?', images }];
    expect((await client.chat({ model: 'test/image', messages })).message.content).toBe(`I see ${PIXEL_URL}`);
    const generated = await client.generate({ model: 'test/image', prompt: 'What is this?', images });
    expect(generated.response).toBe(`I see ${PIXEL_URL}`);
  });

  test('gets an output that follows a JSON schema', async () => {
    const format = { type: 'object', properties: { city: { type: 'string' } } };
    const { message } = await client.chat({ ...ask('json-schema'), format });
    expect(JSON.parse(message.content)).toEqual({ city: 'Paris', country: 'France' });
  });

  test('gets the thinking apart from the text, streamed and not', async () => {
    const request = { ...ask('reasoning'), think: 'high' as const };
    const whole = await client.chat(request);
    const streamed = join(await readAll(await client.chat({ ...request, stream: true })));
    for (const { message } of [whole, streamed]) {
      expect(message).toEqual({
        role: 'assistant',
        thinking: 'First this, then that.',
        content: 'Thought with effort high.',
      });
    }
  });

  test('completes a prompt, streamed and not', async () => {
    const request = { model: 'test/text', prompt: 'Hello!', system: 'Be brief.', options: { num_ctx: 4096 } };
    const whole = await client.generate(request);
    expect(whole).toMatchObject({ response: TEXT, done: true, done_reason: 'stop', eval_count: 8 });
    const lines = await readAll(await client.generate({ ...request, stream: true }));
    expect(lines.map(({ response }) => response).join('')).toBe(TEXT);
    expect(lines.at(-1)).toMatchObject({ done: true, done_reason: 'stop', eval_count: 8 });
  });

  test('loads and unloads a model without a call', async () => {
    const { calls } = conformance.upstream;
    const before = calls.length;
    expect(await client.chat({ model: 'test/text' })).toMatchObject({ done_reason: 'load' });
    expect(await client.generate({ model: 'test/text', prompt: '', keep_alive: 0 })).toMatchObject({
      response: '',
      done_reason: 'unload',
    });
    expect(calls).toHaveLength(before);
  });

  test('lists and shows the models that the caller may use', async () => {
    const { models } = await client.list();
    expect(models.map(({ name }) => name)).toContain('test/text');
    const shown = await client.show({ model: 'test/text:latest' });
    expect(shown.capabilities).toEqual(['completion', 'tools', 'vision']);
    expect(shown.model_info).toMatchObject({ 'general.architecture': 'test', 'test.context_length': 32_768 });
    expect((await client.ps()).models).toEqual([]);
    expect((await client.version()).version).toMatch(/^\d+\./);
  });

  test('closes the call upstream when a stream is aborted', async () => {
    const [call, record] = [conformance.upstream.nextCall(), conformance.nextRecord()];
    const streaming = await client.chat({ ...ask('held'), stream: true });
    const reading = failureOf(readAll(streaming));
    const { closed } = await call;
    streaming.abort();
    expect(await reading).toMatchObject({ name: 'AbortError' });
    expect(await closed).toBe(false);
    expect((await record).generation).toMatchObject({ cancelled: true, streamed: true });
  });

  test('throws what the gateway says, with its status', async () => {
    const failures = await Promise.all([
      failureOf(client.chat(ask('no-such-model'))),
      failureOf(client.chat({ ...ask('no-such-model'), stream: true })),
      failureOf(client.show({ model: 'test/no-such-model' })),
      failureOf(client.chat({ model: 'test/no-such-model' })),
      failureOf(clientWith(null).chat(ask('text'))),
      failureOf(clientWith('sk-gw-v1-unknown').list()),
      failureOf(clientWith(TEST_MANAGEMENT_KEY).chat(ask('text'))),
      failureOf(client.chat(ask('rate-limited'))),
      failureOf(client.chat({ ...ask('text'), options: { temperature: 9 } })),
      failureOf(client.generate({ model: 'test/text', prompt: 'a', suffix: 'b' })),
      failureOf(client.pull({ model: 'llama3.2' })),
      failureOf(client.delete({ model: 'test/text' })),
    ]);
    expect(failures.map((failure) => (failure as { status_code: number }).status_code)).toEqual([
      404, 404, 404, 404, 401, 401, 403, 429, 400, 400, 400, 400,
    ]);
    expect(failures.map(String).slice(-4)).toEqual([
      expect.stringContaining('options.temperature'),
      expect.stringContaining('suffix: is not supported'),
      expect.stringContaining('models are set up in the gateway'),
      expect.stringContaining('models are set up in the gateway'),
    ]);
  });

  test.each(['cut', 'error-event'])('throws when a stream breaks, after what came before (%s)', async (name) => {
    const streaming = await client.chat({ ...ask(name), stream: true });
    const pieces: string[] = [];
    const reading = (async () => {
      for await (const { message } of streaming) pieces.push(message.content);
    })();
    expect(String(await failureOf(reading))).toMatch(/Scripted|server/);
    expect(pieces.join('')).toBe('Hello there, ');
  });
});

/** Hands over a body in one of the three chunkings. */
function cutBy(given: typeof fetch, at: number): typeof fetch {
  return async (input, init) => {
    const response = await given(input, init);
    const pieces = await readAll(response.body as ReadableStream<Uint8Array>);
    const cut = chunkings(pieces)[at]?.[1] ?? [];
    const { status, headers } = response;
    return new Response(ReadableStream.from(cut) as ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers });
  };
}
