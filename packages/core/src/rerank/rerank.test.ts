import type { ModelDefinition } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { type CoreGateway, createCoreGateway, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import {
  createReplayTransport,
  createScriptedTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const toModel = (acme: object, beta: object): ModelDefinition => ({
  id: 'acme/ranker',
  context_length: 8192,
  architecture: { input_modalities: ['text'], output_modalities: ['rerank'] },
  endpoints: [
    { provider: 'acme', providerModel: 'ranker-1', pricing: acme },
    { provider: 'beta', providerModel: 'ranker-b', pricing: beta },
  ],
});
const CHAT: ModelDefinition = {
  id: 'acme/chat',
  architecture: { input_modalities: ['text'], output_modalities: ['text'] },
  endpoints: [{ provider: 'acme', providerModel: 'chat-1' }],
};
const BY_TOKENS = [toModel({ prompt: '0.000001' }, { prompt: '0.000002' }), CHAT];
const BY_SEARCHES = [toModel({ search_unit: '0.002' }, { search_unit: '0.002' }), CHAT];

const ranked = (...scores: readonly number[]) => scores.map((relevance_score, index) => ({ index, relevance_score }));
const body = (...scores: readonly number[]): string =>
  JSON.stringify({ id: 'up-1', results: ranked(...scores), usage: { total_tokens: 9 } });

const rank = (core: CoreGateway, request: object, headers?: Readonly<Record<string, string>>) =>
  core.post(
    '/api/v1/rerank',
    {
      model: 'acme/ranker',
      query: 'snow',
      documents: ['whale', 'fox'],
      provider: { order: ['acme', 'beta'] },
      ...request,
    },
    headers === undefined ? {} : { headers },
  );

const replay = (...pieces: readonly string[]): ScriptedTransport =>
  createReplayTransport(...pieces.map((piece) => ({ headers: JSON_TYPE, pieces: [piece] })));

test('puts the best document first, with usage, cost and the record of the call', async () => {
  const upstream = replay(body(0.1, 0.9));
  const core = createCoreGateway(upstream, { models: BY_TOKENS });
  const response = await rank(core, { documents: ['whale', { text: 'fox' }] });
  const { generation } = core.store.appended[0]?.record ?? {};
  expect(response).toMatchObject({ status: 200, headers: { 'x-generation-id': generation?.id } });
  expect(jsonOf(response)).toEqual({
    id: generation?.id,
    model: 'acme/ranker',
    meta: { billed_units: {} },
    provider: 'Acme',
    results: [
      { index: 1, relevance_score: 0.9, document: { text: 'fox' } },
      { index: 0, relevance_score: 0.1, document: { text: 'whale' } },
    ],
    usage: { total_tokens: 9, cost: 0.000009 },
  });
  expect(upstream.latest().request.url).toMatch(/\/rerank$/);
  expect(upstream.latest().sent).toEqual({ model: 'ranker-1', query: 'snow', documents: ['whale', 'fox'] });
  expect(generation).toMatchObject({
    api_type: 'rerank',
    model: 'acme/ranker',
    provider_name: 'Acme',
    upstream_id: 'up-1',
    tokens_prompt: 9,
    total_cost: 0.000009,
    streamed: false,
  });
});

test('charges search units exactly, and shows them in the record', async () => {
  const meta = { billed_units: { search_units: 3 } };
  const core = createCoreGateway(replay(JSON.stringify({ results: ranked(0.1, 0.9), meta })), { models: BY_SEARCHES });
  expect(jsonOf(await rank(core, {}))).toMatchObject({ usage: { search_units: 3, cost: 0.006 } });
  expect(core.store.appended[0]?.record.generation.total_cost).toBe(0.006);
});

test('takes a hundred documents for one search where upstream counts none', async () => {
  const documents = Array.from({ length: 101 }, (_, index) => `document ${index}`);
  const results = ranked(...documents.map(() => 0.5));
  const core = createCoreGateway(replay(JSON.stringify({ results })), { models: BY_SEARCHES });
  const { usage } = jsonOf(await rank(core, { documents }));
  expect(usage).toMatchObject({ cost: 0.004 });
  expect(usage).not.toHaveProperty('search_units');
});

test('leaves out a cost that is not known, because clients take no null here', async () => {
  const core = createCoreGateway(replay(body(1, 0)), { models: [toModel({}, {})] });
  expect(jsonOf(await rank(core, {}))['usage']).toEqual({ total_tokens: 9 });
  expect(core.store.appended[0]?.record.generation.total_cost).toBe(0);
});

test('returns as many documents as were asked for, also where upstream returns all', async () => {
  const upstream = replay(body(0.1, 0.9));
  const core = createCoreGateway(upstream, { models: BY_TOKENS });
  const { results } = jsonOf(await rank(core, { top_n: 1 })) as { results: object[] };
  expect(results).toMatchObject([{ index: 1 }]);
  expect(upstream.latest().sent).toMatchObject({ top_n: 1 });
});

test('reads the list as Voyage names it', async () => {
  const core = createCoreGateway(replay(JSON.stringify({ data: ranked(0.1, 0.9), usage: { total_tokens: 4 } })), {
    models: BY_TOKENS,
  });
  expect(jsonOf(await rank(core, {}))).toMatchObject({
    results: [{ index: 1 }, { index: 0 }],
    usage: { total_tokens: 4 },
  });
});

test.each([
  ['no JSON'],
  ['{}'],
  ['{"results":[{"index":0}]}'],
  [body(0.1)],
  [body(0.1, 0.2, 0.3)],
  ['{"results":[{"index":1,"relevance_score":1},{"index":1,"relevance_score":0}]}'],
])('calls the next endpoint when upstream sends %s', async (piece) => {
  const upstream = replay(piece, body(0.1, 0.9));
  const core = createCoreGateway(upstream, { models: BY_TOKENS });
  expect(await rank(core, {})).toMatchObject({ status: 200 });
  expect(upstream.exchanges.map(({ sent }) => sent['model'])).toEqual(['ranker-1', 'ranker-b']);
});

test('records a call that failed at every endpoint, and says why', async () => {
  const upstream = createReplayTransport({ status: 500, headers: JSON_TYPE, pieces: ['{}'] });
  const core = createCoreGateway(upstream, { models: BY_TOKENS });
  expect((await rank(core, {})).status).toBe(502);
  expect(core.store.appended.map(({ record }) => record.generation.finish_reason)).toEqual(['error']);
});

test('records a call as cancelled when its client leaves, and closes upstream at once', async () => {
  const upstream = createScriptedTransport();
  const core = createCoreGateway(upstream, { models: BY_TOKENS });
  const client = new AbortController();
  const request = { model: 'acme/ranker', query: 'snow', documents: ['fox'] };
  const pending = core.post('/api/v1/rerank', request, { signal: client.signal });
  await expect.poll(() => upstream.exchanges.length).toBe(1);
  client.abort();
  expect((await pending).status).toBe(499);
  expect(upstream.latest().isClosed).toBe(true);
  expect(core.store.appended[0]?.record.generation).toMatchObject({ cancelled: true });
});

test('names the right operation for a model of another kind', async () => {
  const core = createCoreGateway(replay(body(1, 0)), { models: BY_TOKENS });
  const wrong = await rank(core, { model: 'acme/chat' });
  expect([wrong.status, JSON.stringify(jsonOf(wrong))]).toEqual([
    400,
    expect.stringContaining('POST /chat/completions'),
  ]);
  const messages = [{ role: 'user', content: 'Hello!' }];
  const chat = await core.post('/api/v1/chat/completions', { model: 'acme/ranker', messages });
  expect([chat.status, JSON.stringify(jsonOf(chat))]).toEqual([400, expect.stringContaining('POST /rerank')]);
});

test.each([
  { query: '' },
  { query: undefined },
  { documents: undefined },
  { documents: [] },
  { documents: [''] },
  { documents: [{}] },
  { documents: [1] },
  { documents: 'fox' },
  { top_n: 0 },
  { top_n: 1.5 },
])('refuses %j', async (request) => {
  const core = createCoreGateway(replay(body(1, 0)), { models: BY_TOKENS });
  expect((await rank(core, request)).status).toBe(400);
});

test('sends images only to models that take them', async () => {
  const core = createCoreGateway(replay(body(1, 0)), { models: BY_TOKENS });
  const documents = ['fox', { image: 'https://example.com/fox.png' }];
  expect((await rank(core, { documents })).status).toBe(404);
  const [model] = BY_TOKENS as [ModelDefinition, ModelDefinition];
  const architecture = { input_modalities: ['text', 'image'], output_modalities: ['rerank'] };
  const upstream = replay(body(1, 0));
  const seeing = createCoreGateway(upstream, { models: [{ ...model, architecture }] });
  expect(jsonOf(await rank(seeing, { documents }))).toMatchObject({ results: [{}, { document: documents[1] }] });
  expect(upstream.latest().sent).toMatchObject({ documents });
});

test('guardrails redact and block what is ranked, and the caller gets its own documents back', async () => {
  const upstream = replay(body(0.9, 0.1));
  const core = createCoreGateway(upstream, { models: BY_TOKENS });
  const filter = (action: string) => ({ content_filters: [{ pattern: 'code \\d+', action, label: '[CODE]' }] });
  const key = await guardKey(core, filter('redact'));
  const secret = 'code 42';
  const request = {
    query: `the ${secret}`,
    documents: [secret, { text: `a ${secret}` }],
    user: secret,
    session_id: secret,
  };
  const response = await rank(core, request, key.headers);
  expect(jsonOf(response)).toMatchObject({
    results: [{ document: { text: secret } }, { document: { text: `a ${secret}` } }],
  });
  expect(upstream.latest().sent).toMatchObject({ query: 'the [CODE]', documents: ['[CODE]', 'a [CODE]'] });
  expect(JSON.stringify(core.store.appended)).not.toContain(secret);
  await key.patch(filter('block'));
  expect((await rank(core, { documents: ['fox', secret] }, key.headers)).status).toBe(403);
  expect((await rank(core, { query: secret }, key.headers)).status).toBe(403);
  expect(upstream.exchanges).toHaveLength(1);
});

test.each([
  ['tokens', BY_TOKENS, 0.0002, { documents: ['x'.repeat(200), 'fox'] }],
  ['searches', BY_SEARCHES, 0.003, { documents: Array.from({ length: 101 }, () => 'fox') }],
])('budgets bound the cost of a call that is charged by %s', async (_by, models, creditsUsd, large) => {
  const upstream = replay(body(0.1, 0.9));
  const core = createCoreGateway(upstream, { models, account: { creditsUsd } });
  expect((await rank(core, large)).status).toBe(402);
  expect((await rank(core, {})).status).toBe(200);
  expect(upstream.exchanges).toHaveLength(1);
});

test('sorts by the price of a search, and bounds it', async () => {
  const models = [toModel({ search_unit: '0.003' }, { search_unit: '0.002' }), CHAT];
  const upstream = replay(body(1, 0));
  const core = createCoreGateway(upstream, { models });
  expect((await rank(core, { provider: { sort: 'price' } })).status).toBe(200);
  expect(upstream.latest().sent).toMatchObject({ model: 'ranker-b' });
  const bounded = (request: string) => rank(core, { provider: { order: ['acme'], max_price: { request } } });
  expect((await bounded('0.0025')).status).toBe(200);
  expect(upstream.latest().sent).toMatchObject({ model: 'ranker-b' });
  expect((await bounded('0.001')).status).toBe(404);
});

test('reports the routing of a call on request', async () => {
  const core = createCoreGateway(replay(body(1, 0)), { models: BY_TOKENS });
  const headers = { authorization: 'Bearer sk-test-api', 'x-openrouter-metadata': 'enabled' };
  expect(jsonOf(await rank(core, {}, headers))).toMatchObject({ openrouter_metadata: { requested: 'acme/ranker' } });
});
