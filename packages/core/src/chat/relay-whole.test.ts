import { expect, test } from 'vitest';

import { settle, VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import { createCoreGateway, createScriptedProvider, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import { chunkings } from '../../../../test/support/upstreams/chunkings.ts';
import {
  connectionReset,
  createReplayTransport,
  createScriptedTransport,
  type ScriptedExchange,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import { TransportError } from '../foundation/transport.ts';
import type { WholeProvider } from '../providers/provider.ts';
import { type ChatChunk, chatCompletionResultSchema } from '../wire/chat-chunk.ts';
import { generationContentSchema, generationSchema } from '../wire/generation.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const COMPLETION = {
  id: 'up-1',
  object: 'chat.completion',
  model: 'chat-1',
  system_fingerprint: 'fp_1',
  service_tier: 'default',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Héllo 👩‍👩‍👧',
      },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 0 },
  },
};

const whole = (completion: unknown, exchange: ScriptedExchange): void => {
  exchange.respond(200, JSON_TYPE);
  exchange.push(JSON.stringify(completion));
  exchange.end();
};

test.each(chunkings([JSON.stringify(COMPLETION)]))(
  'responds with all fields that clients require (%s)',
  async (_name, pieces) => {
    const { chat, store } = createCoreGateway(createReplayTransport({ headers: JSON_TYPE, pieces }));
    const response = await chat();
    expect(response).toMatchObject({
      status: 200,
      headers: { ...JSON_TYPE, 'x-generation-id': store.appended[0]?.record.generation.id },
    });
    const result = jsonOf(response);
    expect(chatCompletionResultSchema.parse(result)).toEqual(result);
    expect(result).toEqual({
      id: response.headers['x-generation-id'],
      object: 'chat.completion',
      created: VIRTUAL_EPOCH_MS / 1e3,
      model: 'acme/chat',
      provider: 'Acme',
      system_fingerprint: 'fp_1',
      service_tier: 'default',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          native_finish_reason: 'stop',
          logprobs: null,
          message: {
            role: 'assistant',
            content: 'Héllo 👩‍👩‍👧',
            refusal: null,
            reasoning: null,
          },
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 0 },
        cost: 2e-5,
        is_byok: false,
        cost_details: {
          upstream_inference_cost: null,
          upstream_inference_prompt_cost: 1e-5,
          upstream_inference_completions_cost: 1e-5,
        },
      },
    });
  },
);

test('responds to the shortest possible completion of an upstream', async () => {
  const transport = createScriptedTransport((exchange) =>
    whole({ choices: [{ message: {}, finish_reason: 'length' }] }, exchange),
  );
  const { chat, store } = createCoreGateway(transport);
  const result = jsonOf(await chat({ model: 'acme/other' }));
  expect(store.appended[0]?.record.generation).toMatchObject({ total_cost: 0, usage: 0, cost_known: false });
  expect(chatCompletionResultSchema.parse(result)).toEqual(result);
  expect(result).toMatchObject({
    system_fingerprint: null,
    model: 'acme/other',
    provider: 'Beta',
    choices: [
      {
        finish_reason: 'length',
        message: { content: null },
      },
    ],
    usage: {
      prompt_tokens: 6,
      completion_tokens: 0,
      estimated: true,
    },
  });
  expect(result).not.toHaveProperty('service_tier');
  expect((result as { usage: object }).usage).not.toHaveProperty('cost_details');
  expect((result as { usage: object }).usage).toHaveProperty('cost', null);
});

test('leaves an unknown cost out for a client that takes no null', async () => {
  const upstream = createScriptedTransport((exchange) => whole(COMPLETION, exchange));
  const { chat } = createCoreGateway(upstream);
  const headers = { authorization: 'Bearer sk-test-api', 'user-agent': 'ai/7.0.173 ai-sdk/provider-utils/5.0.42' };
  const result = jsonOf(await chat({ model: 'acme/other' }, { headers }));
  expect(result['usage']).not.toHaveProperty('cost');
});

const SPOKEN = {
  ...COMPLETION,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        audio: { id: 'audio_1', data: 'UklGRg==', transcript: 'Good morning', expires_at: 1_800_000_000 },
      },
      finish_reason: 'stop',
    },
  ],
  usage: { ...COMPLETION.usage, completion_tokens_details: { audio_tokens: 5, text_tokens: 0 } },
};
const AUDIO = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } };
const SPEAKING: ModelDefinition = {
  id: 'acme/voice',
  architecture: { input_modalities: ['text'], output_modalities: ['text', 'audio'] },
  endpoints: [{ provider: 'acme', providerModel: 'voice-1', pricing: { prompt: '0.000001', completion: '0.000002' } }],
};

test.each([
  [{}, null],
  [{ audio_output: '0.00002' }, 0.00011],
])('asks for speech and hands it on; with the prices %j it costs %j', async (prices, cost) => {
  const upstream = createScriptedTransport((exchange) => whole(SPOKEN, exchange));
  const models = SPEAKING.endpoints.map((endpoint) => ({
    ...SPEAKING,
    endpoints: [{ ...endpoint, pricing: { ...endpoint.pricing, ...prices } }],
  }));
  const { chat, store } = createCoreGateway(upstream, { models, logging: { inputOutput: true } });
  const result = jsonOf(await chat({ model: 'acme/voice', ...AUDIO }));
  expect(upstream.latest().sent).toMatchObject(AUDIO);
  expect(result).toMatchObject({
    choices: [{ message: { content: null, audio: SPOKEN.choices[0]?.message.audio } }],
    usage: { cost },
  });
  expect(store.appended[0]).toMatchObject({
    record: { generation: { total_cost: cost ?? 0, cost_known: cost !== null } },
    content: { output: { completion: 'Good morning' } },
  });
});

test('makes no spoken completion of unknown cost within a budget', async () => {
  const upstream = createScriptedTransport((exchange) => whole(SPOKEN, exchange));
  const { chat } = createCoreGateway(upstream, { models: [SPEAKING], account: { creditsUsd: 1 } });
  const response = await chat({ model: 'acme/voice', max_tokens: 10, ...AUDIO });
  expect(jsonOf(response)).toMatchObject({ error: { metadata: { excluded: [{ rule: 'cost_unknown' }] } } });
  expect((await chat({ model: 'acme/voice', max_tokens: 10 })).status).toBe(200);
});

test('returns tool calls, refusals, reasoning, images and all other parts of a message', async () => {
  const message = {
    role: 'assistant',
    content: null,
    refusal: 'I cannot',
    reasoning_content: 'hm',
    tool_calls: [
      {
        id: 'c1',
        type: 'function',
        function: {
          name: 'f',
          arguments: '{"x":1}',
        },
      },
    ],
    images: [{ type: 'image_url' }],
    audio: { id: 'a' },
    annotations: [{ type: 'url_citation' }],
  };
  const completion = { choices: [{ message, finish_reason: 'tool_calls', logprobs: { content: [] } }] };
  const { chat } = createCoreGateway(createScriptedTransport((exchange) => whole(completion, exchange)));
  const result = jsonOf(await chat());
  expect(chatCompletionResultSchema.parse(result)).toEqual(result);
  expect(result['choices']).toEqual([
    {
      index: 0,
      finish_reason: 'tool_calls',
      native_finish_reason: 'tool_calls',
      logprobs: { content: [] },
      message: {
        role: 'assistant',
        content: null,
        refusal: 'I cannot',
        reasoning: 'hm',
        reasoning_details: [
          {
            type: 'reasoning.text',
            text: 'hm',
            format: 'unknown',
            index: 0,
          },
        ],
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: {
              name: 'f',
              arguments: '{"x":1}',
            },
          },
        ],
        images: [{ type: 'image_url' }],
        audio: { id: 'a' },
        annotations: [{ type: 'url_citation' }],
      },
    },
  ]);
});

test.each([{ reasoning: { exclude: true } }, { include_reasoning: false }])(
  'keeps reasoning back for %j, and records it',
  async (body) => {
    const completion = { choices: [{ message: { content: 'Hi', reasoning: 'secret' }, finish_reason: 'stop' }] };
    const { chat, store } = createCoreGateway(createScriptedTransport((exchange) => whole(completion, exchange)));
    const response = await chat(body);
    expect(response.body).not.toContain('secret');
    expect(jsonOf(response)).toMatchObject({ choices: [{ message: { content: 'Hi', reasoning: null } }] });
    expect(store.appended[0]?.content?.output.reasoning).toBe('secret');
  },
);

test('records the call before it responds, in a form that the wire allows', async () => {
  const { chat, store, platform } = createCoreGateway(
    createScriptedTransport((exchange) => whole(COMPLETION, exchange)),
  );
  const release = store.holdAppends();
  let hasResponded = false;
  const pending = chat(
    {
      user: 'user-7',
      session_id: 'session-1',
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'text',
              text: 'Look',
            },
            {
              type: 'image_url',
              image_url: { url: 'data:,' },
            },
            {
              type: 'input_audio',
              input_audio: {
                data: '',
                format: 'wav',
              },
            },
          ],
        },
      ],
    },
    {
      headers: {
        authorization: 'Bearer sk-test-api',
        'http-referer': 'https://app.example',
        'user-agent': `x${'y'.repeat(1000)}`,
        'x-session-id': 'other',
      },
    },
  ).then((response) => ((hasResponded = true), response));
  await platform.advance(1000);
  expect(hasResponded).toBe(false);
  release();
  expect((await pending).status).toBe(200);

  const { record, content } = store.appended[0] ?? {};
  const { callTimeline, request, ...publicContent } = { callTimeline: undefined, request: undefined, ...content };
  expect(callTimeline).toMatchObject({ attempts_ms: [0] });
  expect(request).toMatchObject({ format: 'chat', headers: { 'http-referer': 'https://app.example' } });
  expect(generationSchema.parse(record?.generation)).toEqual(record?.generation);
  expect(generationContentSchema.parse(publicContent)).toEqual(publicContent);
  expect(record?.generation).toMatchObject({
    session_id: 'session-1',
    external_user: 'user-7',
    http_referer: 'https://app.example',
    origin: 'https://app.example',
    streamed: false,
    num_media_prompt: 1,
    num_input_audio_prompt: 1,
    service_tier: 'default',
    data_region: 'global',
    native_tokens_cached: 0,
    native_tokens_prompt: 10,
    native_tokens_completion: 5,
    native_tokens_reasoning: null,
    api_type: 'completions',
    created_at: '2026-01-02T03:04:05.000Z',
  });
  expect(record?.generation.user_agent).toHaveLength(512);
});

test('records what the cache of the provider has saved', async () => {
  const usage = { ...COMPLETION.usage, prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 800 } };
  const pricing = { prompt: '0.00001', completion: '0', input_cache_read: '0.000001' };
  const { chat, store } = createCoreGateway(
    createScriptedTransport((exchange) => whole({ ...COMPLETION, usage }, exchange)),
    { models: [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1', pricing }] }] },
  );
  expect((await chat()).status).toBe(200);
  expect(store.appended[0]?.record.generation).toMatchObject({ native_tokens_cached: 800, cache_discount: 0.0072 });
});

test('takes the session from the header when the body names none', async () => {
  const { chat, store } = createCoreGateway(createScriptedTransport((exchange) => whole(COMPLETION, exchange)));
  const headers = { authorization: 'Bearer sk-test-api', 'x-session-id': 's'.repeat(256) };
  expect((await chat({}, { headers })).status).toBe(200);
  expect(store.appended[0]?.record.generation.session_id).toBe('s'.repeat(256));
  const tooLong = await chat({}, { headers: { ...headers, 'x-session-id': 's'.repeat(257) } });
  expect(tooLong.status).toBe(400);
  expect(jsonOf(tooLong)).toMatchObject({ error: { message: 'x-session-id: must have at most 256 characters' } });
});

test('a session in the header is read by guardrails, and stored as they leave it, like one in the body', async () => {
  const core = createCoreGateway(createScriptedTransport((exchange) => whole(COMPLETION, exchange)));
  const { headers } = await guardKey(core, { content_filter_builtins: [{ slug: 'email', action: 'redact' }] });
  const session = 'of bob@example.com';
  await core.chat({ session_id: session }, { headers });
  await core.chat({}, { headers: { ...headers, 'x-session-id': session } });
  expect(core.store.appended.map(({ record }) => record.generation.session_id)).toEqual(['of [EMAIL]', 'of [EMAIL]']);
});

test('believes the cost that upstream itself reports', async () => {
  const { chat, store } = createCoreGateway(
    createScriptedTransport((exchange) =>
      whole({ ...COMPLETION, usage: { ...COMPLETION.usage, cost: 0.5 } }, exchange),
    ),
  );
  expect(jsonOf(await chat())).toMatchObject({ usage: { cost: 0.5 } });
  expect(store.appended[0]?.record).toMatchObject({
    costNanoUsd: 500_000_000,
    generation: { upstream_inference_cost: 0.5, total_cost: 0.5 },
  });
});

test('shows details of usage only with the counts that clients insist on, and charges for them all the same', async () => {
  const details = (prompt: object, completion: object): object => ({
    ...COMPLETION,
    usage: { ...COMPLETION.usage, prompt_tokens_details: prompt, completion_tokens_details: completion },
  });
  const completions = [
    details({ audio_tokens: 4 }, { audio_tokens: 2 }),
    details({ cached_tokens: 1 }, { reasoning_tokens: 3 }),
  ];
  const transport = createScriptedTransport((exchange) => whole(completions.shift(), exchange));
  const pricing = { prompt: '0.000001', completion: '0.000002', audio: '0.00001', audio_output: '0.00002' };
  const { chat } = createCoreGateway(transport, {
    models: [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'm', pricing }] }],
  });
  const { usage: partial } = jsonOf(await chat()) as { usage: object };
  expect(partial).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, cost: 0.000092 });
  expect(partial).not.toHaveProperty('prompt_tokens_details');
  expect(partial).not.toHaveProperty('completion_tokens_details');
  expect(jsonOf(await chat())).toMatchObject({
    usage: { prompt_tokens_details: { cached_tokens: 1 }, completion_tokens_details: { reasoning_tokens: 3 } },
  });
});

test('stores no messages and completions when the setting forbids it', async () => {
  const { chat, store } = createCoreGateway(
    createScriptedTransport((exchange) => whole(COMPLETION, exchange)),
    { logging: { inputOutput: false } },
  );
  expect((await chat()).status).toBe(200);
  expect(store.appended[0]?.content).toBeNull();
});

test('stores no content above the limit rather than half of it', async () => {
  const { chat, store } = createCoreGateway(
    createScriptedTransport((exchange) => whole(COMPLETION, exchange)),
    { logging: { maxContentMb: 0.001 } },
  );
  expect((await chat({ messages: [{ role: 'user', content: 'x'.repeat(500) }] })).status).toBe(200);
  expect((await chat({ messages: [{ role: 'user', content: 'x'.repeat(2000) }] })).status).toBe(200);
  expect(store.appended.map(({ content }) => content === null)).toEqual([false, true]);
});

test.each<[string, (exchange: ScriptedExchange) => void]>([
  ['refuses', (exchange) => (exchange.respond(500), exchange.end())],
  ['sends an error with status 200', (exchange) => whole({ error: { message: 'overloaded' } }, exchange)],
  ['sends no choices', (exchange) => whole({ choices: [] }, exchange)],
  [
    'sends half a completion',
    (exchange) => (exchange.respond(200, JSON_TYPE), exchange.push('{"choices":[{"mes'), exchange.end()),
  ],
  [
    'breaks off',
    (exchange) => (exchange.respond(200, JSON_TYPE), exchange.push('{"cho'), exchange.fail(connectionReset())),
  ],
  [
    'takes too long',
    (exchange) =>
      exchange.fail(
        new TransportError('a time limit ran out', { phase: 'headers', requestSent: true, timedOut: true }),
      ),
  ],
])('goes on to the next endpoint when one %s', async (_name, fail) => {
  const transport = createScriptedTransport((exchange) =>
    exchange.request.url.includes('acme') ? fail(exchange) : whole(COMPLETION, exchange),
  );
  const { chat, store } = createCoreGateway(transport);
  expect(jsonOf(await chat())).toMatchObject({ provider: 'Beta', usage: { cost: 0.00006 } });
  expect(transport.exchanges).toHaveLength(2);
  expect(store.appended).toHaveLength(1);
});

test('stays with the first choice when fallbacks are not allowed', async () => {
  const transport = createScriptedTransport((exchange) => (exchange.respond(500), exchange.end()));
  expect((await createCoreGateway(transport).chat({ provider: { allow_fallbacks: false } })).status).toBe(502);
  expect(transport.exchanges).toHaveLength(1);
});

test('responds with the last failure, and records it with those before', async () => {
  const transport = createScriptedTransport((exchange) =>
    exchange.fail(new TransportError('no connection could be made', { phase: 'connect', requestSent: false })),
  );
  const { chat, store } = createCoreGateway(transport);
  const response = await chat();
  expect(response.status).toBe(502);
  expect(jsonOf(response)).toMatchObject({
    error: {
      message: 'Beta: no connection could be made',
      metadata: {
        error_type: 'provider_unavailable',
        provider_name: 'Beta',
        previous_errors: [{ code: 502, message: 'Acme: no connection could be made' }],
      },
    },
  });
  expect(store.appended).toHaveLength(1);
  expect(store.appended[0]?.record.generation).toMatchObject({
    finish_reason: 'error',
    provider_name: 'Beta',
    provider_responses: [{ status: null }, { status: null }],
  });
  expect(store.appended[0]?.content?.error).toMatchObject({ status: 502, provider_name: 'Beta' });
  expect(store.appended[0]?.content?.error?.previous_errors).toEqual([
    { code: 502, message: 'Acme: no connection could be made', provider_name: 'Acme' },
  ]);
});

test('calls a time limit 408', async () => {
  const transport = createScriptedTransport((exchange) =>
    exchange.fail(new TransportError('a time limit ran out', { phase: 'headers', requestSent: true, timedOut: true })),
  );
  expect((await createCoreGateway(transport).chat()).status).toBe(408);
});

test.each<[string, (exchange: ScriptedExchange | undefined) => void]>([
  ['while the connection is made', () => undefined],
  ['while the response is awaited', (exchange) => exchange?.respond(200, JSON_TYPE)],
  ['in the middle of the response', (exchange) => (exchange?.respond(200, JSON_TYPE), exchange?.push('{"choices"'))],
])('closes upstream at once and records a cancelled call when the client leaves %s', async (_name, reach) => {
  const transport = createScriptedTransport();
  const { chat, store, gateway } = createCoreGateway(transport);
  const client = new AbortController();
  const pending = chat({}, { signal: client.signal });
  await settle();
  reach(transport.exchanges[0]);
  await settle();
  expect(gateway.stats()).toEqual({ openCalls: 1, openStreams: 0 });
  client.abort();
  expect((await pending).status).toBe(499);
  expect(transport.exchanges).toHaveLength(1);
  expect(transport.exchanges[0]?.isClosed).toBe(true);
  expect(gateway.stats().openCalls).toBe(0);
  expect(store.appended).toHaveLength(1);
  expect(store.appended[0]?.record).toMatchObject({
    generation: { cancelled: true, finish_reason: null, provider_name: 'Acme', total_cost: 0, tokens_completion: null },
    costNanoUsd: 0,
  });
});

const text = (content: string, finish: 'stop' | null = 'stop'): ChatChunk => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish, native_finish_reason: finish }],
});

test.each([
  ['says nothing', []],
  ['has said all there is', [[text('Hi')]]],
])('does not wait for a provider that ignores its signal and %s', async (_name, batches) => {
  const stubborn = createScriptedProvider('acme', batches, () => new Promise(() => undefined));
  const { chat, store } = createCoreGateway([stubborn, createScriptedProvider('beta', [])]);
  const client = new AbortController();
  let status = 0;
  void chat({}, { signal: client.signal }).then((response) => ({ status } = response));
  await settle();
  client.abort();
  await settle();
  expect(status).toBe(499);
  expect(store.appended.map(({ record }) => record.generation.cancelled)).toEqual([true]);
});

test('records a completion with its cost when it arrived as its client left', async () => {
  let arrive: (completion: ChatChunk) => void = () => undefined;
  const arrival = new Promise<ChatChunk>((resolve) => (arrive = resolve));
  const provider: WholeProvider = { ...createScriptedProvider('acme', []), chatWhole: () => arrival };
  const { chat, store } = createCoreGateway([provider, createScriptedProvider('beta', [])]);
  const client = new AbortController();
  const pending = chat({}, { signal: client.signal });
  await settle();
  arrive({ ...text('Hi'), usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
  client.abort();
  expect((await pending).status).toBe(499);
  expect(store.appended).toHaveLength(1);
  expect(store.appended[0]?.record.generation).toMatchObject({ cancelled: true, tokens_completion: 5 });
  expect(store.appended[0]?.record.costNanoUsd).toBeGreaterThan(0);
  expect(store.appended[0]?.content?.output.completion).toBe('Hi');
});

test('responds with the failure of a provider that breaks off after its completion', async () => {
  const failing = createScriptedProvider('acme', [[text('Hi')]], () => Promise.reject(new TypeError('secret')));
  const { chat, store, logged } = createCoreGateway([failing, createScriptedProvider('beta', [])]);
  const response = await chat();
  expect(response.status).toBe(500);
  expect(response.body).not.toContain('secret');
  expect(store.appended).toHaveLength(1);
  expect(store.appended[0]?.record.generation).toMatchObject({ finish_reason: 'error', provider_name: 'Acme' });
  expect(logged.map(({ line }) => line)).toContain('error a request failed');
});

test('goes on when a provider throws before it says anything, even at once', async () => {
  const broken = {
    ...createScriptedProvider('acme', []),
    chat: () => {
      throw new TypeError('at once');
    },
  };
  const { chat } = createCoreGateway([broken, createScriptedProvider('beta', [[text('Hi')]])]);
  expect(jsonOf(await chat())).toMatchObject({ provider: 'Beta' });
});

test('responds with 500 instead of the completion when it could not be recorded', async () => {
  const { chat, store, logged } = createCoreGateway(createScriptedTransport((exchange) => whole(COMPLETION, exchange)));
  store.failAppends(new Error('disk full'));
  const response = await chat();
  expect(response.status).toBe(500);
  expect(response.body).not.toContain('llo');
  expect(logged.map(({ line }) => line)).toContain('error a generation could not be recorded');
});

test('responds with 402 without any call when the key has spent its limit', async () => {
  const transport = createScriptedTransport((exchange) => whole(COMPLETION, exchange));
  const { chat } = createCoreGateway(transport, {
    authenticate: () => ({ kind: 'api', id: 'u', name: 'u', limitUsd: 0.0005 }),
  });
  const statuses: number[] = [];
  while (statuses.length < 100 && !statuses.includes(402)) statuses.push((await chat({ max_tokens: 10 })).status);
  expect(statuses.slice(0, -1)).toEqual(statuses.slice(0, -1).map(() => 200));
  expect(transport.exchanges).toHaveLength(statuses.length - 1);
});

test('responds with 404 and the reasons, without any call, when preferences leave no endpoint', async () => {
  const transport = createScriptedTransport();
  const { chat, store } = createCoreGateway(transport);
  const response = await chat({ models: ['acme/other'], provider: { only: ['acme'], zdr: true } });
  expect(response.status).toBe(404);
  expect(jsonOf(response)).toEqual({
    error: {
      code: 404,
      message:
        "No endpoint of acme/chat, acme/other meets the request's requirements; excluded: acme (zdr), beta (only), beta (only)",
      metadata: {
        error_type: 'not_found',
        excluded: [
          { provider: 'acme', model: 'acme/chat', rule: 'zdr' },
          { provider: 'beta', model: 'acme/chat', rule: 'only' },
          { provider: 'beta', model: 'acme/other', rule: 'only' },
        ],
      },
    },
  });
  expect(transport.exchanges).toHaveLength(0);
  expect(store.appended).toHaveLength(0);
});

test('passes over a model without endpoints for the next', async () => {
  const transport = createScriptedTransport((exchange) => whole(COMPLETION, exchange));
  const { chat } = createCoreGateway(transport);
  expect(
    jsonOf(await chat({ model: 'acme/other', models: ['acme/chat'], provider: { only: ['acme'] } })),
  ).toMatchObject({ model: 'acme/chat' });
});

test('requires parameters to be supported on request', async () => {
  const { chat } = createCoreGateway(createScriptedTransport());
  expect((await chat({ seed: 1, provider: { require_parameters: true } })).status).toBe(404);
});

test.each<[object, string]>([
  [{ tools: [{ type: 'function', function: { name: 'f' } }, { type: 'service:bash' }] }, 'tools.1'],
  [{ plugins: [{ id: 'response-healing' }, { id: 'web' }] }, 'plugins.1'],
  [{ preset: 'mine' }, 'preset'],
])('responds with 400 where ignoring a field would mislead: %j', async (body, path) => {
  const transport = createScriptedTransport();
  const response = await createCoreGateway(transport).chat(body as Record<string, unknown>);
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({
    error: { message: expect.stringContaining(`${path}: `) as string, metadata: { issues: [{ path }] } },
  });
  expect(transport.exchanges).toHaveLength(0);
});

test('responds with 400 to two efforts of reasoning that differ', async () => {
  const { chat } = createCoreGateway(createScriptedTransport((exchange) => whole(COMPLETION, exchange)));
  expect((await chat({ reasoning_effort: 'low', reasoning: { effort: 'high' } })).status).toBe(400);
  expect((await chat({ reasoning_effort: 'low', reasoning: { effort: 'low' } })).status).toBe(200);
  expect((await chat({ reasoning_effort: null, reasoning: { effort: 'high' } })).status).toBe(200);
});

test('accepts fields that only tune a completion, and those without effect here', async () => {
  const { chat } = createCoreGateway(createScriptedTransport((exchange) => whole(COMPLETION, exchange)));
  const body = {
    plugins: [
      { id: 'context-compression' },
      {
        id: 'web',
        enabled: false,
      },
      { id: 'auto-router' },
    ],
    transforms: ['middle-out'],
    route: 'fallback',
    preset: '',
    trace: { a: 1 },
    cache_control: { type: 'ephemeral' },
  };
  expect((await chat(body)).status).toBe(200);
});
