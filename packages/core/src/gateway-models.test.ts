import { expect, test } from 'vitest';

import {
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  MANAGEMENT_KEY,
} from '../../../test/support/gateways/core-gateway.ts';
import { createScriptedTransport } from '../../../test/support/upstreams/scripted-transport.ts';
import type { DiscoveredModel, Provider } from './providers/provider.ts';
import { modelEndpointsSchema, modelListSchema } from './wire/models.ts';

const idle = createScriptedTransport();

// Models

test('warns at the start of a default model that no request could name', async () => {
  const warned = async (defaultModel: string): Promise<unknown> => {
    const { gateway, logged } = createCoreGateway(idle, { account: { defaultModel } });
    await gateway.start();
    await gateway.close();
    return logged.filter(({ line }) => line.startsWith('warn the default model'));
  };
  expect(await warned('acme/chta')).toEqual([
    {
      line: 'warn the default model is unknown; requests that name no model are refused',
      fields: { reason: 'account.defaultModel: "acme/chta" is not a model in the catalog; the nearest is "acme/chat"' },
    },
  ]);
  expect(await warned('acme/chat:nitro')).toEqual([]);
});

test('lists models in the form that the official client insists on', async () => {
  const { get } = createCoreGateway(idle);
  const body = jsonOf(await get('/api/v1/models'));
  expect(modelListSchema.parse(body)).toEqual(body);
  expect(body).toMatchObject({
    total_count: 2,
    links: { next: null },
    data: [{ id: 'acme/chat' }, { id: 'acme/other' }],
  });
});

test('pages through models so that following the links shows each once', async () => {
  const models = Array.from({ length: 7 }, (_, i) => ({
    id: `acme/m${i}`,
    endpoints: [{ provider: 'acme', providerModel: 'm' }],
  }));
  const { get } = createCoreGateway(idle, { models });
  const seen: unknown[] = [];
  let path: string | null = '/api/v1/models?limit=3&sort=most-popular&q=acme';
  for (let page = 0; path !== null && page < 10; page += 1) {
    const body = jsonOf(await get(path)) as {
      data: { id: string }[];
      total_count: number;
      links: { next: string | null };
    };
    expect(body.total_count).toBe(7);
    seen.push(...body.data.map(({ id }) => id));
    path = body.links.next;
    expect(path ?? '/api/v1/models?q=acme').toMatch(/^\/api\/v1\/models\?.*q=acme/);
  }
  expect(seen).toEqual(models.map(({ id }) => id));
  expect(jsonOf(await get('/api/v1/models?offset=7&limit=3'))).toMatchObject({
    data: [],
    total_count: 7,
    links: { next: null },
  });
  expect(jsonOf(await get('/api/v1/models?offset=5'))).toMatchObject({
    data: [{ id: 'acme/m5' }, { id: 'acme/m6' }],
    links: { next: null },
  });
  expect((await get('/api/v1/models?limit=0')).status).toBe(400);
});

test('counts models with the same default as the list', async () => {
  const film = {
    id: 'acme/film',
    architecture: { output_modalities: ['video'] },
    endpoints: [{ provider: 'acme', providerModel: 'f' }],
  };
  const { get } = createCoreGateway(idle, {
    models: [film, { id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'c' }] }],
  });
  const count = async (query: string): Promise<unknown> => jsonOf(await get(`/api/v1/models/count${query}`))['data'];
  expect(await count('')).toEqual({ count: 1 });
  expect(await count('?output_modalities=video')).toEqual({ count: 1 });
  expect(await count('?output_modalities=all')).toEqual({ count: 2 });
});

test('lists for the user the models of which the account leaves an endpoint', async () => {
  const { get } = createCoreGateway(idle, { account: { providers: { ignore: ['beta'] } } });
  const { data } = jsonOf(await get('/api/v1/models/user')) as { data: { id: string; pricing: { prompt: string } }[] };
  expect(data.map(({ id, pricing }) => [id, pricing.prompt])).toEqual([['acme/chat', '0.000001']]);
  // Administrators see all models.
  expect(jsonOf(await get('/api/v1/models', MANAGEMENT_KEY))).toMatchObject({ total_count: 2 });
});

test('lists the endpoints of a model, also under its dated name', async () => {
  const models = [
    {
      id: 'acme/chat:free',
      canonical_slug: 'acme/chat-2026',
      endpoints: [
        { provider: 'acme', providerModel: 'c' },
        { provider: 'beta', providerModel: 'c' },
      ],
    },
  ];
  const { get } = createCoreGateway(idle, { models });
  for (const path of [
    '/api/v1/models/acme/chat%3Afree/endpoints',
    '/api/v1/models/acme/chat:free/endpoints',
    '/api/v1/models/acme/chat-2026/endpoints',
  ]) {
    const body = jsonOf(await get(path));
    expect(modelEndpointsSchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({ data: { id: 'acme/chat:free', endpoints: [{ tag: 'acme' }, { tag: 'beta' }] } });
  }
  expect((await get('/api/v1/models/acme/none/endpoints')).status).toBe(404);
});

// Discovery

interface Discovering {
  readonly provider: Provider;
  list: () => Promise<readonly DiscoveredModel[]>;
  asked: number;
}

function discovering(): Discovering {
  const state: Discovering = {
    asked: 0,
    list: () => Promise.resolve([{ id: 'llama3:8b' }]),
    provider: {
      ...createScriptedProvider('local', [
        [{ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop', native_finish_reason: 'stop' }] }],
      ]),
      discoverModels: true,
      listModels: () => {
        state.asked += 1;
        return state.list();
      },
    },
  };
  return state;
}

test('offers the models of local servers, and reads their lists every minute until it closes', async () => {
  const local = discovering();
  const { gateway, get, chat, platform } = createCoreGateway([local.provider], { models: [] });
  await gateway.start();
  const ids = async (): Promise<string[]> =>
    (jsonOf(await get('/api/v1/models'))['data'] as { id: string }[]).map(({ id }) => id);
  expect(await ids()).toEqual(['local/llama3:8b']);
  expect((await chat({ model: 'local/llama3:8b' })).status).toBe(200);

  local.list = () => Promise.resolve([{ id: 'qwen' }]);
  await platform.advance(61_000);
  expect(await ids()).toEqual(['local/qwen']);

  const asked = local.asked;
  await gateway.close();
  await platform.advance(300_000);
  expect(local.asked).toBe(asked);
});

test('offers what a list says is no chat model as what it is, and refuses chats with it', async () => {
  const local = discovering();
  local.list = () => Promise.resolve([{ id: 'llama3:8b' }, { id: 'bge-m3', outputModalities: ['embeddings'] }]);
  const embeddings = () => Promise.reject(new Error('is not called'));
  const { gateway, get, chat } = createCoreGateway([{ ...local.provider, embeddings }], { models: [] });
  await gateway.start();
  const ids = async (path: string): Promise<string[]> =>
    (jsonOf(await get(path))['data'] as { id: string }[]).map(({ id }) => id);
  expect(await ids('/api/v1/models')).toEqual(['local/llama3:8b']);
  expect(await ids('/api/v1/models?output_modalities=embeddings')).toEqual(['local/bge-m3']);
  expect(await ids('/api/v1/embeddings/models')).toEqual(['local/bge-m3']);
  const refused = await chat({ model: 'local/bge-m3' });
  expect([refused.status, refused.body]).toEqual([400, expect.stringContaining('it is called by POST /embeddings')]);
  await gateway.close();
});

test('keeps the models of a server that does not respond, and logs it', async () => {
  const local = discovering();
  const { gateway, get, logged, platform } = createCoreGateway([local.provider], { models: [] });
  await gateway.start();
  local.list = () => Promise.reject(new Error('connection refused'));
  await platform.advance(61_000);
  expect(jsonOf(await get('/api/v1/models'))).toMatchObject({ total_count: 1 });
  expect(logged).toContainEqual({
    line: 'warn models could not be discovered',
    fields: { provider: 'local', reason: 'Error: connection refused' },
  });
});

test('reads no list of a provider without discovery', async () => {
  const local = discovering();
  const { gateway, platform } = createCoreGateway([{ ...local.provider, discoverModels: false }], { models: [] });
  await gateway.start();
  expect(local.asked).toBe(0);
  expect(platform.pendingTimers).toBe(0);
});
