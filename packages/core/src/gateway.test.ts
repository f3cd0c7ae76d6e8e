import { expect, test } from 'vitest';

import { settle } from '../../../test/support/async/virtual-platform.ts';
import { bodyOf } from '../../../test/support/gateways/body-of.ts';
import { API_KEY, createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport, createScriptedTransport } from '../../../test/support/upstreams/scripted-transport.ts';
import { ROUTES } from './api/routes.ts';
import { createGateway } from './gateway.ts';
import { createMemoryStore } from './stores/memory-store.ts';

const idle = createScriptedTransport();
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
