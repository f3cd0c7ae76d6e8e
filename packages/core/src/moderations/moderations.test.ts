import type { ModelDefinition } from '@model-gateway/core';
import { expect, test } from 'vitest';

import {
  type CoreGateway,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
} from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import {
  createReplayTransport,
  createScriptedTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const ENDPOINTS = [
  { provider: 'acme', providerModel: 'judge-1', pricing: { prompt: '0.000001' } },
  { provider: 'beta', providerModel: 'judge-b', pricing: { prompt: '0.000002' } },
];
const MODELS: readonly ModelDefinition[] = [
  {
    id: 'acme/judge',
    context_length: 8192,
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['moderation'] },
    endpoints: ENDPOINTS,
  },
  {
    id: 'acme/chat',
    architecture: { input_modalities: ['text'], output_modalities: ['text'] },
    endpoints: [{ provider: 'acme', providerModel: 'chat-1' }],
  },
];

/** As OpenAI responds: all categories, and null for one that the model does not know. */
const found = (violence: number) => ({
  flagged: violence > 0.5,
  categories: { violence: violence > 0.5, illicit: null },
  category_scores: { violence, illicit: null },
  category_applied_input_types: { violence: ['text'], illicit: null },
});
const shown = (violence: number) => ({
  flagged: violence > 0.5,
  categories: { violence: violence > 0.5 },
  category_scores: { violence },
  category_applied_input_types: { violence: ['text'] },
});
const body = (...results: readonly object[]): string => JSON.stringify({ id: 'modr-1', model: 'judge-1', results });

const replay = (...pieces: readonly string[]): ScriptedTransport =>
  createReplayTransport(...pieces.map((piece) => ({ headers: JSON_TYPE, pieces: [piece] })));

const judge = (core: CoreGateway, request: object, headers?: Readonly<Record<string, string>>) =>
  core.post(
    '/api/v1/moderations',
    { model: 'acme/judge', provider: { sort: 'price' }, ...request },
    headers === undefined ? {} : { headers },
  );

test('judges several texts apart, and records the call with what was found', async () => {
  const upstream = replay(body(found(0.9), found(0.1)));
  const core = createCoreGateway(upstream, { models: MODELS });
  const response = await judge(core, { input: ['I will hit you', 'Good morning'] });
  const { record, content } = core.store.appended[0] ?? {};
  const { id } = record?.generation ?? {};
  expect(response).toMatchObject({ status: 200, headers: { 'x-generation-id': id } });
  expect(jsonOf(response)).toMatchObject({
    id,
    model: 'acme/judge',
    provider: 'Acme',
    results: [shown(0.9), shown(0.1)],
    usage: { prompt_tokens: 7, total_tokens: 7, cost: 0.000007 },
  });
  expect(upstream.latest().sent).toEqual({
    model: 'judge-1',
    input: ['I will hit you', 'Good morning'],
  });
  expect(record?.generation).toMatchObject({ api_type: 'moderation', upstream_id: 'modr-1', tokens_prompt: 7 });
  expect(content?.output).toEqual({ completion: JSON.stringify([shown(0.9), shown(0.1)]), reasoning: null });
});

test('judges the parts of a message together, pictures included', async () => {
  const upstream = replay(body(found(0.2)));
  const core = createCoreGateway(upstream, { models: MODELS });
  const input = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } },
  ];
  const response = await judge(core, { input });
  expect(jsonOf(response)).toMatchObject({ results: [shown(0.2)] });
  expect(upstream.latest().sent).toEqual({ model: 'judge-1', input });
});

test('takes what Mistral returns: no verdict of its own, and the tokens', async () => {
  const result = { categories: { violence: false, pii: true }, category_scores: { violence: 0.1, pii: 0.8 } };
  const upstream = replay(JSON.stringify({ id: 'm-1', results: [result], usage: { prompt_tokens: 3 } }));
  const response = await judge(createCoreGateway(upstream, { models: MODELS }), { input: 'My number is 5' });
  expect(jsonOf(response)).toMatchObject({
    results: [{ flagged: true, ...result }],
    usage: { prompt_tokens: 3, cost: 0.000003 },
  });
});

test('means the model of OpenAI where a client names none', async () => {
  const models = [{ ...MODELS[0], id: 'openai/omni-moderation-latest', endpoints: ENDPOINTS }];
  const core = createCoreGateway(replay(body(found(0.1))), { models });
  const response = await core.post('/api/v1/moderations', { input: 'Hi' });
  expect(jsonOf(response)).toMatchObject({ model: 'openai/omni-moderation-latest' });
  const without = await createCoreGateway(replay(), { models: MODELS }).post('/api/v1/moderations', { input: 'Hi' });
  expect([without.status, without.body]).toEqual([400, expect.stringContaining('omni-moderation-latest')]);
});

test('asks the next endpoint after a failure, and after results that are too few', async () => {
  const upstream = replay(body(found(0.1)), body(found(0.1), found(0.2)));
  const core = createCoreGateway(upstream, { models: MODELS });
  const response = await judge(core, { input: ['one', 'two'] });
  expect(jsonOf(response)).toMatchObject({ provider: 'Beta', results: [{}, {}] });
  expect(core.store.appended[0]?.record.generation.provider_responses).toHaveLength(2);
});

test('redacts texts and parts before they are sent', async () => {
  const upstream = replay(body(found(0.1)), body(found(0.1)));
  const core = createCoreGateway(upstream, { models: MODELS });
  const { headers } = await guardKey(core, {
    content_filters: [{ pattern: 'secret', action: 'redact', label: '[x]' }],
  });
  await judge(core, { input: 'a secret' }, headers);
  await judge(core, { input: [{ type: 'text', text: 'the secret' }] }, headers);
  const sent = upstream.exchanges.map((exchange) => exchange.sent['input']);
  expect(sent).toEqual(['a [x]', [{ type: 'text', text: 'the [x]' }]]);
});

test('is refused by a budget that it could exceed, before anything is sent', async () => {
  const upstream = replay();
  const core = createCoreGateway(upstream, { models: MODELS, account: { creditsUsd: 0.00001 } });
  const response = await judge(core, { input: 'x'.repeat(100) });
  expect([response.status, upstream.exchanges, core.store.appended]).toEqual([402, [], []]);
});

test('ends with its client, and is recorded as cancelled', async () => {
  const upstream = createScriptedTransport();
  const core = createCoreGateway(upstream, { models: MODELS });
  const client = new AbortController();
  const pending = core.post('/api/v1/moderations', { model: 'acme/judge', input: 'Hi' }, { signal: client.signal });
  await expect.poll(() => upstream.exchanges.length).toBe(1);
  client.abort();
  expect((await pending).status).toBe(499);
  expect(upstream.latest().isClosed).toBe(true);
  expect(core.store.appended[0]?.record.generation).toMatchObject({ api_type: 'moderation', cancelled: true });
});

test.each([
  [{ input: [] }, 'input: must be a text, a list of texts, or a list of parts'],
  [{ input: [{ type: 'video_url' }] }, 'input: must be'],
  [{ input: 'Hi', model: 'acme/chat' }, 'model: acme/chat makes no moderation; it is called by POST /chat/completions'],
])('refuses %j', async (request, message) => {
  const response = await judge(createCoreGateway(replay(), { models: MODELS }), request);
  expect([response.status, response.body]).toEqual([400, expect.stringContaining(message)]);
});

test('refuses a chat with a model that moderates, and names the operation', async () => {
  const core = createCoreGateway([createScriptedProvider('acme', []), createScriptedProvider('beta', [])], {
    models: MODELS,
  });
  const response = await core.chat({ model: 'acme/judge' });
  expect([response.status, response.body]).toEqual([400, expect.stringContaining('it is called by POST /moderations')]);
});
