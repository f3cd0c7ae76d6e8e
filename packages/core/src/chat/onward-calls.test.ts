import type { GatewayOptions, Provider } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { expect, test } from 'vitest';

import {
  chunksOf,
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import { chunkings, toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import {
  createReplayTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import type { OpenAiPreset } from '../providers/provider-preset.ts';

const CITATIONS = ['https://a.example/1', 'https://b.example/2'];
const ANNOTATION = { type: 'url_citation', url_citation: { url: 'https://a.example/1', title: 'A' } };
const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  cost: 0.001,
  is_byok: true,
  cost_details: {
    upstream_inference_cost: 0.03,
    upstream_inference_prompt_cost: 0.01,
    upstream_inference_completions_cost: 0.02,
  },
  server_tool_use_details: { web_search_requests: 2, tool_calls_requested: 2, tool_calls_executed: 2 },
};
const COMPLETION = {
  id: 'gen-up',
  provider: 'Azure',
  citations: CITATIONS,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello', annotations: [ANNOTATION] },
      finish_reason: 'stop',
      native_finish_reason: 'STOP',
    },
  ],
  usage: USAGE,
};
const EVENTS = [
  { provider: 'Azure', choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
  { provider: 'Azure', choices: [{ index: 0, delta: { content: 'Hello', annotations: [ANNOTATION] } }] },
  {
    provider: 'Azure',
    citations: CITATIONS,
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop', native_finish_reason: 'STOP' }],
  },
  { provider: 'Azure', choices: [], usage: USAGE },
];

const EMBEDDING_MODELS = [
  ['test/model', 'up'],
  ['test/plain', 'plain'],
].map(([id = '', provider = '']) => ({
  id,
  architecture: { input_modalities: ['text'], output_modalities: ['embeddings'] },
  endpoints: [{ provider, providerModel: 'vectors', pricing: { prompt: '0.000001' } }],
}));

const replayWhole = (): ScriptedTransport =>
  createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(COMPLETION)] });

/** Uses no data, so that demands on privacy leave it in. */
const dataPolicy = { training: false, retainsPrompts: false };

function createUpstream(preset: string, transport: ScriptedTransport, slug = 'up'): Provider {
  const { name, dialect } = PRESETS[preset] as OpenAiPreset;
  const settings = { slug, name, baseUrl: 'https://up.example/api/v1', apiKey: 'key-of-up', dataPolicy };
  return createOpenAiProvider({ ...settings, preset, dialect, transport });
}

/** A gateway whose model `test/model` is at another gateway, and `test/plain` at an ordinary provider. */
function createChained(
  preset = 'openrouter',
  options: Partial<Omit<GatewayOptions, 'store' | 'platform'>> = {},
  transport = replayWhole(),
): CoreGateway & { readonly transport: ScriptedTransport } {
  const pricing = { prompt: '0.000001', completion: '0.000002' };
  const models = [
    { id: 'test/model', endpoints: [{ provider: 'up', providerModel: 'behind/model', pricing }] },
    { id: 'test/plain', endpoints: [{ provider: 'plain', providerModel: 'plain-1', pricing }] },
  ];
  const providers = [createUpstream(preset, transport), createUpstream('groq', transport, 'plain')];
  return { ...createCoreGateway(providers, { models, ...options }), transport };
}

const ask = { model: 'test/model', provider: null };
const errorOf = (response: Parameters<typeof jsonOf>[0]): { message: string; code: number } =>
  jsonOf(response)['error'] as { message: string; code: number };

test.each(['openrouter', 'gateway'])('%s searches the web where this gateway has no search engine', async (preset) => {
  const { chat, transport } = createChained(preset);
  const plugin = { id: 'web', max_results: 3, engine: 'exa' };
  expect((await chat({ ...ask, plugins: [plugin] })).status).toBe(200);
  expect(transport.latest().sent).toMatchObject({ model: 'behind/model', plugins: [plugin] });
  expect((await chat({ ...ask, model: 'test/model:online' })).status).toBe(200);
  expect(transport.latest().sent).toMatchObject({ model: 'behind/model', plugins: [{ id: 'web' }] });
  expect((await chat({ ...ask, plugins: [{ ...plugin, enabled: false }] })).status).toBe(200);
  expect(transport.latest().sent).not.toHaveProperty('plugins');
});

test('searches the web itself where it has an engine, and asks upstream for no second search', async () => {
  const searchEngine = { name: 'own', search: () => Promise.resolve([]) };
  const { chat, transport } = createChained('openrouter', { web: { searchEngine } });
  expect((await chat({ ...ask, plugins: [{ id: 'web' }] })).status).toBe(200);
  expect(transport.latest().sent).not.toHaveProperty('plugins');
});

test('refuses a search for a model that no gateway serves, and says so in an explanation', async () => {
  const { chat, post, transport } = createChained();
  for (const body of [{ plugins: [{ id: 'web' }] }, { model: 'test/plain:online' }]) {
    const response = await chat({ ...ask, model: 'test/plain', ...body });
    expect([response.status, errorOf(response).message]).toEqual([404, expect.stringContaining('plain (plugins.web)')]);
  }
  expect(transport.exchanges).toHaveLength(0);
  const explained = await post(
    '/admin/v1/explain',
    { model: 'test/plain:online', messages: [{ role: 'user', content: 'x' }] },
    { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } },
  );
  expect(jsonOf(explained)).toMatchObject({ data: { endpoints: [{ included: false, rule: 'plugins.web' }] } });
});

test('leaves no choice of models to upstream: plugins that choose one are refused as before', async () => {
  const { chat, transport } = createChained();
  for (const id of ['fusion', 'pareto-router', 'never-heard-of']) {
    expect((await chat({ ...ask, plugins: [{ id }] })).status).toBe(400);
  }
  expect(transport.exchanges).toHaveLength(0);
});

test('lets upstream moderate and read files where this gateway cannot', async () => {
  const { chat, transport } = createChained();
  const plugins = [{ id: 'moderation' }, { id: 'file-parser', pdf: { engine: 'mistral-ocr' } }];
  expect((await chat({ ...ask, plugins })).status).toBe(200);
  expect(transport.latest().sent).toMatchObject({ plugins });
});

test('sends image options to a gateway alone', async () => {
  const { chat, transport } = createChained();
  const image_config = { aspect_ratio: '16:9' };
  await chat({ ...ask, image_config });
  expect(transport.latest().sent).toMatchObject({ image_config });
  await chat({ ...ask, model: 'test/plain', image_config });
  expect(transport.latest().sent).not.toHaveProperty('image_config');
});

test('sends no preference of this gateway’s own, which another one would refuse', async () => {
  const { chat, transport } = createChained();
  const provider = { sort: 'price', continue_broken_streams: true };
  expect((await chat({ ...ask, provider })).status).toBe(200);
  expect(transport.latest().sent['provider']).toEqual({ sort: 'price' });
});

test('sends preferences that a gateway can follow, and only names that are not of this one', async () => {
  const { chat, transport } = createChained();
  const sent = async (provider: object): Promise<unknown> => {
    const response = await chat({ ...ask, provider });
    if (response.status !== 200) throw new Error(errorOf(response).message);
    return transport.latest().sent['provider'];
  };
  const all = {
    order: ['azure', 'openai/flex'],
    ignore: ['deepseek'],
    allow_fallbacks: false,
    require_parameters: false,
    data_collection: 'deny',
    zdr: true,
    enforce_distillable_text: false,
    sort: 'price',
    max_price: { prompt: 10, completion: '20' },
    preferred_min_throughput: 5,
    preferred_max_latency: { p90: 3 },
  };
  expect(await sent(all)).toEqual(all);
  expect(await sent({ only: ['up', 'azure'], order: ['up', 'plain', 'azure/east'] })).toEqual({
    only: ['azure'],
    order: ['azure/east'],
  });
  expect(await sent({ only: ['up'] })).toBeUndefined();
  expect(await sent({ only: [' UP', 'Azure'], order: ['OpenRouter', 'Plain/x', 'GROQ'] })).toEqual({
    only: ['Azure'],
  });
  expect(await sent({ only: ['azure'] })).toEqual({ only: ['azure'] });
  expect(await sent({ sort: { by: 'latency', partition: 'none' } })).toEqual({ sort: 'latency' });
  expect(await sent({})).toBeUndefined();
  expect(await sent({ zdr: false, data_collection: 'allow' })).toEqual({ zdr: false, data_collection: 'allow' });

  // A provider of this gateway is meant itself, and nothing but a gateway knows others.
  expect((await chat({ ...ask, provider: { only: ['plain'] } })).status).toBe(404);
  expect((await chat({ ...ask, model: 'test/plain', provider: { only: ['azure'] } })).status).toBe(404);
  await chat({ ...ask, model: 'test/plain', provider: { zdr: true } });
  expect(transport.latest().sent).not.toHaveProperty('provider');
});

test('asks a gateway where the order of the caller has a name that only a gateway can know', async () => {
  const transport = replayWhole();
  const providers = [createUpstream('openrouter', transport), createUpstream('groq', transport, 'plain')];
  const pricing = (prompt: string): object => ({ pricing: { prompt, completion: prompt } });
  const endpoints = [
    { provider: 'plain', providerModel: 'plain-1', ...pricing('0.000001') },
    { provider: 'up', providerModel: 'behind/model', ...pricing('0.000009') },
  ];
  const { chat } = createCoreGateway(providers, { models: [{ id: 'test/both', endpoints }] });
  for (const [order, model] of [
    [['azure'], 'behind/model'],
    [['plain', 'azure'], 'plain-1'],
    [['azure', 'plain'], 'behind/model'],
  ] as const) {
    expect((await chat({ model: 'test/both', provider: { order } })).status).toBe(200);
    expect(transport.latest().sent['model']).toBe(model);
  }
});

test('sends the preferences of embeddings, too', async () => {
  const embeddings = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: ['{"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":1,"total_tokens":1}}'],
  });
  const { post } = createChained('gateway', { account: { privacy: { zdr: true } } }, embeddings);
  const body = { model: 'test/model', input: 'x', provider: { only: ['azure'] } };
  expect((await post('/api/v1/embeddings', body)).status).toBe(200);
  expect(embeddings.latest().sent['provider']).toEqual({ only: ['azure'], zdr: true });
  await post('/api/v1/embeddings', { model: 'test/plain', input: 'x' });
  expect(embeddings.latest().sent).not.toHaveProperty('provider');
});

test('never loses the account’s and a guardrail’s demands on privacy on the way up', async () => {
  const account = { privacy: { zdr: true, allowTraining: false }, providers: { ignore: ['deepseek'] } };
  const ofAccount = createChained('openrouter', { account });
  await ofAccount.chat({ ...ask, provider: { zdr: false, data_collection: 'allow', ignore: ['azure'] } });
  expect(ofAccount.transport.latest().sent['provider']).toEqual({
    ignore: ['azure', 'deepseek'],
    zdr: true,
    data_collection: 'deny',
  });

  const guarded = createChained();
  const { headers } = await guardKey(guarded, {
    ignored_providers: ['deepinfra'],
    enforce_zdr_other: true,
    enable_paid_model_training: false,
    allowed_providers: ['up'],
  });
  expect((await guarded.chat(ask, { headers })).status).toBe(200);
  expect(guarded.transport.latest().sent['provider']).toEqual({
    ignore: ['deepinfra'],
    zdr: true,
    data_collection: 'deny',
  });
});

test('ignored names go up as the account and a guardrail have them, for providers behind the gateway, too', async () => {
  const core = createChained('openrouter', { account: { providers: { ignore: ['GROQ', 'novita'] } } });
  const { headers } = await guardKey(core, { ignored_providers: ['Azure', 'Groq'] });
  expect((await core.chat(ask, { headers })).status).toBe(200);
  expect(core.transport.latest().sent['provider']).toEqual({ ignore: ['GROQ', 'novita', 'Azure', 'Groq'] });
});

test('routing defaults of the account go up like preferences of the call, where it states none', async () => {
  const account = { routing: { order: ['Parasail', 'openrouter'], maxPrice: { prompt: '3' }, allowFallbacks: false } };
  const core = createChained('openrouter', { account });
  expect((await core.chat(ask)).status).toBe(200);
  expect(core.transport.latest().sent['provider']).toEqual({
    order: ['Parasail'],
    max_price: { prompt: '3' },
    allow_fallbacks: false,
  });
  await core.chat({ ...ask, provider: { sort: 'price', allow_fallbacks: true } });
  expect(core.transport.latest().sent['provider']).toEqual({
    sort: 'price',
    max_price: { prompt: '3' },
    allow_fallbacks: true,
  });
});

test('guards what goes up with a plugin, and lets none add texts that filters have to read', async () => {
  const redacting = { content_filters: [{ pattern: 'badger', action: 'redact' }] };
  const core = createChained();
  const { headers } = await guardKey(core, redacting);
  const refused = await core.chat({ ...ask, plugins: [{ id: 'web' }] }, { headers });
  expect([refused.status, errorOf(refused).message]).toEqual([403, expect.stringContaining('content filters')]);
  expect(core.transport.exchanges).toHaveLength(0);

  await core.chat(
    { ...ask, plugins: [{ id: 'moderation', note: 'a badger' }], image_config: { a: 'badger' } },
    { headers },
  );
  expect(JSON.stringify(core.transport.latest().sent)).not.toContain('badger');

  const flagging = createChained();
  const flagged = await guardKey(flagging, { content_filters: [{ pattern: 'badger', action: 'flag' }] });
  expect((await flagging.chat({ ...ask, plugins: [{ id: 'web' }] }, { headers: flagged.headers })).status).toBe(200);
});

test('filters the sources that come back, like every text of a completion', async () => {
  const core = createChained();
  const { headers } = await guardKey(core, {
    content_filters: [{ pattern: 'b\\.example', action: 'redact', direction: 'output' }],
  });
  const response = jsonOf(await core.chat(ask, { headers }));
  expect(JSON.stringify(response)).not.toContain('b.example');
  expect(response['citations']).toHaveLength(2);
});

const EXPECTED_USAGE = {
  // With a key of its own the account pays both.
  cost: 0.031,
  is_byok: true,
  cost_details: USAGE.cost_details,
  server_tool_use_details: USAGE.server_tool_use_details,
  server_tool_use: { web_search_requests: 2 },
};
const EXPECTED_RECORD = {
  record: {
    costNanoUsd: 31_000_000,
    generation: {
      provider_name: 'OpenRouter',
      upstream_provider_name: 'Azure',
      // The credits of the account are spent, whoever owns the key behind the gateway.
      is_byok: false,
      upstream_is_byok: true,
      native_finish_reason: 'STOP',
      upstream_inference_cost: 0.03,
      server_tool_use_details: USAGE.server_tool_use_details,
    },
  },
  content: { output: { completion: 'Hello', annotations: [ANNOTATION], citations: CITATIONS } },
};

test('hands back who served a call, what it cost and what it cites', async () => {
  const { chat, store } = createChained();
  expect(jsonOf(await chat(ask))).toMatchObject({
    provider: 'Azure',
    citations: CITATIONS,
    choices: [{ message: { content: 'Hello', annotations: [ANNOTATION] }, native_finish_reason: 'STOP' }],
    usage: EXPECTED_USAGE,
  });
  expect(store.appended[0]).toMatchObject(EXPECTED_RECORD);
});

test('embeddings hand back who served them and what they cost there', async () => {
  const whole = {
    id: 'gen-up',
    provider: 'Azure',
    data: [{ index: 0, embedding: [0.5] }],
    usage: { prompt_tokens: 10, total_tokens: 10, cost: 0.004, is_byok: false },
  };
  const transport = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify(whole)],
  });
  const { post, store } = createChained('openrouter', { models: EMBEDDING_MODELS }, transport);
  const embed = async (model: string) => jsonOf(await post('/api/v1/embeddings', { model, input: 'Hi' }));
  expect(await embed('test/model')).toMatchObject({ provider: 'Azure', usage: { cost: 0.004, is_byok: false } });
  expect(store.appended[0]?.record).toMatchObject({
    generation: { provider_name: 'OpenRouter', upstream_provider_name: 'Azure', total_cost: 0.004 },
    costNanoUsd: 4_000_000,
  });
  // An ordinary provider is itself the one that served the call, whatever its response says.
  expect(await embed('test/plain')).toMatchObject({ provider: 'Groq', usage: { cost: 0.004 } });
});

test('an empty list of annotations stays, whole and streamed', async () => {
  const message = { role: 'assistant', content: 'Hello', annotations: [] };
  const pieces = [JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })];
  const transport = createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces });
  expect(jsonOf(await createChained('openrouter', {}, transport).chat(ask))).toMatchObject({
    choices: [{ message: { content: 'Hello', annotations: [] } }],
  });
  const events = [
    { choices: [{ index: 0, delta: { content: 'Hello', annotations: [] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ];
  for (const [chunking, streamed] of chunkings(toEventPieces(events))) {
    const { chat } = createChained('openrouter', {}, createReplayTransport({ pieces: streamed }));
    const chunks = chunksOf(await readFrames(await chat({ ...ask, stream: true })).rest());
    const lists = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta['annotations']));
    expect({ chunking, lists: lists.filter((list) => list !== undefined) }).toEqual({ chunking, lists: [[]] });
  }
});

test('hands back the same from a stream, in any chunking', async () => {
  for (const [chunking, pieces] of chunkings(toEventPieces(EVENTS))) {
    const { chat, store } = createChained('openrouter', {}, createReplayTransport({ pieces }));
    const chunks = chunksOf(await readFrames(await chat({ ...ask, stream: true })).rest());
    expect({ chunking, providers: new Set(chunks.map(({ provider }) => provider)) }).toEqual({
      chunking,
      providers: new Set(['Azure']),
    });
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta['annotations'] ?? [])).toEqual([ANNOTATION]);
    expect(chunks.at(-1)).toMatchObject({ citations: CITATIONS, usage: EXPECTED_USAGE });
    expect(store.appended[0]).toMatchObject(EXPECTED_RECORD);
  }
});
