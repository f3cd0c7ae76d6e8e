import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';

test('keeps what a change leaves out, clears what is null, and replaces lists whole', async () => {
  const { dataOf } = createAdminGateway();
  const created = await dataOf('POST', '/guardrails', {
    name: 'rail',
    description: 'old',
    allowed_models: ['acme/chat', 'acme/other'],
    ignored_providers: ['beta'],
    limit_usd: 3,
  });
  const changed = await dataOf('PATCH', `/guardrails/${created['id']}`, {
    allowed_models: ['acme/other'],
    ignored_providers: null,
  });
  expect(changed).toEqual({
    ...created,
    allowed_models: ['acme/other'],
    ignored_providers: null,
    updated_at: '2026-01-02T03:04:05.000Z',
  });
});

test('returns models by their canonical slugs', async () => {
  const models = [
    { id: 'acme/chat', canonical_slug: 'acme/chat-2026-01-01', endpoints: [{ provider: 'acme', providerModel: 'c' }] },
  ];
  const { dataOf } = createAdminGateway({ models });
  const slugs = ['acme/chat', 'acme/chat-2026-01-01'];
  expect(await dataOf('POST', '/guardrails', { name: 'rail', allowed_models: slugs })).toMatchObject({
    allowed_models: ['acme/chat-2026-01-01'],
  });
});

test.each([
  [
    'is shared by a free model and its paid one',
    'acme/chat:free',
    ['acme/chat', 'acme/chat-2026'],
    ['acme/chat:free', 'acme/chat-2026'],
  ],
  ['is the id of the paid one', 'acme/chat:free', ['acme/chat', 'acme/chat'], ['acme/chat:free', 'acme/chat']],
  ['is the id of another', 'acme/new', ['acme/chat', undefined], ['acme/new', 'acme/chat']],
])('holds for one model alone where a canonical slug %s', async (_, id, [other = '', otherSlug], [own, slug]) => {
  const endpoints = [{ provider: 'acme', providerModel: 'c' }];
  const models = [
    { id: other, ...(otherSlug !== undefined && { canonical_slug: otherSlug }), endpoints },
    { id, canonical_slug: slug, endpoints },
  ];
  const { call, dataOf } = createAdminGateway({ models });
  const { id: rail, allowed_models: stored } = await dataOf('POST', '/guardrails', { name: 'a', allowed_models: [id] });
  expect(stored).toEqual([own]);
  const { key, data } = (await call('POST', '/keys', { name: 'k' })).body as { key: string; data: { hash: string } };
  await dataOf('POST', `/guardrails/${rail}/assignments/keys`, { key_hashes: [data.hash] });
  const idsOf = async (): Promise<unknown[]> => {
    const { body } = await call('GET', '/models/user', undefined, key);
    return (body['data'] as readonly { id: string }[]).map((model) => model.id);
  };
  expect(await idsOf()).toEqual([id]);
  await dataOf('PATCH', `/guardrails/${rail}`, { allowed_models: [other] });
  expect(await idsOf()).toEqual([other]);
});

test.each([
  ['ignored_providers', 'nope', '"nope" is not a known provider'],
  ['ignored_providers', 'acmee', '"acmee" is not a known provider; the nearest is "acme"'],
  ['allowed_providers', 'opnai', '"opnai" is not a known provider; the nearest is "openai"'],
  [
    'ignored_providers',
    'google studio ai',
    '"google studio ai" is not a known provider; the nearest is "google-ai-studio"',
  ],
  ['ignored_providers', 'beta/trubo', '"beta/trubo" is not a known provider; the nearest is "beta/turbo"'],
  ['ignored_models', 'acme/chatt', '"acme/chatt" is not a model in the catalog; the nearest is "acme/chat"'],
  ['allowed_models', 'acme/chat:nitro', '"acme/chat:nitro" is not a model in the catalog; the nearest is "acme/chat"'],
])('refuses in %s the name %s, which would guard nothing: %s', async (field, name, message) => {
  const models = [
    {
      id: 'acme/chat',
      endpoints: [
        { provider: 'acme', providerModel: 'c' },
        { provider: 'beta', providerModel: 'c', tag: 'turbo' },
      ],
    },
  ];
  const { call, dataOf, store } = createAdminGateway({ models });
  const rail = await dataOf('POST', '/guardrails', { name: 'before' });
  const sound = field.endsWith('models') ? 'acme/chat' : 'acme';
  const issue = { path: `${field}.1`, message };
  for (const [method, path] of [
    ['POST', '/guardrails'],
    ['PATCH', `/guardrails/${rail['id']}`],
  ] as const) {
    expect(await call(method, path, { name: 'x', [field]: [sound, name] })).toMatchObject({
      status: 400,
      body: { error: { message: `${field}.1: ${message}`, metadata: { issues: [issue] } } },
    });
  }
  expect(await store.guardrails.list()).toEqual([rail]);
});

test('takes providers by slug, display name and preset in any case, and reports every name that is unknown', async () => {
  const { call, dataOf } = createAdminGateway();
  const known = ['acme', 'ACME', 'Beta', 'openai', 'Google AI Studio', 'google', 'groq/turbo'];
  expect(await dataOf('POST', '/guardrails', { name: 'x', ignored_providers: known })).toMatchObject({
    ignored_providers: known,
  });
  const names = Array.from({ length: 5 }, (_, index) => `nobody-${index}`);
  const { body } = await call('POST', '/guardrails', { name: 'x', ignored_providers: names, ignored_models: names });
  expect(body).toMatchObject({
    error: {
      message: expect.stringMatching(/^ignored_models\.0: .*; ignored_models\.2: .* \(and 7 more\)$/) as string,
      metadata: { issues: { length: 10 } },
    },
  });
});

test('keeps a name that has become unknown, also where its list grows or stays as it is', async () => {
  const { call, dataOf, gateway, store } = createAdminGateway();
  const rail = await dataOf('POST', '/guardrails', { name: 'x' });
  await store.guardrails.update(rail['id'], (row) => ({
    ...row,
    ignored_providers: ['gone'],
    allowed_models: ['gone/model'],
  }));
  const path = `/guardrails/${rail['id']}`;
  expect(await dataOf('GET', path)).toMatchObject({ ignored_providers: ['gone'] });
  expect(await dataOf('PATCH', path, { description: 'd' })).toMatchObject({ ignored_providers: ['gone'] });
  expect(await dataOf('PATCH', path, { ignored_providers: ['gone', 'acme'] })).toMatchObject({ description: 'd' });
  expect(await dataOf('PATCH', path, { allowed_models: ['acme/chat', 'gone/model'] })).toMatchObject({
    allowed_models: ['acme/chat', 'gone/model'],
  });
  expect((await call('PATCH', path, { ignored_models: ['gone/model'] })).status).toBe(400);
  expect((await call('POST', '/guardrails', { name: 'y', ignored_providers: ['gone'] })).status).toBe(400);
  await gateway.close();
});

test('fills the switches for zero retention from the old one, but for those that are given', async () => {
  const { dataOf } = createAdminGateway();
  const rail = await dataOf('POST', '/guardrails', { name: 'r', enforce_zdr: true, enforce_zdr_google: null });
  expect(rail).toMatchObject({ enforce_zdr: true, enforce_zdr_google: null, enforce_zdr_other: true });
  expect(await dataOf('PATCH', `/guardrails/${rail['id']}`, { enforce_zdr: false })).toMatchObject({
    enforce_zdr_google: false,
    enforce_zdr_other: false,
  });
});

test.each([
  [{ name: '' }, 'name'],
  [{ name: 'n'.repeat(201) }, 'name'],
  [{ name: 'x', description: 'd'.repeat(1001) }, 'description'],
  [{ name: 'x', allowed_models: [] }, 'allowed_models'],
  [{ name: 'x', ignored_providers: [] }, 'ignored_providers'],
  [{ name: 'x', allowed_data_regions: ['mars'] }, 'allowed_data_regions.0'],
  [{ name: 'x', limit_usd: -1 }, 'limit_usd'],
  [{ name: 'x', reset_interval: 'hourly' }, 'reset_interval'],
  [{ name: 'x', include_byok_in_budgets: null }, 'include_byok_in_budgets'],
  [
    { name: 'x', content_filter_builtins: [{ slug: 'person-name', action: 'block' }] },
    'content_filter_builtins.0.slug',
  ],
  [{ name: 'x', content_filters: [{ pattern: '', action: 'block' }] }, 'content_filters.0.pattern'],
  [{ name: 'x', content_filters: [{ pattern: 'a', action: 'delete' }] }, 'content_filters.0.action'],
  [{ name: 'x', content_filters: [{ pattern: '(?=a)b', action: 'block' }] }, 'content_filters.0.pattern'],
])('refuses to write %j and names %s', async (body, path) => {
  const { call, dataOf, store } = createAdminGateway();
  const rail = await dataOf('POST', '/guardrails', { name: 'before' });
  for (const [method, target] of [
    ['POST', '/guardrails'],
    ['PATCH', `/guardrails/${rail['id']}`],
  ] as const) {
    const response = await call(method, target, body);
    expect(response).toMatchObject({ status: 400, body: { error: { metadata: { issues: [{ path }] } } } });
  }
  expect(await store.guardrails.list()).toEqual([rail]);
});

test('names what is wrong with a pattern that cannot be run in linear time', async () => {
  const { call } = createAdminGateway();
  const filters = [{ pattern: '(a)\\1', action: 'block', label: 'x' }];
  const { body } = await call('POST', '/guardrails', { name: 'x', content_filters: filters });
  expect(JSON.stringify(body)).toContain('invalid_regex_pattern');
});

test('writes the default guardrail of a workspace when it is first changed', async () => {
  const { call, dataOf } = createAdminGateway();
  const workspace = await dataOf('POST', '/workspaces', { name: 'Team', slug: 'team' });
  const path = `/guardrails/${workspace['default_guardrail_id']}`;
  expect((await call('GET', path)).status).toBe(404);
  const name = `Workspace ${workspace['id']} Default`;
  expect(await dataOf('PATCH', path, { limit_usd: 1 })).toMatchObject({ name, limit_usd: 1, updated_at: null });
  expect(await dataOf('PATCH', path, { description: 'd', name })).toMatchObject({ limit_usd: 1, description: 'd' });
  expect(await call('PATCH', path, { name: 'mine' })).toMatchObject({ status: 400 });
  const list = await call('GET', `/guardrails?workspace_id=${workspace['id']}`);
  expect(list.body).toMatchObject({ total_count: 1 });
});

test('knows no default guardrail of a workspace that does not exist', async () => {
  const { call } = createAdminGateway();
  const id = 'a4cf0d1e-8f0c-8c51-9c5e-0d6f6a7b8c9d';
  expect((await call('PATCH', `/guardrails/${id}`, { limit_usd: 1 })).status).toBe(404);
});

test('assigns to all keys or, when one is unknown, to none', async () => {
  const { call, dataOf, store } = createAdminGateway();
  const rail = await dataOf('POST', '/guardrails', { name: 'r' });
  const key = await dataOf('POST', '/keys', { name: 'k' });
  const path = `/guardrails/${rail['id']}/assignments/keys`;
  const refused = await call('POST', path, { key_hashes: [key['hash'], 'unknown'] });
  expect(refused).toMatchObject({ status: 404, body: { error: { message: expect.stringContaining('unknown') } } });
  expect(await store.keyAssignments.list()).toEqual([]);
  const twice = await call('POST', path, { key_hashes: [key['hash'], key['hash']] });
  expect(twice.body).toEqual({ assigned_count: 1 });
});

test('no longer lists an assignment when its guardrail or its key is gone', async () => {
  const { call, dataOf } = createAdminGateway();
  const [first, second] = [
    await dataOf('POST', '/guardrails', { name: '1' }),
    await dataOf('POST', '/guardrails', { name: '2' }),
  ];
  const [a, b] = [await dataOf('POST', '/keys', { name: 'a' }), await dataOf('POST', '/keys', { name: 'b' })];
  await call('POST', `/guardrails/${first['id']}/assignments/keys`, { key_hashes: [a['hash']] });
  await call('POST', `/guardrails/${second['id']}/assignments/keys`, { key_hashes: [b['hash']] });
  expect((await call('GET', '/guardrails/assignments/keys')).body).toMatchObject({ total_count: 2 });
  await call('DELETE', `/guardrails/${first['id']}`);
  await call('DELETE', `/keys/${b['hash']}`);
  expect((await call('GET', '/guardrails/assignments/keys')).body).toEqual({ data: [], total_count: 0 });
});
