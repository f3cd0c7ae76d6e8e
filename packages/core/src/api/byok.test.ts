import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { API_KEY, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createSetupGateway, type SetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';
import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { GatewayError } from '../foundation/errors.ts';

const SHARED = 'sk-shared-key-of-the-gateway-1111';
const OWN = 'sk-own-key-of-the-workspace-2222';
const SECOND = 'sk-second-key-of-the-workspace-3333';
const LAST = 'sk-last-key-of-the-workspace-4444';
const SECRETS = [SHARED, OWN, SECOND, LAST];
const PRICING = { prompt: '0.001', completion: '0.001' };

/** Refuses some keys, and repeats the one that it takes. */
const createRefusing = (refused: ReadonlySet<string>) =>
  createScriptedTransport((exchange) => {
    const key = String(exchange.request.headers['authorization']).replace('Bearer ', '');
    const isRefused = refused.has(key);
    exchange.respond(isRefused ? 401 : 200, { 'content-type': 'application/json' });
    exchange.push(
      JSON.stringify(
        isRefused
          ? { error: { message: `The key ${key} is not valid` } }
          : {
              id: 'c',
              model: 'm',
              choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
              usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
            },
      ),
    );
    exchange.end();
  });

async function withProviders(refused: ReadonlySet<string> = new Set()): Promise<SetupGateway> {
  const gateway = await createSetupGateway({
    upstream: createRefusing(refused),
    config: {
      providers: [
        { slug: 'acme', wire: 'openai', baseUrl: 'https://acme.example/v1', apiKey: SHARED },
        { slug: 'beta', wire: 'openai', baseUrl: 'https://beta.example/v1', apiKey: SHARED },
      ],
      models: [
        {
          id: 'acme/chat',
          endpoints: [
            { provider: 'beta', providerModel: 'chat-b', pricing: PRICING },
            { provider: 'acme', providerModel: 'chat-1', pricing: { prompt: '0.002', completion: '0.002' } },
          ],
        },
        { id: 'acme/other', endpoints: [{ provider: 'acme', providerModel: 'other-1', pricing: PRICING }] },
      ],
    },
  });
  return gateway;
}

const add = (gateway: SetupGateway, body: object) => gateway.dataOf('POST', '/byok', { provider: 'acme', ...body });

/** The servers and keys that a call was sent with, in their order. */
async function sentBy(gateway: SetupGateway, body: object = {}): Promise<readonly (readonly [string, string])[]> {
  const before = gateway.upstream.exchanges.length;
  await gateway.chat({ model: 'acme/chat', ...body });
  return gateway.upstream.exchanges
    .slice(before)
    .map(({ request }) => [
      new URL(request.url).hostname.split('.')[0] ?? '',
      String(request.headers['authorization']).slice(-4),
    ]);
}

const lastRecord = async ({ store }: SetupGateway) => {
  const { records } = await store.generations.page({ limit: 1 });
  return records[0]?.generation;
};

test('own keys are tried by their order before the shared endpoints, and fallback keys after them', async () => {
  const gateway = await withProviders(new Set([OWN, SHARED]));
  await add(gateway, { key: LAST, is_fallback: true });
  await add(gateway, { key: OWN, name: 'first' });
  expect(await sentBy(gateway, { model: 'acme/other' })).toEqual([
    ['acme', '2222'],
    ['acme', '1111'],
    ['acme', '4444'],
  ]);
  await add(gateway, { key: SECOND });
  const order = { provider: { order: ['beta'] } };
  expect(await sentBy(gateway, order)).toEqual([
    ['acme', '2222'],
    ['acme', '3333'],
  ]);
});

test("a call with an own key costs nothing here, and its provider's bill is beside that in the record", async () => {
  const gateway = await withProviders();
  expect(await sentBy(gateway)).toEqual([['beta', '1111']]);
  const { id } = await add(gateway, { key: OWN, name: 'team' });
  expect(jsonOf(await gateway.chat({ model: 'acme/chat' }))['usage']).toMatchObject({
    cost: 0,
    is_byok: true,
    cost_details: { upstream_inference_cost: 0.04 },
  });
  const generation = await lastRecord(gateway);
  expect(generation).toMatchObject({
    is_byok: true,
    provider_key: 'byok:team',
    upstream_inference_cost: 0.04,
    provider_responses: [{ is_byok: true, status: 200 }],
  });
  const { body: key } = await gateway.call('GET', '/key', undefined, API_KEY);
  expect(key['data']).toMatchObject({ usage: 0.02, byok_usage: 0.04 });
  const explained = await gateway.dataOf('POST', '/admin/v1/explain', {
    model: 'acme/chat',
    messages: [{ role: 'user', content: 'x' }],
  });
  const shown = (explained['endpoints'] as { readonly provider: string; readonly key?: string }[]).map(
    ({ provider, key }) => [provider, key],
  );
  expect(shown[0]).toEqual(['acme', 'byok:team']);
  expect(shown.slice(1).map(([, key]) => key)).toEqual([undefined, undefined]);
  await gateway.dataOf('PATCH', `/byok/${id}`, { disabled: true });
  expect(await sentBy(gateway)).toEqual([['beta', '1111']]);
  expect((await lastRecord(gateway))?.is_byok).toBe(false);
});

test('keys of a provider are tried in another order after a change of it', async () => {
  const gateway = await withProviders();
  const first = await add(gateway, { key: OWN });
  const second = await add(gateway, { key: SECOND });
  await gateway.dataOf('PATCH', `/byok/${second.id}`, { sort_order: first['sort_order'] });
  await gateway.dataOf('PATCH', `/byok/${first.id}`, { sort_order: second['sort_order'] });
  expect(await sentBy(gateway, { model: 'acme/other' })).toEqual([['acme', '3333']]);
  expect(await gateway.call('PATCH', `/byok/${first.id}`, { sort_order: -1 })).toMatchObject({ status: 400 });
});

test('a key serves the models, keys and users that it allows, in its own workspace alone', async () => {
  const gateway = await withProviders();
  const { id } = await add(gateway, { key: OWN, allowed_models: ['acme/other'] });
  const usedFor = async (model: string): Promise<boolean> => (await sentBy(gateway, { model }))[0]?.[1] === '2222';
  expect([await usedFor('acme/chat'), await usedFor('acme/other')]).toEqual([false, true]);
  const other = await gateway.dataOf('POST', '/keys', { name: 'other' });
  await gateway.dataOf('PATCH', `/byok/${id}`, { allowed_api_key_hashes: [other.hash] });
  expect(await usedFor('acme/other')).toBe(false);
  await gateway.dataOf('PATCH', `/byok/${id}`, { allowed_api_key_hashes: null, allowed_user_ids: ['ann'] });
  expect(await usedFor('acme/other')).toBe(false);
  await gateway.dataOf('PATCH', `/byok/${id}`, { allowed_user_ids: null, allowed_models: null });
  expect([await usedFor('acme/chat'), await usedFor('acme/other')]).toEqual([true, true]);
  await gateway.dataOf('DELETE', `/byok/${id}`);
  const workspace = await gateway.dataOf('POST', '/workspaces', { name: 'w', slug: 'w' });
  await add(gateway, { key: SECOND, workspace_id: workspace.id });
  expect(await sentBy(gateway, { model: 'acme/other' })).toEqual([['acme', '1111']]);
});

test('a required key leaves the shared endpoints of its provider out', async () => {
  const gateway = await withProviders(new Set([OWN]));
  const { id } = await add(gateway, { key: OWN, is_required: true, allowed_models: ['acme/other'] });
  expect(await sentBy(gateway, { model: 'acme/other' })).toEqual([['acme', '2222']]);
  await gateway.dataOf('PATCH', `/byok/${id}`, { is_required: false, is_byok_only: true, allowed_models: ['acme/x'] });
  expect(await sentBy(gateway, { model: 'acme/other' })).toEqual([]);
  expect(await sentBy(gateway)).toEqual([['beta', '1111']]);
  const contradiction = await gateway.call('PATCH', `/byok/${id}`, { is_fallback: true });
  expect([contradiction.status, JSON.stringify(contradiction.body)]).toEqual([
    400,
    expect.stringContaining('is_byok_only: cannot be combined with is_fallback'),
  ]);
});

test('a refused key says nothing of the shared endpoint', async () => {
  const gateway = await withProviders(new Set([OWN]));
  const { id } = await add(gateway, { provider: 'beta', key: OWN, is_required: true });
  for (let at = 0; at < 30; at += 1) await sentBy(gateway);
  await gateway.dataOf('DELETE', `/byok/${id}`);
  expect(await sentBy(gateway, { provider: { order: ['beta'] } })).toEqual([['beta', '1111']]);
});

test('a key goes to no other server than the one it was given for', async () => {
  const gateway = await createSetupGateway({ upstream: createRefusing(new Set()) });
  const setup = { slug: 'acme', wire: 'openai', baseUrl: 'https://acme.example/v1', apiKey: SHARED };
  await gateway.dataOf('POST', '/admin/v1/setup/providers', setup);
  const model = { id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] };
  await gateway.dataOf('POST', '/admin/v1/setup/models', model);
  const { id } = await add(gateway, { key: OWN });
  expect(await sentBy(gateway)).toEqual([['acme', '2222']]);
  const moved = { baseUrl: 'https://other.example/v1', apiKey: SHARED };
  await gateway.dataOf('PATCH', '/admin/v1/setup/providers/acme', moved);
  expect(await sentBy(gateway)).toEqual([['other', '1111']]);
  await gateway.dataOf('PATCH', `/byok/${id}`, { key: OWN });
  expect(await sentBy(gateway)).toEqual([['other', '2222']]);
});

test('no key is in a response, a record, the log, the store or the audit log', async () => {
  const gateway = await withProviders(new Set([OWN, SECOND, LAST]));
  const answers: unknown[] = [];
  const { id } = await add(gateway, { key: OWN, is_required: true });
  answers.push(await gateway.call('GET', '/byok'), await gateway.call('GET', `/byok/${id}`));
  answers.push(jsonOf(await gateway.chat({ model: 'acme/other' })));
  const rotated = await gateway.call('PATCH', `/byok/${id}`, { key: SECOND });
  expect(rotated.body['data']).toMatchObject({ id, label: '…3333' });
  expect(await sentBy(gateway, { model: 'acme/other' })).toEqual([['acme', '3333']]);
  answers.push(rotated, await gateway.call('PATCH', `/byok/${id}`, { key: LAST, allowed_models: 1 }));
  answers.push(await gateway.call('DELETE', `/byok/${id}`), await gateway.call('GET', '/admin/v1/audit'));
  const { records } = await gateway.store.generations.page({ limit: 100 });
  const all = JSON.stringify([answers, records, gateway.logged, await gateway.store.byokKeys.list()]);
  for (const secret of SECRETS) expect(all).not.toContain(secret);
  expect(gateway.hidden).toEqual(expect.arrayContaining([OWN, SECOND]));
  const audit = await gateway.call('GET', '/admin/v1/audit');
  const actions = (audit.body['data'] as { readonly action: string }[]).map(({ action }) => action);
  expect(actions.toSorted()).toEqual(['byok.create', 'byok.delete', 'byok.update']);
});

test('a key that cannot be sealed, opened or placed is refused with the reason', async () => {
  const demo = createAdminGateway();
  expect(await demo.call('POST', '/byok', { provider: 'acme', key: OWN })).toMatchObject({ status: 409 });
  const seal = () => Promise.reject(new GatewayError('conflict', 'Keys cannot be stored: set GATEWAY_SECRETS_KEY'));
  const open = () => Promise.reject(new Error('not set'));
  const config = { providers: [{ slug: 'acme', wire: 'openai', baseUrl: 'https://acme.example/v1' }] };
  const boxless = await createSetupGateway({ config, secrets: { seal, open } });
  expect(await boxless.call('POST', '/byok', { provider: 'acme', key: OWN })).toMatchObject({
    status: 409,
    body: { error: { message: 'Keys cannot be stored: set GATEWAY_SECRETS_KEY' } },
  });
  expect(await boxless.store.byokKeys.list()).toEqual([]);
  const gateway = await withProviders();
  const refusal = async (body: object): Promise<unknown> => {
    const { status, body: said } = await gateway.call('POST', '/byok', { provider: 'acme', key: OWN, ...body });
    const { metadata } = said['error'] as { readonly metadata: { readonly issues: { readonly path: string }[] } };
    return [status, metadata.issues.map(({ path }) => path)];
  };
  const unknown = 'f'.repeat(64);
  expect(await refusal({ provider: 'nobody' })).toEqual([400, ['provider']]);
  expect(await refusal({ allowed_api_key_hashes: [unknown] })).toEqual([400, ['allowed_api_key_hashes.0']]);
  expect(await refusal({ allowed_api_key_hashes: [] })).toEqual([400, ['allowed_api_key_hashes']]);
  expect(await refusal({ declared_zdr: true })).toEqual([400, ['declared_zdr']]);
  expect(await refusal({ workspace_id: 'w' })).toEqual([400, ['workspace_id']]);
  expect(await gateway.store.byokKeys.list()).toEqual([]);
  expect((await gateway.call('GET', '/byok', undefined, API_KEY)).status).toBe(401);
});

test('tokens of a prompt are counted with an own key', async () => {
  const upstream = createScriptedTransport((exchange) => {
    exchange.respond(200, { 'content-type': 'application/json' });
    exchange.push(JSON.stringify({ input_tokens: 7 }));
    exchange.end();
  });
  const gateway = await createSetupGateway({
    upstream,
    config: {
      providers: [{ slug: 'acme', wire: 'anthropic', baseUrl: 'https://acme.example/v1', apiKey: SHARED }],
      models: [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1', pricing: PRICING }] }],
    },
  });
  const body = { model: 'acme/chat', messages: [{ role: 'user', content: 'Hello' }] };
  const count = async () => jsonOf(await gateway.post('/api/v1/messages/count_tokens', body));
  const sentKeys = () => upstream.exchanges.map(({ request }) => request.headers['x-api-key']);
  expect(await count()).toEqual({ input_tokens: 7 });
  await add(gateway, { key: OWN });
  expect(await count()).toEqual({ input_tokens: 7 });
  expect(sentKeys()).toEqual([SHARED, OWN]);
});
