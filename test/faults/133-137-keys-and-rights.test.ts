import { expect, test } from 'vitest';

import { ROUTES } from '../../packages/core/src/api/routes.ts';
import { toGroup } from '../../packages/core/testing/rows.ts';
import { type AdminGateway, createAdminGateway } from '../support/gateways/admin-calls.ts';
import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { createSetupGateway } from '../support/gateways/setup-gateway.ts';
import { TEST_KEY } from '../support/gateways/test-gateway.ts';

const NOT_WRITABLE = ['id', 'hash', 'role_name', 'is_admin', 'usage', 'created_at', 'allowed_routes', 'constructor'];

/** Bodies that would be taken, so that the added field is all there is to refuse. */
const RERUN = {
  set: { ndjson: '{"request":{"body":{"messages":[{"role":"user","content":"x"}]}}}' },
  targets: [{ model: 'acme/chat' }],
};
const GOOD_BODIES: Readonly<Record<string, object>> = {
  'POST /api/v1/keys': { name: 'x' },
  'PATCH /api/v1/keys/{hash}': {},
  'POST /api/v1/auth/keys': { code: 'x' },
  'POST /api/v1/auth/keys/code': { callback_url: 'https://app.example/' },
  'POST /api/v1/byok': { provider: 'up', key: 'x' },
  'PATCH /api/v1/byok/{id}': {},
  'POST /api/v1/guardrails': { name: 'x' },
  'PATCH /api/v1/guardrails/{id}': {},
  'POST /admin/v1/guardrails/dry-runs': { change: {} },
  'POST /api/v1/guardrails/{id}/assignments/keys': { key_hashes: ['x'] },
  'POST /api/v1/guardrails/{id}/assignments/keys/remove': { key_hashes: ['x'] },
  'POST /api/v1/guardrails/{id}/assignments/members': { member_user_ids: ['x'] },
  'POST /api/v1/guardrails/{id}/assignments/members/remove': { member_user_ids: ['x'] },
  'POST /admin/v1/members': { user_id: 'x' },
  'PATCH /admin/v1/members/{id}': {},
  'POST /api/v1/scim/group-mappings': {
    scim_group_id: '5d2c2f0e-0000-4000-8000-000000000000',
    workspace_id: '5d2c2f0e-0000-4000-8000-000000000000',
    role: 'member',
  },
  'PATCH /api/v1/scim/group-mappings/{id}': { role: 'member' },
  'PATCH /admin/v1/settings': {},
  'POST /admin/v1/generations/{id}/resend': {},
  'POST /admin/v1/fixtures': { generation_id: 'x' },
  'PATCH /admin/v1/fixtures': { mode: 'live' },
  'POST /admin/v1/session': { token: 'x' },
  'POST /api/v1/generation/feedback': { generation_id: 'x', category: 'other' },
  'PUT /admin/v1/generations/{id}/review': { rating: 'good', note: null },
  'PUT /admin/v1/views/{name}': { search: {}, hidden_columns: null },
  'POST /admin/v1/prompts': { id: 'x', name: 'x', messages: [{ role: 'user', content: 'x' }] },
  'PATCH /admin/v1/prompts/{id}': {},
  'POST /admin/v1/prompts/{id}/versions': { messages: [{ role: 'user', content: 'x' }] },
  'PATCH /admin/v1/presets/{slug}': {},
  'POST /admin/v1/reruns': { ...RERUN, max_cost_usd: 1, start: false },
  'POST /admin/v1/reruns/estimate': RERUN,
  'POST /admin/v1/reruns/{id}/resume': {},
  'PUT /admin/v1/reruns/{id}/items/{item}': { verdict: 'win' },
  'POST /admin/v1/session-limits/allow': { session_id: 'x', workspace_id: 'x' },
  'POST /admin/v1/session-limits/trial': {},
  'POST /admin/v1/alarms': {
    name: 'x',
    what: 'spend_usd',
    threshold: 1,
    to: [{ type: 'slack', url: 'https://x.example/' }],
  },
  'PATCH /admin/v1/alarms/{id}': {},
  'PUT /admin/v1/mail': { host: 'smtp.example.com', from: 'gateway@example.com' },
  'POST /api/v1/analytics/query': { metrics: ['request_count'] },
  'PUT /admin/v1/budget-raises/{of}': { add_usd: 1, until: '2199-01-01T00:00:00Z' },
  'PUT /admin/v1/rate-limits': { data: [] },
  'PUT /admin/v1/call-limits': { data: [] },
  'PUT /admin/v1/retention': { days: 30 },
  'POST /api/v1/workspaces': { name: 'x', slug: 'x' },
  'PATCH /api/v1/workspaces/{id}': {},
  'PUT /api/v1/workspaces/{id}/budgets/{interval}': { limit_usd: 1 },
  'POST /api/v1/workspaces/{id}/members/add': { user_ids: ['mo'] },
  'POST /api/v1/workspaces/{id}/members/remove': { user_ids: ['mo'] },
  'PUT /admin/v1/workspaces/{id}/roles/{user_id}': { role: 'viewer' },
  'POST /api/v1/observability/destinations': { type: 'webhook', name: 'x', config: { url: 'https://example.com/' } },
  'PATCH /api/v1/observability/destinations/{id}': {},
  'POST /admin/v1/setup/provider-tests': { provider: { wire: 'openai', baseUrl: 'https://up.example/v1' } },
  'POST /admin/v1/setup/providers': { slug: 'x', wire: 'openai', baseUrl: 'https://up.example/v1' },
  'PATCH /admin/v1/setup/providers/{slug}': {},
  'POST /admin/v1/setup/models': { id: 'up/other', endpoints: [{ provider: 'up', providerModel: 'm' }] },
  'PUT /admin/v1/setup/models/{id+}': { id: 'up/chat', endpoints: [{ provider: 'up', providerModel: 'm' }] },
  'POST /admin/v1/setup/catalog/comparisons': { provider: 'up', document: [] },
  'POST /admin/v1/setup/catalog/changes': {
    changes: [{ model: 'up/chat', provider: 'up', field: 'context_length', to: 1 }],
  },
};

const OPERATIONS = await Promise.all(
  ROUTES.map(async ({ method, path, load }) => ({ name: `${method} ${path}`, body: (await load()).body })),
);

// Everything that takes a body and writes it. Calls to models, and tests with them, leave unknown fields to upstream; a
// provider of identity may send fields of its own.
const WRITES = OPERATIONS.flatMap(({ name, body }) =>
  body === undefined ||
  /\/(test|completions|messages|count_tokens|responses|embeddings|rerank|moderations|images|generations|edits|speech|transcriptions|videos|explain|chat|generate|embed|show|files|batches|back-channel-logout)$/.test(
    name,
  ) ||
  // SCIM takes what it does not know, as its RFC asks for.
  name.includes(' /scim/v2') ||
  name.includes(' /v1')
    ? []
    : [name],
);

test('133: the list of writes is complete', () => {
  expect(WRITES.toSorted()).toEqual(Object.keys(GOOD_BODIES).toSorted());
});

test.each(WRITES)('133: %s takes no field that it does not know, and says which', async (name) => {
  const [method = '', path = ''] = name.split(' ');
  const admin = /\/(setup|byok)/.test(path) ? await createSetupGateway() : createAdminGateway();
  const target = (await fillIn(admin, path)).replace('/api/v1', '');
  for (const field of NOT_WRITABLE.filter((one) => !Object.hasOwn(GOOD_BODIES[name] ?? {}, one))) {
    const { status, body } = await admin.call(method, target, { ...GOOD_BODIES[name], [field]: 'x' });
    expect([field, status]).toEqual([field, 400]);
    expect(JSON.stringify(body)).toContain(`${field}: is not a known field`);
  }
});

test.each([
  'GET /keys/{hash}',
  'GET /guardrails/{id}',
  'DELETE /guardrails/{id}',
  'GET /workspaces/{id}',
  'GET /observability/destinations/{id}',
  'GET /guardrails/{id}/assignments/keys',
])('135: %s responds with 404 to an id that is nearly right, and to one that is gone', async (name) => {
  const admin = createAdminGateway();
  const [method = '', path = ''] = name.split(' ');
  const [, id = ''] = /([0-9a-f-]{36,64})/.exec(await fillIn(admin, path)) ?? [];
  const wrong = [
    id.toUpperCase(),
    `${id}.`,
    `${id}%00`,
    id.slice(0, -1),
    '..%2f',
    '%20',
    '__proto__',
    'a'.repeat(5000),
  ];
  for (const other of wrong.filter((other) => other !== id)) {
    const response = await admin.call(method, path.replace(/\{\w+\}/, other));
    expect([other.slice(0, 70), response.status]).toEqual([other.slice(0, 70), 404]);
    expect(JSON.stringify(response.body).length).toBeLessThan(400);
  }
  const resource = path.slice(1).replace('guardrails/{id}/assignments/keys', 'guardrails/{id}');
  await admin.call('DELETE', `/${resource}`.replace(/\{\w+\}/, id));
  expect((await admin.call(method, path.replace(/\{\w+\}/, id))).status).toBe(404);
});

test('137: a key is shown when it is made, and never again', async () => {
  const admin = createAdminGateway();
  const { body } = await admin.call('POST', '/keys', { name: 'k' });
  const key = String(body['key']);
  const { hash } = body['data'] as { hash: string };
  const responses = [
    body['data'],
    await admin.call('GET', '/keys'),
    await admin.call('GET', `/keys/${hash}`),
    await admin.call('PATCH', `/keys/${hash}`, { name: 'l' }),
    await admin.call('GET', '/key', undefined, key),
    await admin.store.keys.list(),
  ];
  // Only its beginning and its end are left, for people.
  const secret = key.slice('sk-gw-v1-'.length);
  for (const response of responses) expect(JSON.stringify(response)).not.toContain(secret.slice(8, -8));
});

/** The path of something that exists. */
async function fillIn({ dataOf, store }: AdminGateway, path: string): Promise<string> {
  if (path.includes('/group-mappings/')) {
    await store.scimGroups.insert(toGroup('g'));
    return path.replace('{id}', 'mapping');
  }
  if (path.includes('/setup/')) {
    await dataOf('POST', '/admin/v1/setup/providers', { slug: 'up', wire: 'openai', baseUrl: 'https://up.example/v1' });
    await dataOf('POST', '/admin/v1/setup/models', GOOD_BODIES['PUT /admin/v1/setup/models/{id+}']);
    return path.replace('{slug}', 'up').replace('{id+}', 'up/chat');
  }
  if (path.includes('/presets/')) {
    await dataOf('POST', '/presets/p/chat/completions', { model: 'up/chat' });
    return path.replace('{slug}', 'p');
  }
  if (path.includes('/byok/')) {
    await dataOf('POST', '/admin/v1/setup/providers', { slug: 'up', wire: 'openai', baseUrl: 'https://up.example/v1' });
    const made = await dataOf('POST', '/byok', GOOD_BODIES['POST /api/v1/byok']);
    return path.replace('{id}', String(made['id']));
  }
  if (path.includes('{hash}')) {
    return path.replace('{hash}', String((await dataOf('POST', '/keys', { name: 'k' }))['hash']));
  }
  const made = path.includes('/guardrails')
    ? await dataOf('POST', '/guardrails', { name: 'r' })
    : path.includes('/workspaces')
      ? await dataOf('POST', '/workspaces', { name: 'w', slug: 'w' })
      : path.includes('/destinations')
        ? await dataOf('POST', '/observability/destinations', GOOD_BODIES['POST /api/v1/observability/destinations'])
        : path.includes('/prompts')
          ? await dataOf('POST', '/admin/v1/prompts', GOOD_BODIES['POST /admin/v1/prompts'])
          : path.includes('/reruns')
            ? await dataOf('POST', '/admin/v1/reruns', GOOD_BODIES['POST /admin/v1/reruns'])
            : await dataOf('POST', '/admin/v1/members', { user_id: 'm' });
  return path.replace('{id}', String(made['id'])).replace('{interval}', 'daily').replace('{item}', '00000-0');
}

test('134: keys that are tried from one address are slowed, behind a trusted proxy by the address it reports', async () => {
  const { listener } = await startFaultGateway([], { listen: { trustedProxies: ['127.0.0.1'] } });
  const ask = (key: string, address?: string): Promise<Response> =>
    fetch(`${listener.url}/api/v1/models/user`, {
      headers: { authorization: `Bearer ${key}`, ...(address !== undefined && { 'x-forwarded-for': address }) },
    });
  const statuses: number[] = [];
  for (let i = 0; i < 12; i += 1) statuses.push((await ask(`sk-${i}`, '203.0.113.9')).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
  const slowed = await ask('sk-wrong', '203.0.113.9');
  expect(slowed.headers.get('retry-after')).toBe('4');
  expect(await slowed.json()).toMatchObject({
    error: {
      code: 429,
      message: 'Unknown API key, after others from this address; wait 4 s before the next attempt',
    },
  });
  expect((await ask(TEST_KEY, '203.0.113.9')).status).toBe(200);
  expect((await ask('sk-wrong', '203.0.113.10')).status).toBe(401);
  for (let i = 0; i < 12; i += 1) expect((await ask(`sk-${i}`)).status).toBe(401);
});
