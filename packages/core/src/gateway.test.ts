import { expect, onTestFinished, test, vi } from 'vitest';

import { settle } from '../../../test/support/async/virtual-platform.ts';
import { bodyOf } from '../../../test/support/gateways/body-of.ts';
import {
  API_KEY,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  MANAGEMENT_KEY,
  parseFrames,
  readFrames,
} from '../../../test/support/gateways/core-gateway.ts';
import { createRecordingStore } from '../../../test/support/stores/recording-store.ts';
import { toEvent, toEventPieces } from '../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport, createScriptedTransport } from '../../../test/support/upstreams/scripted-transport.ts';
import { ROUTES } from './api/routes.ts';
import { createGateway } from './gateway.ts';
import type { Principal } from './http/request.ts';
import type { DiscoveredModel, Provider, WholeProvider } from './providers/provider.ts';
import { createMemoryStore } from './stores/memory-store.ts';
import type { StoreReadiness } from './stores/store.ts';
import { modelEndpointsSchema, modelListSchema } from './wire/models.ts';

const idle = createScriptedTransport();
const piece = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] };
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const WHOLE = {
  headers: { 'content-type': 'application/json' },
  pieces: ['{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'],
};
const messages = [{ role: 'user', content: 'Hello' }];

// Who may do what

const NEEDS_KEY = ROUTES.filter(({ auth }) => auth !== 'none').map(
  (route) => [route.method, route.path, route.surface] as const,
);
const refuse = (): never => {
  throw new Error('the body must not be read');
};
const concrete = (path: string): string => path.replace('{author}', 'acme').replace('{slug+}', 'chat');

test.each(NEEDS_KEY)(
  'responds with 401 to %s %s without a key and with an unknown one',
  async (method, path, surface) => {
    const { gateway } = createCoreGateway(idle, { scimToken: 'a token that nobody sends' });
    for (const headers of [{}, { authorization: 'Bearer sk-unknown' }, { authorization: 'nonsense' }]) {
      const response = await gateway.handle({
        method,
        path: concrete(path),
        query: '',
        headers,
        baseUrl: '',
        signal: new AbortController().signal,
        readBody: refuse,
        openBody: refuse,
      });
      expect(response.status).toBe(401);
      if (surface === 'ollama') {
        expect(jsonOf(response)).toEqual({ error: expect.any(String) as string });
        continue;
      }
      if (path.startsWith('/scim/')) {
        expect(jsonOf(response)).toMatchObject({ status: '401', detail: expect.any(String) as string });
        continue;
      }
      if (surface === 'gemini') {
        expect(jsonOf(response)).toMatchObject({ error: { status: 'UNAUTHENTICATED' } });
        continue;
      }
      const { error } = jsonOf(response) as { error: Record<string, unknown> & { metadata?: { error_type: string } } };
      // Some formats have it beside the message.
      expect(error['error_type'] ?? error.metadata?.error_type).toBe('authentication');
    }
  },
);

test('says why a key of the wrong kind is refused', async () => {
  const { post, chat } = createCoreGateway(idle);
  expect(jsonOf(await post('/api/v1/keys', { name: 'x' }))).toMatchObject({
    error: {
      code: 403,
      message: 'Only management keys can perform this operation',
      metadata: { error_type: 'permission_denied' },
    },
  });
  expect(jsonOf(await chat({}, { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } }))).toMatchObject({
    error: { code: 403, message: 'Management keys cannot call models; use an API key' },
  });
});

test('responds with 404 and 405 before it requires a key', async () => {
  const { gateway, get } = createCoreGateway(idle);
  expect((await get('/api/v1/nothing', null)).status).toBe(404);
  const wrongMethod = await get('/api/v1/chat/completions', null);
  expect(wrongMethod).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  expect(gateway.matches('GET', '/metrics', ['api'])).toBe(false);
  expect(gateway.matches('GET', '/metrics', ['metrics'])).toBe(true);
});

test('says which kind of principal a route requires', () => {
  const { gateway } = createCoreGateway(idle);
  expect(gateway.authOf('POST', '/api/v1/embeddings')).toBe('api');
  expect(gateway.authOf('HEAD', '/api/v1/keys')).toBe('management');
  expect(gateway.authOf('GET', '/health')).toBe('none');
  expect(gateway.authOf('GET', '/api/v1/embeddings')).toBeUndefined();
});

test('responds to HEAD as to GET, without a body', async () => {
  const { gateway } = createCoreGateway(idle);
  const response = await gateway.handle({
    method: 'HEAD',
    path: '/health',
    query: '',
    headers: {},
    baseUrl: '',
    signal: new AbortController().signal,
    ...bodyOf(),
  });
  const headers = {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^req-/) as string,
  };
  expect(response).toEqual({ status: 200, headers, body: null });
});

test('returns the caller to hosts', async () => {
  const { gateway } = createCoreGateway(idle);
  const request = {
    method: 'GET',
    path: '/',
    query: '',
    baseUrl: '',
    signal: new AbortController().signal,
    ...bodyOf(),
  };
  expect(await gateway.authenticate({ ...request, headers: { authorization: `Bearer ${API_KEY}` } })).toMatchObject({
    kind: 'api',
    name: 'dev',
  });
  await expect(gateway.authenticate({ ...request, headers: {} })).rejects.toMatchObject({ code: 'authentication' });
});

test('responds with 500 without the reason, and logs it, after an internal failure', async () => {
  const { get, logged } = createCoreGateway(idle, {
    authenticate: () => {
      throw new TypeError('secret.users is undefined');
    },
  });
  const response = await get('/api/v1/models');
  expect(response.status).toBe(500);
  expect(response.body).not.toContain('secret');
  expect(logged).toEqual([
    {
      line: 'error a request failed',
      fields: {
        requestId: response.headers['x-request-id'],
        path: '/api/v1/models',
        reason: expect.stringContaining('secret.users') as string,
      },
    },
  ]);
});

test('works with nothing but providers and a store', async () => {
  const gateway = createGateway({ providers: [], store: createMemoryStore() });
  const response = await gateway.handle({
    method: 'GET',
    path: '/api/v1/models',
    query: '',
    headers: {},
    baseUrl: '',
    signal: new AbortController().signal,
    principal: {
      kind: 'api',
      id: 'host',
      name: 'host',
    },
    ...bodyOf(),
  });
  expect(jsonOf(response)).toEqual({ data: [], total_count: 0, links: { next: null } });
});

test('refuses to start with a model whose provider is not there', () => {
  const model = { id: 'a/b', endpoints: [{ provider: 'nobody', providerModel: 'x' }] };
  expect(() => createGateway({ providers: [], models: [model], store: createMemoryStore() })).toThrow(RangeError);
});

// Bodies

test.each([
  ['nothing', '', 400],
  ['no JSON', '{', 400],
  ['a list', '[]', 400],
  ['no messages', '{"model":"acme/chat"}', 400],
  ['no model', '{"messages":[{"role":"user","content":"x"}]}', 400],
  ['an unknown model', '{"model":"acme/none","messages":[{"role":"user","content":"x"}]}', 400],
])('responds to a body of %s with its status', async (_name, body, status) => {
  const { chat } = createCoreGateway(idle);
  const response = await chat({}, { ...bodyOf(body) });
  expect(response.status).toBe(status);
  expect(jsonOf(response)).toMatchObject({ error: { code: status, metadata: { error_type: 'invalid_request' } } });
});

test('reports all issues of a body at once', async () => {
  const { chat } = createCoreGateway(idle);
  const response = await chat({
    temperature: 3,
    top_p: -1,
    stop: [1, 2, 3, 4, 5],
    metadata: { ['k'.repeat(65)]: 'v' },
    messages: [],
  });
  const { error } = jsonOf(response) as { error: { message: string; metadata: { issues: { path: string }[] } } };
  expect(error.metadata.issues.map(({ path }) => path)).toEqual([
    'messages',
    'temperature',
    'top_p',
    'stop',
    `metadata.${'k'.repeat(65)}`,
  ]);
  expect(error.message).toContain('(and 2 more)');
});

test('uses the account’s default model when a request names none', async () => {
  const { chat } = createCoreGateway(createReplayTransport(WHOLE), { account: { defaultModel: 'acme/other' } });
  expect(jsonOf(await chat({ model: null }))).toMatchObject({ model: 'acme/other' });
});

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

// Generations

test('shows a generation only to its caller and to management', async () => {
  const core = createCoreGateway(createReplayTransport(WHOLE));
  const made = jsonOf(
    await core.post('/api/v1/keys', { name: 'other' }, { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } }),
  );
  const { headers } = await core.chat();
  const id = headers['x-generation-id'];
  for (const [key, status] of [
    [API_KEY, 200],
    [MANAGEMENT_KEY, 200],
    [String(made['key']), 404],
  ] as const) {
    expect((await core.get(`/api/v1/generation?id=${id}`, key)).status).toBe(status);
    expect((await core.get(`/api/v1/generation/content?id=${id}`, key)).status).toBe(status);
  }
  expect(jsonOf(await core.get(`/api/v1/generation/content?id=${id}`))).toEqual({
    data: { input: { messages }, output: { completion: 'Hi', reasoning: null }, error: null },
  });
});

test.each([
  ['', 400, 'id: must be given'],
  ['?id=', 400, 'id: must have at least 1 character'],
  ['?id=x', 404, 'There is no generation x'],
  [`?id=${'x'.repeat(5000)}`, 404, `There is no generation ${'x'.repeat(100)}`],
])('responds to /generation%s with %d', async (query, status, message) => {
  const { get } = createCoreGateway(idle);
  for (const path of ['/api/v1/generation', '/api/v1/generation/content']) {
    const response = await get(path + query);
    expect(response.status).toBe(status);
    expect(jsonOf(response)).toMatchObject({ error: { message } });
  }
});

test('responds with 404 for content that was not stored', async () => {
  const { chat, get } = createCoreGateway(createReplayTransport(WHOLE), { logging: { inputOutput: false } });
  const { headers } = await chat();
  expect((await get(`/api/v1/generation?id=${headers['x-generation-id']}`)).status).toBe(200);
  const content = await get(`/api/v1/generation/content?id=${headers['x-generation-id']}`);
  expect(content.status).toBe(404);
  expect(jsonOf(content)).toMatchObject({
    error: { message: `No content is stored for generation ${headers['x-generation-id']}` },
  });
});

test.each([
  [
    'throws',
    () => {
      throw new Error('of the embedder');
    },
  ],
  ['rejects', () => Promise.reject(new Error('of the embedder'))],
])(
  'a listener of the embedder receives every recorded generation, and one that %s changes nothing',
  async (_, fail) => {
    const heard: unknown[] = [];
    const { chat, store, logged } = createCoreGateway(createReplayTransport(WHOLE), {
      onGeneration: (record) => {
        heard.push(record, store.appended.length);
        return fail();
      },
    });
    const { status, headers } = await chat();
    expect(status).toBe(200);
    expect(heard).toEqual([store.appended[0]?.record, 1]);
    await settle();
    expect(logged).toEqual([
      {
        line: 'error a listener to generations failed',
        fields: { id: headers['x-generation-id'], reason: 'Error: of the embedder' },
      },
    ]);
  },
);

// Keys

const asManagement = { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } };

test('makes a key that works at once, and shows it this one time', async () => {
  const { post, get, store } = createCoreGateway(idle);
  const response = await post(
    '/api/v1/keys',
    { name: 'ci', limit: 5, limit_reset: null, expires_at: '2027-01-01T00:00:00Z', creator_user_id: 'u1' },
    asManagement,
  );
  expect(response.status).toBe(201);
  const { data, key } = jsonOf(response) as { data: Record<string, unknown>; key: string };
  expect(data).toMatchObject({
    name: 'ci',
    limit: 5,
    limit_remaining: 5,
    limit_reset: null,
    disabled: false,
    usage: 0,
    byok_usage_monthly: 0,
    expires_at: '2027-01-01T00:00:00Z',
    creator_user_id: 'u1',
    external_user: null,
    updated_at: null,
  });
  expect(data['workspace_id']).toEqual(expect.any(String));
  expect(JSON.stringify([...(await store.keys.list())])).not.toContain(key);
  expect((await get('/api/v1/models', key)).status).toBe(200);

  const management = jsonOf(await post('/api/v1/keys', { name: 'ops', management: true }, asManagement));
  expect(
    (await post('/api/v1/keys', { name: 'x' }, { headers: { authorization: `Bearer ${String(management['key'])}` } }))
      .status,
  ).toBe(201);
});

test.each([
  [{}, 'name'],
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(201) }, 'name'],
  [{ name: 'x', limit: -1 }, 'limit'],
  [{ name: 'x', limit: '5' }, 'limit'],
  [{ name: 'x', limit_reset: 'hourly' }, 'limit_reset'],
  [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
  [{ name: 'x', limt: 5 }, 'limt'],
])('responds with 400 to a key of %j', async (body, path) => {
  const { post, store } = createCoreGateway(idle);
  const response = await post('/api/v1/keys', body, asManagement);
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({ error: { metadata: { issues: [{ path }] } } });
  expect(await store.keys.list()).toHaveLength(0);
});

// Health and figures

test('reports that it is healthy and ready', async () => {
  const { get } = createCoreGateway(idle);
  expect(jsonOf(await get('/health', null))).toEqual({ status: 'ok' });
  expect(jsonOf(await get('/ready', null))).toEqual({ status: 'ready' });
});

test('is healthy and not ready, with the reason, while its store cannot serve', async () => {
  let isReady = false;
  const recordingStore = Object.assign(createRecordingStore({}), {
    readiness: (): StoreReadiness => (isReady ? { isReady } : { isReady, reason: 'the database cannot be reached' }),
  });
  const { get } = createCoreGateway(idle, { recordingStore });
  expect(jsonOf(await get('/health', null))).toEqual({ status: 'ok', trouble: 'store_not_ready' });
  const response = await get('/ready', null);
  expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(jsonOf(response)).toMatchObject({
    error: { code: 503, message: 'The gateway is not ready: the database cannot be reached' },
  });
  isReady = true;
  expect(await get('/ready', null)).toMatchObject({ status: 200 });
});

test('shows figures to callers on this machine, and to others with a management key', async () => {
  const { gateway, chat } = createCoreGateway(createReplayTransport(WHOLE, { status: 500, pieces: [] }));
  await chat();
  await chat({ provider: { allow_fallbacks: false } });
  const metrics = (remoteAddress: string | undefined, key?: string): ReturnType<typeof gateway.handle> =>
    gateway.handle({
      method: 'GET',
      path: '/metrics',
      query: '',
      baseUrl: '',
      remoteAddress,
      signal: new AbortController().signal,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      ...bodyOf(),
    });
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    expect((await metrics(address)).status).toBe(200);
  for (const address of ['10.0.0.1', '::2', '1.127.0.0', 'evil-::1', undefined]) {
    expect((await metrics(address)).status).toBe(401);
    expect((await metrics(address, API_KEY)).status).toBe(403);
  }
  const { body: text, headers } = await metrics('192.0.2.1', MANAGEMENT_KEY);
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const body = text as string;
  expect(body).toContain('model_gateway_requests_total 17\n');
  expect(body).toContain('model_gateway_generations_total{outcome="completed"} 1\n');
  expect(body).toContain('model_gateway_generations_total{outcome="failed"} 1\n');
  expect(body).toContain('model_gateway_generations_total{outcome="cancelled"} 0\n');
  expect(body).toContain('model_gateway_open_streams 0\n');
  for (const line of body.trimEnd().split('\n'))
    expect(line).toMatch(/^# (HELP|TYPE) \w+ .+$|^\w+(\{(\w+="[\w.+-]*",?)+\})? [\d.e-]+$/);
});

test('shows figures to a management key, too, where the host has its own sign-in', async () => {
  const { gateway } = createCoreGateway(idle);
  const statusFor = async (principal: Principal | null, key?: string): Promise<number> => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const request = { method: 'GET', path: '/metrics', query: '', baseUrl: '', headers, ...bodyOf() };
    const { signal } = new AbortController();
    return (await gateway.handle({ ...request, signal, authenticate: () => principal })).status;
  };
  expect(await statusFor({ kind: 'management', id: 'ada', name: 'Ada' })).toBe(200);
  expect(await statusFor({ kind: 'api', id: 'bob', name: 'Bob' }, MANAGEMENT_KEY)).toBe(403);
  expect(await statusFor(null, MANAGEMENT_KEY)).toBe(200);
  expect(await statusFor(null)).toBe(401);
});

// Closing

test('takes no more calls once it closes, and lets those under way finish', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    exchange.push(toEvent(piece));
  });
  const { gateway, chat, get, platform, store } = createCoreGateway(transport, { timeouts: { drainMs: 5000 } });
  const reader = readFrames(await chat({ stream: true }));
  let isClosed = false;
  const closing = gateway.close().then(() => (isClosed = true));
  await settle();

  const refused = await chat({ stream: true });
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(await get('/ready', null)).toMatchObject({ status: 503 });
  expect(jsonOf(await get('/health', null))).toEqual({ status: 'ok', trouble: 'closing' });

  await platform.advance(4000);
  expect(isClosed).toBe(false);
  transport.exchanges[0]?.push(toEvent(stop));
  transport.exchanges[0]?.end();
  expect(await reader.rest()).toContain('"finish_reason":"stop"');
  await platform.advance(100);
  await closing;
  expect(store.appended.map(({ record }) => record.generation.finish_reason)).toEqual(['stop']);
});

test('ends what does not finish in time with an error that clients understand, and records it', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    if (exchange.sent['stream'] === true) exchange.push(toEvent(piece));
  });
  const { gateway, chat, platform, store } = createCoreGateway(transport, { timeouts: { drainMs: 5000 } });
  const streamed = readFrames(await chat({ stream: true })).rest();
  const whole = chat();
  await settle();
  expect(gateway.stats()).toEqual({ openCalls: 2, openStreams: 1 });
  const closing = gateway.close();
  await platform.advance(5100);
  await closing;

  const frames = parseFrames(await streamed);
  expect(frames.slice(-2)).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ code: 503 }) as object }),
    'done',
  ]);
  expect((await whole).status).toBe(503);
  expect(transport.exchanges.every(({ isClosed }) => isClosed)).toBe(true);
  expect(store.appended.map(({ record }) => [record.generation.finish_reason, record.generation.cancelled])).toEqual([
    ['error', false],
    ['error', false],
  ]);
  expect(gateway.stats().openCalls).toBe(0);
});

test('waits when it closes until everything is written down', async () => {
  const transport = createReplayTransport({ pieces: toEventPieces([piece, stop]) });
  const { gateway, chat, platform, store } = createCoreGateway(transport, {
    timeouts: { drainMs: 100, clientWriteMs: 5000 },
  });
  const release = store.holdAppends();
  const reading = readFrames(await chat({ stream: true })).rest();
  await settle();
  let isClosed = false;
  const closing = gateway.close().then(() => (isClosed = true));
  await platform.advance(1000);
  expect(isClosed).toBe(false);
  release();
  await platform.advance(100);
  await closing;
  expect(await reading).toContain('[DONE]');
  expect(store.appended).toHaveLength(1);
});

test('the log of a call that failed inside names its generation, as the response does', async () => {
  const broken: WholeProvider = {
    ...createScriptedProvider('acme', []),
    chatWhole: () => Promise.reject(new TypeError('the house model has a bug')),
  };
  const { chat, logged } = createCoreGateway([broken, createScriptedProvider('beta', [])]);
  const { status, headers } = await chat({ provider: { only: ['acme'] } });
  expect(status).toBe(500);
  const lines = logged.filter(({ line }) => line === 'error a request failed');
  expect(lines.map(({ fields }) => fields)).toEqual([expect.objectContaining({ id: headers['x-generation-id'] })]);
  expect(headers['x-generation-id']).toMatch(/^gen-/);
});

test('without a logger the reason of a 500 goes to console.error, and nothing else is written', async () => {
  const written = [vi.spyOn(console, 'error').mockImplementation(() => undefined)];
  for (const name of ['log', 'info', 'warn'] as const) written.push(vi.spyOn(console, name));
  onTestFinished(() => void vi.restoreAllMocks());
  const broken: WholeProvider = {
    ...createScriptedProvider('acme', []),
    chatWhole: () => Promise.reject(new TypeError('the house model has a bug')),
  };
  const { chat } = createCoreGateway([broken, createScriptedProvider('beta', [])], { logger: undefined });
  expect((await chat({ provider: { only: ['acme'] } })).status).toBe(500);
  expect(written.map(({ mock }) => mock.calls)).toEqual([
    [['model-gateway: a request failed', expect.objectContaining({ reason: expect.stringContaining('has a bug') })]],
    [],
    [],
    [],
  ]);
});
