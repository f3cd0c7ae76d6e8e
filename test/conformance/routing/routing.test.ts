import type { ModelDefinition, Provider } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createUndiciTransport, type UndiciTransport } from '@model-gateway/node/undici';
import { OpenRouter } from '@openrouter/sdk';
import type { ChatRequest, ChatResult, ChatStreamChunk, OpenRouterMetadata } from '@openrouter/sdk/models';
import * as errors from '@openrouter/sdk/models/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { readAll } from '../../support/async/read-all.ts';
import { type Host, startHost } from '../../support/conformance/hosts.ts';
import {
  createTestGateway,
  TEST_KEY,
  TEST_MANAGEMENT_KEY,
  type TestGateway,
} from '../../support/gateways/test-gateway.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const SLUGS = ['cheap', 'private', 'dear'] as const;
type Slug = (typeof SLUGS)[number];

const endpoint = (
  provider: Slug,
  usdAMillion: number,
  more: Partial<ModelDefinition['endpoints'][number]> = {},
): ModelDefinition['endpoints'][number] => ({
  provider,
  providerModel: `text-of-${provider}`,
  pricing: { prompt: (usdAMillion / 1e6).toFixed(9), completion: (usdAMillion / 1e6).toFixed(9) },
  ...more,
});

const MODELS: readonly ModelDefinition[] = [
  {
    id: 'r/chat',
    endpoints: [
      endpoint('cheap', 1, { quantization: 'fp8', context_length: 2000 }),
      endpoint('private', 2, { quantization: 'fp16', supported_parameters: ['seed', 'max_tokens'] }),
      endpoint('dear', 9, { quantization: 'bf16', supported_parameters: ['tools', 'max_tokens'] }),
    ],
  },
  { id: 'r/down', endpoints: [endpoint('cheap', 1, { providerModel: 'broken' })] },
  { id: 'r/other', endpoints: [endpoint('dear', 9)] },
  { id: 'r/gratis', endpoints: [endpoint('private', 0)] },
  { id: 'r/series-1', created: 1, endpoints: [endpoint('cheap', 1)] },
  { id: 'r/series-2', created: 2, endpoints: [endpoint('cheap', 1)] },
];

let upstream: ScriptedUpstream;
let transport: UndiciTransport;
let gateway: TestGateway;
let host: Host;
let client: OpenRouter;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  transport = createUndiciTransport();
  const toProvider = (slug: Slug): Provider =>
    createOpenAiProvider({
      slug,
      name: slug,
      baseUrl: upstream.baseUrl,
      transport,
      ...(slug === 'private' && { dataPolicy: { training: false, retainsPrompts: false } }),
    });
  gateway = createTestGateway(upstream, { providers: SLUGS.map(toProvider), models: MODELS });
  host = await startHost('node', gateway.gateway);
  client = new OpenRouter({ apiKey: TEST_KEY, serverURL: host.apiUrl, retryConfig: { strategy: 'none' } });
});
afterAll(async () => {
  await gateway.close();
  await transport.close();
  await host.close();
  await upstream.close();
});

const toRequest = (request: Partial<ChatRequest>): ChatRequest => ({
  model: 'r/chat',
  messages: [{ role: 'user', content: 'Hello!' }],
  ...request,
});

async function send(request: Partial<ChatRequest>): Promise<ChatResult> {
  const chatRequest = { ...toRequest(request), stream: false as const };
  return (await client.chat.send({ chatRequest, xOpenRouterMetadata: 'enabled' })) as ChatResult;
}

const selectedOf = (metadata: OpenRouterMetadata | undefined): readonly string[] =>
  (metadata?.endpoints.available ?? []).flatMap(({ provider, selected }) => (selected ? [provider] : []));

/** Whom five such requests in a row went to. */
async function servedBy(request: Partial<ChatRequest>): Promise<string> {
  const served = new Set<string>();
  for (let i = 0; i < 5; i += 1) {
    const before = upstream.calls.length;
    const [selected = ''] = selectedOf((await send(request)).openrouterMetadata);
    // The explanation agrees with the calls that were made.
    expect(upstream.calls.slice(before).map(({ body }) => body.model)).toEqual([`text-of-${selected}`]);
    served.add(selected);
  }
  return [...served].join();
}

test.each<[string, Partial<ChatRequest>, Slug]>([
  ['order', { provider: { order: ['dear', 'cheap'] } }, 'dear'],
  ['only', { provider: { only: ['private'] } }, 'private'],
  ['ignore', { provider: { ignore: ['cheap', 'private'] } }, 'dear'],
  ['sort', { provider: { sort: 'price' } }, 'cheap'],
  ['sort.by', { provider: { sort: { by: 'price', partition: 'none' } } }, 'cheap'],
  ['allow_fallbacks', { provider: { order: ['private'], allowFallbacks: false } }, 'private'],
  ['require_parameters', { provider: { requireParameters: true }, seed: 1 }, 'private'],
  ['data_collection', { provider: { dataCollection: 'deny' } }, 'private'],
  ['zdr', { provider: { zdr: true } }, 'private'],
  ['quantizations', { provider: { quantizations: ['bf16'] } }, 'dear'],
  ['max_price', { provider: { maxPrice: { prompt: '1.5' } } }, 'cheap'],
  [
    'the context length',
    { provider: { sort: 'price' }, messages: [{ role: 'user', content: 'x'.repeat(15_000) }] },
    'private',
  ],
  [
    'the tools asked for',
    { provider: { ignore: ['cheap'] }, tools: [{ type: 'function', function: { name: 'f' } }] },
    'dear',
  ],
  ['a variant', { model: 'r/chat:floor' }, 'cheap'],
])('the OpenRouter client heeds %s', async (_name, request, expected) => {
  expect(await servedBy(request)).toBe(expected);
});

test('the OpenRouter client keeps a session where it is', async () => {
  for (const sessionId of ['one', 'two', 'three']) expect(SLUGS).toContain(await servedBy({ sessionId }));
});

test('the OpenRouter client falls back through its models, and reads how', async () => {
  const result = await send({ model: 'r/down', models: ['r/other'] });
  expect(result.model).toBe('r/other');
  expect(result.openrouterMetadata).toMatchObject({
    requested: 'r/down',
    strategy: 'fallback',
    attempt: 2,
    isByok: false,
    attempts: [
      { provider: 'cheap', model: 'r/down', status: 500 },
      { provider: 'dear', model: 'r/other', status: 200 },
    ],
  });
});

test.each([
  ['~r/series-latest', 'r/series-2', 'latest'],
  ['openrouter/free', 'r/gratis', 'free'],
])('the OpenRouter client asks for %s and gets %s', async (model, served, strategy) => {
  const result = await send({ model });
  expect(result.model).toBe(served);
  expect(result.openrouterMetadata?.strategy).toBe(strategy);
});

test('the OpenRouter client gets a model of the automatic router', async () => {
  const result = await send({
    model: 'openrouter/auto',
    plugins: [{ id: 'auto-router', allowedModels: ['r/series-*'] }],
  });
  expect(result.model).toMatch(/^r\/series-\d$/);
  expect(result.openrouterMetadata?.strategy).toBe('auto');
});

test('the OpenRouter client reads the metadata of a stream on its last chunk', async () => {
  const chatRequest = { ...toRequest({ provider: { order: ['dear'] } }), stream: true as const };
  const chunks = await readAll(
    (await client.chat.send({ chatRequest, xOpenRouterMetadata: 'enabled' })) as AsyncIterable<ChatStreamChunk>,
  );
  expect(chunks.filter(({ openrouterMetadata }) => openrouterMetadata !== undefined)).toEqual([chunks.at(-1)]);
  expect(selectedOf(chunks.at(-1)?.openrouterMetadata)).toEqual(['dear']);
});

test('the OpenRouter client reads the metadata beside an error', async () => {
  const failure = await failureOf(send({ provider: { only: ['nobody'] } }));
  expect(failure).toBeInstanceOf(errors.NotFoundResponseError);
  expect((failure as errors.NotFoundResponseError).openrouterMetadata).toMatchObject({
    attempt: 0,
    endpoints: { total: 3, available: [] },
  });
});

test('the OpenRouter client reads the health of endpoints', async () => {
  await send({ provider: { only: ['dear'] } });
  const { data } = await client.endpoints.list({ author: 'r', slug: 'chat' });
  const dear = data.endpoints.find(({ tag }) => tag === 'dear');
  expect(dear).toMatchObject({ status: 0, uptimeLast5m: 100, uptimeLast30m: 100, uptimeLast1d: 100 });
  expect(dear?.latencyLast30m?.p50).toBeGreaterThan(0);
  expect(dear?.throughputLast30m?.p99).toBeGreaterThan(0);
});

test('a management key has every one of these routes explained, and no provider is called for it', async () => {
  const before = upstream.calls.length;
  const response = await fetch(host.apiUrl.replace('/api/v1', '/admin/v1/explain'), {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_MANAGEMENT_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...toRequest({}), provider: { ignore: ['cheap'], zdr: true } }),
  });
  const { data } = (await response.json()) as { data: { endpoints: { provider: string; rule: string | null }[] } };
  expect(data.endpoints.map(({ provider, rule }) => [provider, rule])).toEqual([
    ['private', null],
    ['cheap', 'ignore'],
    ['dear', 'zdr'],
  ]);
  expect(upstream.calls.length).toBe(before);
});
