import process from 'node:process';

import {
  createGateway,
  createKeyRecord,
  createWebPlatform,
  type Gateway,
  type GatewayOptions,
  type GatewayRequest,
  type Provider,
  toFetchHandler,
} from '@model-gateway/core';
import { createProviders } from '@model-gateway/core/providers';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { listen } from '@model-gateway/node/http';
import { expect, onTestFinished, test, vi } from 'vitest';

import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';

const MANAGEMENT_KEY = 'sk-gw-v1-management-of-this-test';

const END = { finish_reason: 'stop', native_finish_reason: 'stop' } as const;
const GOES_ON = { finish_reason: null, native_finish_reason: null };

const houseModel: Provider = {
  slug: 'house',
  name: 'House',
  dataPolicy: { training: false, retainsPrompts: false },
  async *chat({ request, providerModel, stream, signal }) {
    const pieces = runHouseModel(providerModel, request.messages, signal);
    if (stream) {
      for await (const content of pieces) yield [{ choices: [{ index: 0, delta: { content }, ...GOES_ON }] }];
      yield [{ choices: [{ index: 0, delta: {}, ...END }] }];
    } else {
      let content = '';
      for await (const piece of pieces) content += piece;
      yield [{ choices: [{ index: 0, delta: { content }, ...END }] }];
    }
  },
};

async function* runHouseModel(
  model: string,
  messages: readonly unknown[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  signal.throwIfAborted();
  yield `${model} read `;
  yield `${messages.length} message`;
}

const pricing = { prompt: '0.000001', completion: '0.000002' };
const modelOf = (id: string, endpoint: object) => ({
  id,
  endpoints: [{ provider: 'house', providerModel: 'small', ...endpoint }],
});

function open(options: Partial<GatewayOptions> = {}): { gateway: Gateway; ask: Ask } {
  const gateway = createGateway({
    store: createMemoryStore(),
    providers: [houseModel],
    models: [
      { ...modelOf('acme/bounded', { pricing }), context_length: 1000 },
      modelOf('acme/unbounded', { pricing }),
      modelOf('acme/unpriced', {}),
    ],
    bootstrapKeys: [{ key: MANAGEMENT_KEY, kind: 'management', name: 'host' }],
    ...options,
  });
  return { gateway, ask: askOf(gateway, MANAGEMENT_KEY) };
}

/** What a test looks at in a response of any operation. */
interface Body {
  readonly data: { readonly id: string };
  readonly key: string;
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: object;
}

type Ask = (method: string, path: string, body: object) => Promise<{ status: number; body: Body }>;

function askOf(gateway: Gateway, key: string): Ask {
  const handle = toFetchHandler(gateway);
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = { method, headers, body: JSON.stringify(body) };
    const response = await handle(new Request(`http://gateway.example${path}`, init));
    return { status: response.status, body: (await response.json()) as Body };
  };
}

const chat = (model: string, more: object = {}) => ({ model, messages: [{ role: 'user', content: 'Hello' }], ...more });

test('the first program of the page answers a chat with nothing but the key of a provider', async () => {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  vi.stubEnv('OPENAI_API_KEY', 'sk-upstream');
  const real = fetch;
  // The network that the provider is at.
  vi.stubGlobal('fetch', (input: string, init: RequestInit) =>
    real(input.replace('https://api.openai.com/v1', upstream.baseUrl), init),
  );
  onTestFinished(() => void vi.unstubAllEnvs());
  onTestFinished(() => void vi.unstubAllGlobals());
  const key = 'sk-gw-v1-app';

  const gateway = createGateway({
    ...(await createProviders(process.env)),
    store: createMemoryStore(),
    bootstrapKeys: [{ key, kind: 'api', name: 'app' }],
  });
  const { url } = await listen(gateway, { port: 0 });
  const response = await fetch(`${url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] }),
  });

  onTestFinished(() => gateway.close());
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ provider: 'OpenAI', usage: { cost: expect.any(Number) } });
  expect(upstream.calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-upstream']);
});

test("a provider of the host's own is an object with a generator", async () => {
  const { gateway } = open({ authenticate: () => ({ kind: 'api', id: 'u1', name: 'Ada' }) });
  const { body } = await askOf(gateway, '')('POST', '/api/v1/chat/completions', chat('acme/bounded'));
  expect(body.choices[0]?.message.content).toBe('small read 1 message');
  expect(body.usage).toMatchObject({ estimated: true, cost: expect.any(Number) });

  const stream = { ...chat('acme/bounded'), stream: true };
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(stream) };
  const response = await toFetchHandler(gateway)(
    new Request('http://gateway.example/api/v1/chat/completions', request),
  );
  expect(await response.text()).toMatch(/"content":"small read "[^]*"content":"1 message"[^]*\[DONE\]/);
});

test('a caller with a limit is sent where a price and a length bound the cost, and told what is missing elsewhere', async () => {
  const { gateway } = open({ authenticate: () => ({ kind: 'api', id: 'u1', name: 'Ada', limitUsd: 5 }) });
  const ask = askOf(gateway, '');
  const statusOf = async (body: object) => (await ask('POST', '/api/v1/chat/completions', body)).status;
  expect(await statusOf(chat('acme/bounded'))).toBe(200);
  expect(await statusOf(chat('acme/unbounded', { max_tokens: 100 }))).toBe(200);
  const unbounded = await ask('POST', '/api/v1/chat/completions', chat('acme/unbounded'));
  expect(unbounded).toMatchObject({ status: 404, body: { error: { message: expect.stringContaining('max_tokens') } } });
  const unpriced = await ask('POST', '/api/v1/chat/completions', chat('acme/unpriced', { max_tokens: 100 }));
  expect(unpriced).toMatchObject({ status: 404, body: { error: { message: expect.stringContaining('prices') } } });
});

test('a tenant is a workspace: made over HTTP, with a budget that holds for its keys', async () => {
  const { gateway, ask } = open();
  const { body: workspace } = await ask('POST', '/api/v1/workspaces', { name: 'Acme', slug: 'acme' });
  const { id } = workspace.data;
  await ask('PUT', `/api/v1/workspaces/${id}/budgets/monthly`, { limit_usd: 100 });
  const { body: made } = await ask('POST', '/api/v1/keys', { name: 'Acme', workspace_id: id, limit: 5 });
  const { key } = made;

  const complete = () => askOf(gateway, key)('POST', '/api/v1/chat/completions', chat('acme/bounded'));
  expect(await complete()).toMatchObject({ status: 200 });
  await ask('PUT', `/api/v1/workspaces/${id}/budgets/monthly`, { limit_usd: 0.000001 });
  expect(await complete()).toMatchObject({
    status: 403,
    body: { error: { message: expect.stringContaining('Workspace monthly budget') } },
  });
});

test("with a host's own sign-in the same budget holds for callers whom it puts into the workspace", async () => {
  const store = createMemoryStore();
  const { ask } = open({ store });
  const { body: workspace } = await ask('POST', '/api/v1/workspaces', { name: 'Acme', slug: 'acme' });
  const { id } = workspace.data;
  await ask('PUT', `/api/v1/workspaces/${id}/budgets/monthly`, { limit_usd: 0.000001 });

  const { gateway } = open({
    store,
    authenticate: ({ headers }: GatewayRequest) => ({
      kind: 'api',
      id: 'u1',
      name: 'Ada',
      workspaceId: headers['x-tenant'] === 'acme' ? id : 'of nobody',
    }),
  });
  const handle = toFetchHandler(gateway);
  const statusOf = async (tenant: string) => {
    const headers = { 'x-tenant': tenant, 'content-type': 'application/json' };
    const body = JSON.stringify(chat('acme/bounded'));
    const request = new Request('http://gateway.example/api/v1/chat/completions', { method: 'POST', headers, body });
    return (await handle(request)).status;
  };
  expect(await statusOf('acme')).toBe(403);
  expect(await statusOf('other')).toBe(200);
});

test('the host makes a key by itself, which holds at once', async () => {
  const store = createMemoryStore();
  const platform = createWebPlatform();
  const { gateway } = open({ store, platform });
  const { key, record } = await createKeyRecord({ platform, kind: 'api', name: 'Acme', limitUsd: 5 });
  await store.keys.insert(record);
  const { status } = await askOf(gateway, key)('POST', '/api/v1/chat/completions', chat('acme/bounded'));
  expect(status).toBe(200);
});
