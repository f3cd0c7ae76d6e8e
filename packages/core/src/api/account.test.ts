import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { API_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';

const MEMBER = { user_id: 'u1', email: 'mo@example.com', name: 'Mo Ann Doe', role: 'admin' };

test('adds, changes and removes members', async () => {
  const { call, dataOf } = createAdminGateway();
  const { id, ...added } = await dataOf('POST', '/admin/v1/members', MEMBER);
  expect(id).toBe('u1');
  expect(added).toEqual({ email: MEMBER.email, first_name: 'Mo Ann', last_name: 'Doe', role: 'org:admin' });
  expect(await dataOf('POST', '/admin/v1/members', { user_id: 'u2' })).toEqual({
    id: 'u2',
    email: '',
    first_name: null,
    last_name: null,
    role: 'org:member',
  });
  expect(await dataOf('PATCH', `/admin/v1/members/${id}`, { name: null, role: 'member' })).toEqual({
    id,
    email: MEMBER.email,
    first_name: null,
    last_name: null,
    role: 'org:member',
  });
  expect((await call('GET', '/organization/members?limit=1')).body).toMatchObject({ data: [{ id }], total_count: 2 });
  expect((await call('DELETE', `/admin/v1/members/${id}`)).body).toEqual({ deleted: true });
  expect((await call('DELETE', `/admin/v1/members/${id}`)).status).toBe(404);
  expect((await call('PATCH', `/admin/v1/members/${id}`, {})).status).toBe(404);
  expect(await call('POST', '/admin/v1/members', { user_id: 'u2', email: 'c@example.com' })).toMatchObject({
    status: 400,
  });
});

test('disables the keys of a member who is removed, because their guardrail is gone', async () => {
  const { call, dataOf } = createAdminGateway();
  await dataOf('POST', '/admin/v1/members', { user_id: 'mo' });
  const own = await dataOf('POST', '/keys', { name: 'own', creator_user_id: 'mo' });
  const other = await dataOf('POST', '/keys', { name: 'other' });
  await call('DELETE', '/admin/v1/members/mo');
  expect(await dataOf('GET', `/keys/${own['hash']}`)).toMatchObject({ disabled: true });
  expect(await dataOf('GET', `/keys/${other['hash']}`)).toMatchObject({ disabled: false });
});

test('uses the members of a host that has its own, and refuses changes to them', async () => {
  const members = [
    { id: 'host-1', email: 'h@example.com', first_name: null, last_name: null, role: 'org:member' as const },
  ];
  const directory = { get: (id: string) => members.find((member) => member.id === id), list: () => members };
  const { call, dataOf } = createAdminGateway({ members: directory });
  expect((await call('GET', '/organization/members')).body).toEqual({ data: members, total_count: 1 });
  expect(await call('POST', '/admin/v1/members', MEMBER)).toMatchObject({ status: 403 });
  expect(await call('DELETE', '/admin/v1/members/host-1')).toMatchObject({ status: 403 });
  const rail = await dataOf('POST', '/guardrails', { name: 'r' });
  const path = `/guardrails/${rail['id']}/assignments/members`;
  expect((await call('POST', path, { member_user_ids: ['host-1'] })).body).toEqual({ assigned_count: 1 });
});

test('refuses a default model that no request could name, with the nearest one', async () => {
  const { call, dataOf } = createAdminGateway();
  const [path, message] = ['default_model', '"acme/chta" is not a model in the catalog; the nearest is "acme/chat"'];
  const refusal = { status: 400, body: { error: { metadata: { issues: [{ path, message }] } } } };
  expect(await call('PATCH', '/admin/v1/settings', { default_model: 'acme/chta' })).toMatchObject(refusal);
  for (const known of ['acme/chat', 'acme/chat:nitro', 'openrouter/auto', null]) {
    expect(await dataOf('PATCH', '/admin/v1/settings', { default_model: known })).toMatchObject({
      default_model: known,
    });
  }
});

test('keeps a default model that has become unknown while other settings are changed', async () => {
  const { dataOf, store } = createAdminGateway();
  await store.settings.update((settings) => ({ ...settings, default_model: 'acme/gone' }));
  const change = { default_model: 'acme/gone', credits_usd: 3 };
  expect(await dataOf('PATCH', '/admin/v1/settings', change)).toMatchObject(change);
});

const NO_ROUTING = {
  order: [],
  sort: null,
  allow_fallbacks: true,
  continue_broken_streams: false,
  automatic_cache_marks: false,
  continue_with_other_models: false,
  hold_streams: false,
  fallback_on_refusal: true,
  wait_for_retry_after_ms: 0,
  retries_at_endpoint: 0,
  max_price: {},
  rules: [],
};

const NO_LIMITS = { max_cost_usd: null, max_calls: null, max_minutes: null, max_repeats: null, action: 'refuse' };

test('what the configuration says is shown as such, counts, and is changed there alone', async () => {
  const { call, dataOf } = createAdminGateway({
    account: { defaultModel: 'acme/chat', providers: { ignore: ['beta'] }, privacy: { allowTraining: false } },
  });
  const settings = {
    default_model: 'acme/chat',
    providers: { only: [], ignore: ['beta'] },
    privacy: { zdr: false, allow_training: false },
    routing: NO_ROUTING,
    sessions: NO_LIMITS,
    credits_usd: null,
  };
  const configured = ['default_model', 'providers.ignore', 'privacy.allow_training'];
  expect(await dataOf('GET', '/admin/v1/settings')).toEqual({ ...settings, configured });
  const change = { ...settings, default_model: null, providers: { only: ['acme'], ignore: [] }, credits_usd: 7 };
  expect(await call('PATCH', '/admin/v1/settings', change)).toMatchObject({
    status: 400,
    body: { error: { metadata: { issues: [{ path: 'default_model' }, { path: 'providers.ignore' }] } } },
  });
  const allowed = { ...settings, providers: { only: ['acme'], ignore: ['beta'] }, credits_usd: 7 };
  expect(await dataOf('PATCH', '/admin/v1/settings', allowed)).toEqual({ ...allowed, configured });
  expect(await dataOf('GET', '/credits')).toEqual({ total_credits: 7, total_usage: 0, unlimited: false });
});

test('settings hold from the next request on, and what is not known of them is refused', async () => {
  const { call, dataOf } = createAdminGateway();
  const changed = {
    default_model: null,
    providers: { only: ['acme'], ignore: [] },
    privacy: { zdr: false, allow_training: true },
    routing: {
      order: ['Beta'],
      sort: 'latency',
      allow_fallbacks: false,
      continue_broken_streams: true,
      automatic_cache_marks: true,
      continue_with_other_models: true,
      hold_streams: true,
      fallback_on_refusal: false,
      wait_for_retry_after_ms: 3000,
      retries_at_endpoint: 2,
      max_price: { prompt: '2.5' },
      rules: [{ name: 'r', when: { min_tools: 2 }, model: 'acme/other', models: ['acme/chat'] }],
    },
    sessions: { max_cost_usd: 5, max_calls: 400, max_minutes: 90, max_repeats: 5, action: 'warn' },
    credits_usd: 7,
    configured: [],
  };
  const { configured: _, ...change } = changed;
  expect(await dataOf('PATCH', '/admin/v1/settings', change)).toEqual(changed);
  expect(await dataOf('PATCH', '/admin/v1/settings', { routing: { sort: null } })).toMatchObject({
    routing: { order: ['Beta'], sort: null, max_price: { prompt: '2.5' } },
  });
  for (const [path, body] of [
    ['privacy.cookies', { privacy: { zdr: true, cookies: false } }],
    ['routing.max_price.promt', { routing: { max_price: { promt: 1 } } }],
    ['routing.retries_at_endpoint', { routing: { retries_at_endpoint: 3 } }],
    ['routing.order.0', { routing: { order: ['nobody'] } }],
    ['routing.rules.0.model', { routing: { rules: [{ name: 'a', when: {}, model: 'acme/chta' }] } }],
    ['routing.rules.0.when.colour', { routing: { rules: [{ name: 'a', when: { colour: 1 }, model: 'acme/chat' }] } }],
    [
      'routing.rules.1.name',
      { routing: { rules: ['acme/chat', 'acme/other'].map((model) => ({ name: 'a', when: {}, model })) } },
    ],
  ] as const) {
    expect(await call('PATCH', '/admin/v1/settings', body)).toMatchObject({
      status: 400,
      body: { error: { metadata: { issues: [{ path }] } } },
    });
  }
});

test('refuses in the lists of providers a name that would guard nothing, and keeps those that stand there', async () => {
  const { call, dataOf, store } = createAdminGateway();
  await store.settings.update((settings) => ({ ...settings, providers: { only: [], ignore: ['gone'] } }));
  const message = '"bta" is not a known provider; the nearest is "beta"';
  for (const list of ['only', 'ignore']) {
    expect(await call('PATCH', '/admin/v1/settings', { providers: { [list]: ['acme', 'bta'] } })).toMatchObject({
      status: 400,
      body: { error: { metadata: { issues: [{ path: `providers.${list}.1`, message }] } } },
    });
  }
  const { configured, ...settings } = await dataOf('GET', '/admin/v1/settings');
  expect(settings).toMatchObject({ providers: { only: [], ignore: ['gone'] } });
  expect(await dataOf('PATCH', '/admin/v1/settings', settings)).toEqual({ ...settings, configured });
  const lists = { only: ['Beta', 'OPENAI'], ignore: ['gone', 'Acme'] };
  expect(await dataOf('PATCH', '/admin/v1/settings', { providers: lists })).toMatchObject({ providers: lists });
});

test('leaves out of the list of usable models what the settings exclude, from the next request on', async () => {
  const { call, dataOf } = createAdminGateway();
  const ids = async (): Promise<unknown[]> =>
    ((await call('GET', '/models/user', undefined, API_KEY)).body['data'] as { id: string }[]).map(({ id }) => id);
  expect(await ids()).toEqual(['acme/chat', 'acme/other']);
  await dataOf('PATCH', '/admin/v1/settings', { providers: { ignore: ['beta'] } });
  expect(await ids()).toEqual(['acme/chat']);
});

test('sums the credits that all keys have spent, also deleted ones', async () => {
  const { dataOf, store } = createAdminGateway({ account: { creditsUsd: 10 } });
  await store.generations.append(toRecord('g1', { principalId: 'gone', costNanoUsd: 1_500_000_000 }), null);
  await store.generations.append(toRecord('g2', { costNanoUsd: 1_000_000_000, generation: { is_byok: true } }), null);
  expect(await dataOf('GET', '/credits')).toEqual({ total_credits: 10, total_usage: 1.5, unlimited: false });
});

test('says so when nothing limits the account', async () => {
  const { dataOf } = createAdminGateway();
  expect(await dataOf('GET', '/credits')).toEqual({ total_credits: 0, total_usage: 0, unlimited: true });
});

test('lists the endpoints of providers that are known to keep nothing', async () => {
  const provider = (slug: string, retainsPrompts: boolean | null) => ({
    slug,
    name: slug,
    dataPolicy: { training: null, retainsPrompts },
  });
  const core = createAdminGateway({ providers: [provider('acme', false), provider('beta', null)] });
  const data = (await core.call('GET', '/endpoints/zdr')).body['data'];
  expect(data).toMatchObject([{ model_id: 'acme/chat', provider_name: 'acme' }]);
  expect((await core.call('GET', '/providers')).body['data']).toMatchObject([{ slug: 'acme' }, { slug: 'beta' }]);
});
