import {
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { readAll } from '../../support/async/read-all.ts';
import { PIXEL_URL } from '../../support/clients/client-inputs.ts';
import { CLIENT_HOSTS } from '../../support/conformance/hosts.ts';
import { type Conformance, openConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../../support/gateways/test-gateway.ts';
import { chunkings } from '../../support/upstreams/chunkings.ts';

const TEXT = 'Hello there, how are you? ☕ 你好';

const WEATHER = {
  functionDeclarations: [
    {
      name: 'get_weather',
      description: 'Tells the weather of a city.',
      parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
};

const ask = (name: string, text = 'Hello!') => ({
  model: `test/${name}`,
  contents: [{ role: 'user', parts: [{ text }] }] as Content[],
});

const partsOf = (responses: readonly GenerateContentResponse[]): Part[] =>
  responses.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);

const textOf = (responses: readonly GenerateContentResponse[]): string =>
  partsOf(responses)
    .map(({ text, thought }) => (thought === true ? '' : (text ?? '')))
    .join('');

describe.each(CLIENT_HOSTS)('@google/genai on %s', (kind) => {
  let conformance: Conformance;
  let client: GoogleGenAI;

  /** Its address is the mount itself. */
  const mountUrl = (): string => conformance.apiUrl.replace(/\/api\/v1$/, '');
  const clientWith = (apiKey: string, given: typeof fetch = conformance.fetch): GoogleGenAI =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: mountUrl(), fetch: given } });

  beforeAll(async () => {
    conformance = await openConformance(kind);
    client = clientWith(TEST_KEY);
  });
  afterEach(() => conformance.throwViolations());
  afterAll(() => conformance.close());

  test('generates content with its counts, and the record says with which model', async () => {
    const recorded = conformance.nextRecord();
    const response = await client.models.generateContent(ask('text'));
    expect(response.text).toBe(TEXT);
    expect(response).toMatchObject({
      candidates: [{ finishReason: 'STOP', index: 0, content: { role: 'model' } }],
      modelVersion: 'test/text',
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 8, totalTokenCount: 20 },
    });
    expect((await recorded).generation).toMatchObject({
      id: response.responseId,
      model: 'test/text',
      streamed: false,
    });
  });

  test.each(['text', 'trickle'])('streams content, in any chunking (%s)', async (name) => {
    for (const at of [0, 1, 2]) {
      const { models } = clientWith(TEST_KEY, cutBy(conformance.fetch, at));
      const events = await readAll(await models.generateContentStream(ask(name)));
      expect(textOf(events)).toBe(TEXT);
      expect(events.map(({ candidates }) => candidates?.[0]?.finishReason)).toEqual([
        ...events.slice(1).map(() => undefined),
        'STOP',
      ]);
      expect(events.at(-1)?.usageMetadata).toMatchObject({ promptTokenCount: 12, candidatesTokenCount: 8 });
    }
  });

  test('streams one list to a client that does not ask for events', async () => {
    const response = await conformance.fetch(`${mountUrl()}/v1beta/models/test/text:streamGenerateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': TEST_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ contents: ask('text').contents }),
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    const items = (await response.json()) as GenerateContentResponse[];
    expect(items.length).toBeGreaterThan(3);
    expect(textOf(items)).toBe(TEXT);
  });

  test.each([
    ['the slash encoded', 'v1beta/models/test%2Ftext:generateContent', 'x-goog-api-key'],
    ['the stable version', 'v1/models/test/text:generateContent', 'x-goog-api-key'],
    ['a variant of the model', 'v1beta/models/test/text:nitro:generateContent', 'authorization'],
    ['the key in the address', `v1beta/models/test/text:generateContent?key=${TEST_KEY}`, null],
    ['names of the protocol', 'v1beta/models/test/text:generateContent', 'authorization'],
  ])('takes a request with %s', async (_, path, header) => {
    const response = await conformance.fetch(`${mountUrl()}/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(header !== null && { [header]: header === 'authorization' ? `Bearer ${TEST_KEY}` : TEST_KEY }),
      },
      body: JSON.stringify({
        contents: ask('text').contents,
        system_instruction: { parts: [{ text: 'Be brief.' }] },
        generation_config: { max_output_tokens: 50 },
      }),
    });
    expect(textOf([(await response.json()) as GenerateContentResponse])).toBe(TEXT);
    expect(conformance.upstream.calls.at(-1)?.body).toMatchObject({
      max_tokens: 50,
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
    });
  });

  test.each([
    ['tools', 'sunny in Paris'],
    ['parallel-tools', 'sunny in Paris; '],
  ])('calls functions and goes on from their results, streamed and not (%s)', async (name, expected) => {
    const { contents, ...request } = { ...ask(name), config: { tools: [WEATHER] } };
    const whole = async (asked: Content[]) => [await client.models.generateContent({ ...request, contents: asked })];
    const streamed = async (asked: Content[]) =>
      readAll(await client.models.generateContentStream({ ...request, contents: asked }));
    for (const generate of [whole, streamed]) {
      const responses = await generate(contents);
      expect(responses.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
      const calls = responses.flatMap(({ functionCalls = [] }) => functionCalls);
      expect(calls.map((call) => call.name)).toEqual(calls.map(() => 'get_weather'));
      const results = calls.map((call) => ({
        functionResponse: {
          id: call.id!,
          name: call.name!,
          response: { output: `sunny in ${String(call.args?.['city'])}` },
        },
      }));
      const end = await generate([
        ...contents,
        { role: 'model', parts: partsOf(responses) },
        { role: 'user', parts: results },
      ]);
      expect(textOf(end)).toContain(expected);
    }
  });

  test('chats, and sends its history', async () => {
    const chat = client.chats.create({ model: 'test/text', config: { systemInstruction: 'Be brief.' } });
    await readAll(await chat.sendMessageStream({ message: 'Hello!' }));
    await chat.sendMessage({ message: 'And now?' });
    expect(conformance.upstream.calls.at(-1)?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello!' },
      { role: 'assistant', content: TEXT },
      { role: 'user', content: 'And now?' },
    ]);
  });

  test('sends an image with what it is', async () => {
    const parts = [
      { text: 'What is this?' },
      { inlineData: { mimeType: 'image/png', data: PIXEL_URL.split(',')[1]! } },
    ];
    const contents = [{ role: 'user', parts }];
    expect((await client.models.generateContent({ model: 'test/image', contents })).text).toBe(`I see ${PIXEL_URL}`);
  });

  test('gets an output that follows a schema, in both forms', async () => {
    const json = { type: 'object', properties: { city: { type: 'string' } } };
    const own = { type: 'OBJECT', properties: { city: { type: 'STRING' } } };
    for (const schema of [{ responseJsonSchema: json }, { responseSchema: own as object }]) {
      const config = { responseMimeType: 'application/json', ...schema };
      const { text } = await client.models.generateContent({ ...ask('json-schema'), config });
      expect(JSON.parse(text ?? '')).toEqual({ city: 'Paris', country: 'France' });
      expect(conformance.upstream.calls.at(-1)?.body).toMatchObject({
        response_format: { type: 'json_schema', json_schema: { schema: json } },
      });
    }
  });

  test('gets thoughts apart from the text where it asks for them, streamed and not', async () => {
    const thinkingConfig = { includeThoughts: true, thinkingLevel: 'HIGH' as never };
    const request = { ...ask('reasoning'), config: { thinkingConfig } };
    for (const responses of [
      [await client.models.generateContent(request)],
      await readAll(await client.models.generateContentStream(request)),
    ]) {
      const thoughts = partsOf(responses).filter(({ thought }) => thought === true);
      expect(thoughts.map(({ text }) => text).join('')).toBe('First this, then that.');
      expect(textOf(responses)).toBe('Thought with effort high.');
    }
    const { thinkingLevel } = thinkingConfig;
    const hidden = await client.models.generateContent({
      ...ask('reasoning'),
      config: { thinkingConfig: { thinkingLevel } },
    });
    expect(partsOf([hidden])).toEqual([{ text: 'Thought with effort high.' }]);
  });

  test('sends every parameter that other models know', async () => {
    await client.models.generateContent({
      ...ask('text'),
      config: {
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        candidateCount: 1,
        maxOutputTokens: 99,
        stopSequences: ['END'],
        seed: 7,
        presencePenalty: 0.5,
        frequencyPenalty: 1,
        tools: [WEATHER],
        toolConfig: {
          functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['get_weather'] },
        },
        safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT' as never, threshold: 'OFF' as never }],
      },
    });
    expect(conformance.upstream.calls.at(-1)?.body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      max_tokens: 99,
      stop: ['END'],
      seed: 7,
      presence_penalty: 0.5,
      frequency_penalty: 1,
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
    });
  });

  test('counts tokens without a call', async () => {
    const { calls } = conformance.upstream;
    const before = calls.length;
    const { totalTokens } = await client.models.countTokens(ask('text'));
    expect(totalTokens).toBeGreaterThan(3);
    expect(calls).toHaveLength(before);
  });

  test('lists and shows the models that the caller may use, page by page', async () => {
    const pager = await client.models.list({ config: { pageSize: 2 } });
    const names: (string | undefined)[] = [];
    for await (const model of pager) names.push(model.name);
    expect(names.length).toBeGreaterThan(4);
    expect(names).toContain('models/test/text');
    expect(new Set(names).size).toBe(names.length);
    const shown = await client.models.get({ model: 'test/text' });
    expect(shown).toMatchObject({ name: 'models/test/text', inputTokenLimit: 32_768 });
  });

  test('closes the call upstream when a stream is aborted', async () => {
    const [call, record] = [conformance.upstream.nextCall(), conformance.nextRecord()];
    const aborting = new AbortController();
    const config = { abortSignal: aborting.signal };
    const reading = failureOf(
      client.models.generateContentStream({ ...ask('held'), config }).then((stream) => readAll(stream)),
    );
    const { closed } = await call;
    aborting.abort();
    expect(await reading).toMatchObject({ name: 'AbortError' });
    expect(await closed).toBe(false);
    expect((await record).generation).toMatchObject({ cancelled: true, streamed: true });
  });

  test('throws what the gateway says, with its status', async () => {
    const { models } = client;
    const failures = await Promise.all([
      failureOf(models.generateContent(ask('no-such-model'))),
      failureOf(models.generateContentStream(ask('no-such-model'))),
      failureOf(models.get({ model: 'test/no-such-model' })),
      failureOf(clientWith('sk-gw-v1-unknown').models.list()),
      failureOf(clientWith(TEST_MANAGEMENT_KEY).models.generateContent(ask('text'))),
      failureOf(models.generateContent(ask('rate-limited'))),
      failureOf(models.generateContent({ ...ask('text'), config: { temperature: 9 } })),
      failureOf(models.generateContent({ ...ask('text'), config: { candidateCount: 2 } })),
      failureOf(models.generateContent({ ...ask('text'), config: { cachedContent: 'cachedContents/1' } })),
    ]);
    expect(failures.map((failure) => (failure as { status: number }).status)).toEqual([
      404, 404, 404, 401, 403, 429, 400, 400, 400,
    ]);
    expect(failures.map((failure) => (JSON.parse((failure as Error).message) as GeminiError).error.status)).toEqual([
      ...Array<string>(3).fill('NOT_FOUND'),
      'UNAUTHENTICATED',
      'PERMISSION_DENIED',
      'RESOURCE_EXHAUSTED',
      ...Array<string>(3).fill('INVALID_ARGUMENT'),
    ]);
    expect(failures.slice(-3).map(String)).toEqual([
      expect.stringContaining('generationConfig.temperature'),
      expect.stringContaining('generationConfig.candidateCount'),
      expect.stringContaining('cachedContent'),
    ]);
  });

  test.each(['cut', 'error-event'])('throws when a stream breaks, after what came before (%s)', async (name) => {
    const streaming = await client.models.generateContentStream(ask(name));
    const events: GenerateContentResponse[] = [];
    const reading = (async () => {
      for await (const event of streaming) events.push(event);
    })();
    expect(String(await failureOf(reading))).toMatch(/Scripted|server/);
    expect(textOf(events)).toBe('Hello there, ');
  });
});

interface GeminiError {
  readonly error: { readonly status: string };
}

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
