import { describe, expect, test } from 'vitest';

import { toTargetRequest } from '../../../packages/core/src/reruns/rerun-request.ts';
import { settle } from '../../support/async/virtual-platform.ts';
import {
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../../support/gateways/core-gateway.ts';
import { guardKey } from '../../support/gateways/guard-key.ts';
import { chunkings, toEventPieces } from '../../support/upstreams/chunkings.ts';
import {
  createReplayTransport,
  createScriptedTransport,
  type ScriptedTransport,
} from '../../support/upstreams/scripted-transport.ts';
import { script as anthropic } from '../../support/wires/anthropic.ts';
import { script as google } from '../../support/wires/google.ts';
import type { WireScript } from '../../support/wires/wire-script.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const MANAGER = { authorization: `Bearer ${MANAGEMENT_KEY}` };
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const WHOLE = JSON.stringify({
  choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }],
  usage: USAGE,
});
const EVENTS = toEventPieces([
  { choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] },
  { choices: [], usage: USAGE },
]);
const HELLO = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };

const GENERATE = '/v1beta/models/acme/chat:generateContent';
const STREAM = '/v1beta/models/acme/chat:streamGenerateContent';
const EVENT_STREAM = `${STREAM}?alt=sse`;

const whole = () => createReplayTransport({ headers: JSON_TYPE, pieces: [WHOLE] });

interface Item {
  readonly candidates?: readonly {
    readonly content: { readonly parts: readonly Readonly<Record<string, unknown>>[] };
    readonly finishReason?: string;
    readonly logprobsResult?: unknown;
  }[];
  readonly [member: string]: unknown;
}

/** As a reader of events sees them: an error is repeated without an event around it. */
const eventsOf = (text: string): Item[] =>
  text
    .slice(0, text.lastIndexOf('\n\n'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line.replace(/^data: /, '')) as Item);
const textOf = (items: readonly Item[]): string =>
  items
    .flatMap(({ candidates }) => candidates?.[0]?.content.parts ?? [])
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');

function openWire(script: WireScript, transport: ScriptedTransport, model = script.model): CoreGateway {
  const pricing = { prompt: '0.000001', completion: '0.000002' };
  return createCoreGateway([script.createProvider(transport)], {
    models: [{ id: 'acme/chat', endpoints: [{ provider: 'up', providerModel: model, pricing }] }],
  });
}

describe('A stream', () => {
  test.each(chunkings(EVENTS))('ends with the reason and the counts of its call (%s)', async (_name, pieces) => {
    const core = createCoreGateway(createReplayTransport({ pieces }));
    const response = await core.post(EVENT_STREAM, HELLO);
    expect(response.headers['content-type']).toContain('text/event-stream');
    const items = eventsOf(await readFrames(response).rest());
    expect(textOf(items)).toBe('Hello');
    expect(items.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'MAX_TOKENS' }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
      modelVersion: 'acme/chat',
      responseId: response.headers['x-generation-id'],
    });
  });

  test.each(chunkings(EVENTS))('is one list without alt=sse (%s)', async (_name, pieces) => {
    const core = createCoreGateway(createReplayTransport({ pieces }));
    const response = await core.post(STREAM, HELLO);
    expect(response.headers['content-type']).toBe('application/json');
    const items = JSON.parse(await readFrames(response).rest()) as Item[];
    expect(textOf(items)).toBe('Hello');
    expect(items.at(-1)).toMatchObject({ candidates: [{ finishReason: 'MAX_TOKENS' }] });
  });

  test('has white space as its sign of life, and a failure after that at its end', async () => {
    for (const [address, sign] of [
      [EVENT_STREAM, '\n'],
      [STREAM, ' '],
    ] as const) {
      const transport = createScriptedTransport();
      const core = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
      const pending = core.post(address, HELLO);
      await core.platform.advance(1100);
      const reader = readFrames(await pending);
      expect(await reader.next()).toBe(sign);
      for (const exchange of transport.exchanges) {
        exchange.respond(429);
        exchange.end();
        await settle();
      }
      const rest = await reader.rest();
      const items = address === STREAM ? (JSON.parse(rest) as Item[]) : eventsOf(rest);
      if (address !== STREAM) expect(JSON.parse(rest.slice(rest.lastIndexOf('\n')))).toEqual(items[0]);
      expect(items).toEqual([
        { error: expect.objectContaining({ code: 429, status: 'RESOURCE_EXHAUSTED' }) as object },
      ]);
    }
  });
});

test('the body that is sent to a model elsewhere has everything that it can know', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream);
  const declared = { name: 'get_time', description: 'Tells the time.', parameters: { type: 'OBJECT', properties: {} } };
  await core.post(GENERATE, {
    ...HELLO,
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ functionDeclarations: [declared] }, { googleSearch: {} }],
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    generationConfig: {
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 9,
      stopSequences: ['a', 'b', 'c', 'd', 'e'],
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { at: { type: 'STRING', nullable: true } } },
      mediaResolution: 'MEDIA_RESOLUTION_LOW',
    },
    serviceTier: 'flex',
  });
  expect(upstream.latest().sent).toEqual({
    model: 'chat-1',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
    temperature: 0.5,
    top_p: 0.9,
    max_tokens: 9,
    stop: ['a', 'b', 'c', 'd', 'e'],
    service_tier: 'flex',
    tools: [
      {
        type: 'function',
        function: { name: 'get_time', description: 'Tells the time.', parameters: { type: 'object', properties: {} } },
      },
    ],
    tool_choice: 'required',
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'output',
        schema: { type: 'object', properties: { at: { type: ['string', 'null'] } } },
      },
    },
  });
});

test('a result without an id belongs to the first call of its function that has none yet', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream);
  const call = (name: string) => ({ functionCall: { name, args: { at: 1 } } });
  const result = (name: string, output: string) => ({ functionResponse: { name, response: { output } } });
  const contents = [
    ...HELLO.contents,
    { role: 'model', parts: [call('time.now'), call('weather'), call('time.now')] },
    { role: 'user', parts: [result('weather', 'sunny'), result('time.now', 'noon'), result('time.now', 'night')] },
  ];
  expect((await core.post(GENERATE, { contents })).status).toBe(200);
  const sent = upstream.latest().sent['messages'] as Readonly<Record<string, unknown>>[];
  // Names with dots have other ones where a model takes none.
  expect(sent[1]?.['tool_calls']).toMatchObject([
    { id: 'call_1', function: { name: 'time_now' } },
    { id: 'call_2', function: { name: 'weather' } },
    { id: 'call_3', function: { name: 'time_now' } },
  ]);
  expect(sent.slice(2)).toMatchObject([
    { tool_call_id: 'call_2', content: 'sunny' },
    { tool_call_id: 'call_1', content: 'noon' },
    { tool_call_id: 'call_3', content: 'night' },
  ]);
  const more = { contents: [...contents, { role: 'user', parts: [result('weather', 'rain')] }] };
  const refused = await core.post(GENERATE, more);
  expect([refused.status, jsonOf(refused)]).toMatchObject([
    400,
    { error: { details: [{}, { fieldViolations: [{ field: 'contents.3.parts.0.functionResponse' }] }] } },
  ]);
});

describe('An upstream of the same form', () => {
  const SIGNED = 'c2lnbmF0dXJl';
  const parts = [
    { text: 'Let me see.', thought: true },
    { functionCall: { id: 'f-1', name: 'look', args: { at: 'x' } }, thoughtSignature: SIGNED },
  ];
  const body = {
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Hi' }, { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/1' } }],
      },
      { role: 'model', parts },
      { role: 'user', parts: [{ functionResponse: { id: 'f-1', name: 'look', response: { a: [1] } } }] },
    ],
    tools: [{ googleSearch: {} }, { codeExecution: {} }],
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
    generationConfig: { thinkingConfig: { thinkingBudget: -1 }, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    newField: { deep: 1 },
  };
  const metadata = {
    promptTokenCount: 10,
    candidatesTokenCount: 4,
    thoughtsTokenCount: 2,
    totalTokenCount: 16,
    trafficType: 'x',
  };
  const grounding = { webSearchQueries: ['q'], groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }] };
  const event = (content: readonly object[], more: object = {}, usage: object = { promptTokenCount: 10 }) => ({
    candidates: [{ content: { parts: content, role: 'model' }, index: 0, ...more }],
    usageMetadata: usage,
    modelVersion: 'gemini-x',
    responseId: 'r-1',
  });
  const last = { finishReason: 'STOP', groundingMetadata: grounding, safetyRatings: [] };
  const sent = [
    event([{ text: 'Hm "responseId" ', thought: true }]),
    event([{ executableCode: { language: 'PYTHON', code: 'print(1)' } }]),
    event([{ text: 'Done', thoughtSignature: SIGNED }], last, metadata),
  ];

  test('gets the request as it came, without the fields of the gateway', async () => {
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(sent[2])] });
    const core = openWire(google, transport);
    await core.post(GENERATE, { ...body, provider: { sort: 'price' }, user: 'u-1', session_id: 's-1' });
    expect(transport.latest().sent).toEqual(body);
    expect(transport.latest().request.url).toBe('https://up.example/v1beta/models/gemini-2.5-flash:generateContent');
  });

  test('is given back as it answered, whole', async () => {
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(sent[2])] });
    const response = await openWire(google, transport).post(GENERATE, body);
    expect(jsonOf(response)).toEqual({
      ...sent[2],
      usageMetadata: { ...metadata, ...COSTS },
      modelVersion: 'acme/chat',
      responseId: response.headers['x-generation-id'],
      provider: 'Up',
    });
  });

  const pieces = sent.map((one) => google.toEvent(one));
  test.each(chunkings(pieces))('is given back event by event, with the cost in the last (%s)', async (_name, cut) => {
    const response = await openWire(google, createReplayTransport({ pieces: cut })).post(EVENT_STREAM, body);
    const own = { modelVersion: 'acme/chat', responseId: response.headers['x-generation-id'], provider: 'Up' };
    const [first, second, third] = sent;
    expect(eventsOf(await readFrames(response).rest())).toEqual([
      { ...first, ...own },
      { ...second, ...own },
      { ...third, usageMetadata: { ...metadata, ...COSTS }, ...own },
    ]);
  });

  test('is given back where each of its events has a reason, and what its events end with is in another order', async () => {
    const older = sent.map(({ responseId, ...one }) => ({ responseId, ...one }));
    for (const one of older) Object.assign(one.candidates[0] ?? {}, { finishReason: 'STOP' });
    const transport = createReplayTransport({ pieces: older.map((one) => google.toEvent(one)) });
    const items = eventsOf(await readFrames(await openWire(google, transport).post(EVENT_STREAM, body)).rest());
    expect(items.map(({ candidates }) => candidates)).toEqual(older.map(({ candidates }) => candidates));
    expect(items.map(({ modelVersion }) => modelVersion)).toEqual(Array(3).fill('acme/chat'));
  });

  test('counts the tokens of the request as it came', async () => {
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: ['{"totalTokens":42}'] });
    const core = openWire(google, transport);
    const counted = await core.post('/v1beta/models/acme/chat:countTokens', { generateContentRequest: body });
    expect(jsonOf(counted)).toEqual({ totalTokens: 42 });
    expect(transport.latest().sent).toEqual({
      generateContentRequest: { model: 'models/gemini-2.5-flash', ...body },
    });
    expect(core.store.appended).toEqual([]);
  });

  test('gets what a guardrail has left, in every part of the request', async () => {
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(sent[2])] });
    const core = openWire(google, transport);
    const { headers } = await guardKey(core, { content_filters: [{ pattern: 'secret', action: 'redact' }] });
    await core.post(
      GENERATE,
      {
        ...body,
        systemInstruction: { parts: [{ text: 'the secret' }] },
        contents: [
          { role: 'user', parts: [{ text: 'a secret' }] },
          { role: 'model', parts: [{ executableCode: { language: 'PYTHON', code: 'secret()' } }, ...parts] },
          { role: 'user', parts: [{ functionResponse: { id: 'f-1', name: 'look', response: { of: 'secret' } } }] },
        ],
        newField: { secret: 1 },
      },
      { headers },
    );
    const received = JSON.stringify(transport.latest().sent);
    expect(received).not.toContain('secret');
    // It is still the request of the caller.
    expect(received).toContain('codeExecution');
    expect(received).toContain(SIGNED);
  });
});

const COSTS = {
  cost: 0.000022,
  is_byok: false,
  cost_details: {
    upstream_inference_cost: null,
    upstream_inference_prompt_cost: 0.00001,
    upstream_inference_completions_cost: 0.000012,
  },
};

describe('The reasoning of another provider', () => {
  const thinking = { type: 'thinking', thinking: 'I look.', signature: 'QW50aHJvcGlj' };
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [thinking, { type: 'tool_use', id: 't-1', name: 'look', input: { at: 'x' } }],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, output_tokens: 2 },
  };
  const declared = { functionDeclarations: [{ name: 'look', parametersJsonSchema: { type: 'object' } }] };
  const body = { ...HELLO, tools: [declared], generationConfig: { thinkingConfig: { thinkingBudget: 1024 } } };

  test('comes back to it, also from a client that keeps no thoughts', async () => {
    const transport = createReplayTransport(
      { headers: JSON_TYPE, pieces: [JSON.stringify(message)] },
      { headers: JSON_TYPE, pieces: [JSON.stringify(message)] },
    );
    const core = openWire(anthropic, transport);
    const { candidates } = jsonOf(await core.post(GENERATE, body)) as unknown as Item;
    const parts = candidates?.[0]?.content.parts ?? [];
    expect(parts).toEqual([
      { functionCall: { id: 't-1', name: 'look', args: { at: 'x' } }, thoughtSignature: expect.any(String) as string },
    ]);
    // Clients in Python decode it.
    expect(Buffer.from(String(parts[0]?.['thoughtSignature']), 'base64').toString()).toMatch(/^reasoning-details:/);
    const result = { functionResponse: { id: 't-1', name: 'look', response: { output: 'there' } } };
    const next = {
      ...body,
      contents: [...HELLO.contents, { role: 'model', parts }, { role: 'user', parts: [result] }],
    };
    await core.post(GENERATE, next);
    expect(transport.latest().sent['messages']).toMatchObject([
      {},
      { role: 'assistant', content: [thinking, { type: 'tool_use', id: 't-1' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't-1' }] },
    ]);
  });

  test.each([
    ['gemini-2.5-flash', undefined],
    ['gemini-3-flash-preview', 'skip_thought_signature_validator'],
  ])('is not shown to Google: %s gets %s in its place', async (model, signature) => {
    const source = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(message)] });
    const made = jsonOf(await openWire(anthropic, source).post(GENERATE, body)) as unknown as Item;
    const answered = { candidates: [{ content: { parts: [{ text: 'ok' }] }, finishReason: 'STOP' }] };
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(answered)] });
    const result = { functionResponse: { id: 't-1', name: 'look', response: { output: 'there' } } };
    const contents = [...HELLO.contents, made.candidates?.[0]?.content, { role: 'user', parts: [result] }];
    await openWire(google, transport, model).post(GENERATE, { ...body, contents });
    const { parts } = (transport.latest().sent['contents'] as { parts: object[] }[])[1] ?? { parts: [] };
    expect(parts).toEqual([
      {
        functionCall: { id: 't-1', name: 'look', args: { at: 'x' } },
        ...(signature !== undefined && { thoughtSignature: signature }),
      },
    ]);
  });
});

test('sources of a completion are its grounding', async () => {
  const annotations = ['https://a.example', 'https://b.example', 'https://a.example'].map((url) => ({
    type: 'url_citation',
    url_citation: { url, title: `At ${url}`, start_index: 0, end_index: 2 },
  }));
  const choice = { index: 0, message: { content: 'Hi', annotations }, finish_reason: 'stop' };
  const core = createCoreGateway(
    createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify({ choices: [choice] })] }),
  );
  expect(jsonOf(await core.post(GENERATE, HELLO))).toMatchObject({
    candidates: [
      {
        groundingMetadata: {
          groundingChunks: [
            { web: { uri: 'https://a.example', title: 'At https://a.example' } },
            { web: { uri: 'https://b.example', title: 'At https://b.example' } },
          ],
        },
      },
    ],
  });
});

test('logarithms of probabilities come with their text, whole and streamed', async () => {
  const logprobs = {
    content: [{ token: 'Hel', logprob: -0.1, bytes: null, top_logprobs: [{ token: 'He', logprob: -2 }] }],
  };
  const choice = { index: 0, message: { content: 'Hel' }, finish_reason: 'stop', logprobs };
  const body = { ...HELLO, generationConfig: { responseLogprobs: true, logprobs: 1 } };
  const upstream = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify({ choices: [choice] })] });
  const once = jsonOf(await createCoreGateway(upstream).post(GENERATE, body)) as unknown as Item;
  expect(upstream.latest().sent).toMatchObject({ logprobs: true, top_logprobs: 1 });
  const piece = { choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: 'stop', logprobs }] };
  const core = createCoreGateway(createReplayTransport({ pieces: toEventPieces([piece]) }));
  const items = eventsOf(await readFrames(await core.post(EVENT_STREAM, body)).rest());
  for (const said of [[once], items]) {
    expect(
      said.flatMap(({ candidates }) => candidates?.map(({ logprobsResult }) => logprobsResult) ?? []),
    ).toContainEqual({
      chosenCandidates: [{ token: 'Hel', logProbability: -0.1 }],
      topCandidates: [{ candidates: [{ token: 'He', logProbability: -2 }] }],
    });
  }
});

test('logarithms of probabilities that upstream sends in no known form are left out', async () => {
  const logprobs = { content: [null, 1, { token: 'Hel', logprob: -0.1, top_logprobs: 5 }] };
  const choice = { index: 0, message: { content: 'Hel' }, finish_reason: 'stop', logprobs };
  const upstream = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify({ choices: [choice] })] });
  const once = jsonOf(await createCoreGateway(upstream).post(GENERATE, HELLO)) as unknown as Item;
  const piece = { choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: 'stop', logprobs }] };
  const core = createCoreGateway(createReplayTransport({ pieces: toEventPieces([piece]) }));
  const items = eventsOf(await readFrames(await core.post(EVENT_STREAM, HELLO)).rest());
  for (const said of [[once], items]) {
    expect(textOf(said)).toBe('Hel');
    expect(
      said.flatMap(({ candidates }) => candidates?.map(({ logprobsResult }) => logprobsResult) ?? []),
    ).toContainEqual({
      chosenCandidates: [{ token: 'Hel', logProbability: -0.1 }],
      topCandidates: [{ candidates: [] }],
    });
  }
});

describe('A key', () => {
  const KEY = 'sk-test-api';
  const NO_KEY = { headers: { authorization: undefined } };

  test.each([
    ['in x-goog-api-key', GENERATE, { 'x-goog-api-key': KEY }, 200],
    ['in the address', `${GENERATE}?key=${KEY}`, {}, 200],
    [
      'in Authorization, beside one of another service',
      GENERATE,
      { authorization: `Bearer ${KEY}`, 'x-goog-api-key': 'AIza' },
      200,
    ],
    [
      'in x-goog-api-key, beside a bearer of another service',
      GENERATE,
      { authorization: 'Bearer ya29', 'x-goog-api-key': KEY },
      200,
    ],
    ['that nobody has', `${GENERATE}?key=AIza-wrong`, {}, 401],
    ['nowhere', GENERATE, {}, 401],
    ['in the address of another route', `/api/v1/messages?key=${KEY}`, {}, 401],
  ])('%s', async (_name, address, headers, status) => {
    const core = createCoreGateway(whole());
    const response = await core.post(address, HELLO, { headers: { ...NO_KEY.headers, ...headers } });
    expect(response.status).toBe(status);
  });

  test('is in no record, log or error, wherever it was sent', async () => {
    const secret = 'sk-gw-v1-visible-nowhere';
    const core = createCoreGateway(whole(), { bootstrapKeys: [{ key: secret, kind: 'api', name: 'app' }] });
    for (const address of [
      GENERATE,
      EVENT_STREAM,
      '/v1beta/models/acme/none:generateContent',
      '/v1beta/models/acme/chat:nothing',
    ]) {
      for (const [query, headers] of [
        [`key=${secret}`, {}],
        ['', { 'x-goog-api-key': secret }],
        [`key=${secret}wrong`, {}],
      ] as const) {
        const response = await core.post(`${address}${address.includes('?') ? '&' : '?'}${query}`, HELLO, {
          headers: { authorization: undefined, ...headers },
        });
        const body =
          response.body === null || typeof response.body === 'string'
            ? response.body
            : await readFrames(response).rest();
        expect(JSON.stringify([response.headers, body])).not.toContain(secret);
      }
    }
    const stored = JSON.stringify([core.store.appended, core.logged]);
    expect(core.store.appended.length).toBeGreaterThan(0);
    expect(stored).not.toContain(secret);
  });
});

test('a used-up budget is 402, and an unknown model 404, in the form of Google', async () => {
  const core = createCoreGateway(whole());
  const { key } = jsonOf(await core.post('/api/v1/keys', { name: 'small', limit: 0.00001 }, { headers: MANAGER }));
  const own = { headers: { authorization: undefined, 'x-goog-api-key': String(key) } };
  for (const address of [GENERATE, EVENT_STREAM]) {
    const response = await core.post(address, { ...HELLO, generationConfig: { maxOutputTokens: 200 } }, own);
    expect([response.status, jsonOf(response)]).toMatchObject([
      402,
      { error: { code: 402, status: 'FAILED_PRECONDITION' } },
    ]);
  }
  const unknown = await core.post('/v1beta/models/acme/none:generateContent', HELLO);
  expect([unknown.status, jsonOf(unknown)]).toMatchObject([404, { error: { code: 404, status: 'NOT_FOUND' } }]);
});

test('guardrails block and redact what comes in this form', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream);
  const blocked = await guardKey(core, { content_filters: [{ pattern: 'purple', action: 'block' }] });
  const ask = (text: string) => ({ contents: [{ parts: [{ text }] }] });
  const refused = await core.post(GENERATE, ask('purple'), { headers: blocked.headers });
  expect([refused.status, jsonOf(refused)]).toMatchObject([403, { error: { status: 'PERMISSION_DENIED' } }]);
  const { headers } = await guardKey(core, { content_filters: [{ pattern: 'secret', action: 'redact' }] });
  await core.post(GENERATE, ask('the secret'), { headers });
  expect(JSON.stringify(upstream.latest().sent)).not.toContain('secret');
});

test('lists and shows only the models that a guardrail leaves', async () => {
  const core = createCoreGateway(whole());
  const { key } = await guardKey(core, { allowed_models: ['acme/chat'] });
  const { models } = jsonOf(await core.get('/v1beta/models', key)) as { models: { name: string }[] };
  expect(models.map(({ name }) => name)).toEqual(['models/acme/chat']);
  expect((await core.get('/v1beta/models/acme/other', key)).status).toBe(404);
});

test('a model of Google’s is found without its author', async () => {
  const models = [{ id: 'google/gemini-9-flash', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] }];
  const core = createCoreGateway(whole(), { models });
  for (const path of ['/v1beta/models/gemini-9-flash', '/v1/models/google%2Fgemini-9-flash:nitro']) {
    expect(jsonOf(await core.post(`${path}:generateContent`, HELLO))).toMatchObject({
      modelVersion: 'google/gemini-9-flash',
    });
  }
});

test('sends a stored request again, as it was and with another model, whole', async () => {
  const upstream = createReplayTransport(
    { pieces: EVENTS },
    { pieces: EVENTS },
    { headers: JSON_TYPE, pieces: [WHOLE] },
  );
  const core = createCoreGateway(upstream);
  const body = { ...HELLO, generationConfig: { temperature: 0.3 } };
  const first = await core.post(STREAM, body);
  await readFrames(first).rest();
  const resend = (change: object) =>
    core.post(`/admin/v1/generations/${first.headers['x-generation-id']}/resend`, change, { headers: MANAGER });
  const again = await resend({});
  expect(textOf(eventsOf(await readFrames(again).rest()))).toBe('Hello');
  expect(upstream.exchanges[1]?.request.body).toBe(upstream.exchanges[0]?.request.body);
  expect(jsonOf(await resend({ model: 'acme/other', stream: false }))).toMatchObject({ modelVersion: 'acme/other' });
  expect(core.store.appended.map((one) => one.content?.request?.format)).toEqual(Array(3).fill('gemini'));
});

test('is run again with the parameters and the system prompt of a target', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream);
  const declared = { functionDeclarations: [{ name: 'look' }] };
  const target = {
    model: 'acme/other',
    parameters: { temperature: 0, max_tokens: 5 },
    system: { replace: 'Be kind.' },
  };
  const stored = {
    ...HELLO,
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [declared, { googleSearch: {} }],
    generationConfig: { temperature: 0.9, seed: 7 },
  };
  const { body } = toTargetRequest({ format: 'gemini', body: stored, headers: {} }, target);
  expect(body).toMatchObject({ model: 'acme/other', stream: false, tools: [declared] });
  await core.post('/v1beta/models/acme/other:generateContent', body);
  expect(upstream.latest().sent).toMatchObject({
    model: 'other-b',
    messages: [{ role: 'system', content: 'Be kind.' }, { role: 'user' }],
    temperature: 0,
    max_tokens: 5,
    seed: 7,
  });
});

test('rules for routing know the form', async () => {
  const rules = [{ name: 'gemini', when: { formats: ['gemini' as const] }, model: 'acme/other' }];
  const core = createCoreGateway(whole(), { account: { routing: { rules } } });
  expect(jsonOf(await core.post(GENERATE, HELLO))).toMatchObject({ modelVersion: 'acme/other' });
});
