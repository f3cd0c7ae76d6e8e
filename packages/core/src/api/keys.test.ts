import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { API_KEY, createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const COMPLETION = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

// The clock shows Friday, 2 January 2026, 03:04:05 UTC.
const spendOn = (principalId: string, days: readonly string[], isByok = false) =>
  days.map((day) =>
    toRecord(`gen-${day}-${isByok}`, {
      principalId,
      costNanoUsd: 100_000_000,
      generation: { created_at: `${day}T12:00:00.000Z`, is_byok: isByok },
    }),
  );
const DAYS = ['2025-12-28', '2025-12-29', '2025-12-31', '2026-01-01', '2026-01-02'];

test('sums the spending of a key since midnight, since Monday and since the first of the month, in UTC', async () => {
  const { dataOf, store } = createAdminGateway();
  const { hash } = await dataOf('POST', '/keys', { name: 'k' });
  for (const record of [...spendOn(String(hash), DAYS), ...spendOn(String(hash), DAYS.slice(-2), true)]) {
    await store.generations.append(record, null);
  }
  expect(await dataOf('GET', `/keys/${hash}`)).toMatchObject({
    usage: 0.5,
    usage_daily: 0.1,
    usage_weekly: 0.4,
    usage_monthly: 0.2,
    byok_usage: 0.2,
    byok_usage_daily: 0.1,
    byok_usage_weekly: 0.2,
    byok_usage_monthly: 0.2,
  });
});

test.each([
  [{}, 0.55],
  [{ limit_reset: 'daily' }, 0.95],
  [{ limit_reset: 'weekly' }, 0.65],
  [{ limit_reset: 'monthly' }, 0.85],
  [{ limit_reset: 'monthly', include_byok_in_limit: true }, 0.65],
  [{ limit: 0.3 }, 0],
  [{ limit: null }, null],
])('returns the rest of a limit with %j', async (limit, remaining) => {
  const { dataOf, store } = createAdminGateway();
  const { hash } = await dataOf('POST', '/keys', { name: 'k', limit: 1.05, ...limit });
  for (const record of [...spendOn(String(hash), DAYS), ...spendOn(String(hash), DAYS.slice(-2), true)]) {
    await store.generations.append(record, null);
  }
  expect((await dataOf('GET', `/keys/${hash}`))['limit_remaining']).toBe(remaining);
});

test('lists the keys of the default workspace, or of the given one', async () => {
  const { call, dataOf } = createAdminGateway();
  const workspace = await dataOf('POST', '/workspaces', { name: 'Team', slug: 'team' });
  await dataOf('POST', '/keys', { name: 'ours' });
  await dataOf('POST', '/keys', { name: 'theirs', workspace_id: workspace['id'] });
  const names = async (query: string): Promise<unknown[]> =>
    ((await call('GET', `/keys${query}`)).body['data'] as { name: string }[]).map(({ name }) => name);
  expect(await names('')).toEqual(['ours']);
  expect(await names(`?workspace_id=${workspace['id']}`)).toEqual(['theirs']);
  expect(await call('POST', '/keys', { name: 'x', workspace_id: 'nowhere' })).toMatchObject({ status: 400 });
});

test('lists a hundred keys a page by default', async () => {
  const { call, dataOf } = createAdminGateway();
  for (let index = 0; index < 101; index += 1) await dataOf('POST', '/keys', { name: `k${index}` });
  const sizeOf = async (query: string): Promise<unknown> => {
    const { body } = await call('GET', `/keys${query}`);
    return [(body['data'] as unknown[]).length, body['total_count']];
  };
  expect(await sizeOf('')).toEqual([100, 101]);
  expect(await sizeOf('?offset=100')).toEqual([1, 101]);
  expect(await sizeOf('?limit=3&offset=5')).toEqual([3, 101]);
});

test('shows a key of the configuration to its holder, though it is not stored', async () => {
  const { call } = createAdminGateway();
  const { status, body } = await call('GET', '/key', undefined, API_KEY);
  expect(status).toBe(200);
  expect(body).toMatchObject({ data: { label: 'dev', limit: null, usage: 0, is_management_key: false } });
});

test('refuses a key from the moment it is disabled, expired or removed, and takes it again once it is enabled', async () => {
  const { call, platform } = createAdminGateway();
  const expiresAt = new Date(platform.now() + 1000).toISOString();
  const { body } = await call('POST', '/keys', { name: 'k', expires_at: expiresAt });
  const { hash } = body['data'] as { hash: string };
  const statusOf = async (): Promise<number> => (await call('GET', '/models', undefined, String(body['key']))).status;
  expect(await statusOf()).toBe(200);
  await call('PATCH', `/keys/${hash}`, { disabled: true });
  expect(await statusOf()).toBe(401);
  await call('PATCH', `/keys/${hash}`, { disabled: false });
  expect(await statusOf()).toBe(200);
  await platform.advance(1000);
  expect(await statusOf()).toBe(401);

  const other = await call('POST', '/keys', { name: 'k' });
  const removed = other.body['data'] as { hash: string };
  expect((await call('DELETE', `/keys/${removed.hash}`)).body).toEqual({ deleted: true });
  expect((await call('GET', '/models', undefined, String(other.body['key']))).status).toBe(401);
  expect((await call('DELETE', `/keys/${removed.hash}`)).status).toBe(404);
});

test('records the user whom a key was made for, where a request names nobody else', async () => {
  const upstream = createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [COMPLETION] });
  const { post, store } = createCoreGateway(upstream);
  const authorization = `Bearer ${MANAGEMENT_KEY}`;
  const made = await post(
    '/api/v1/keys',
    { name: 'k', external: { user: 'partner-7' } },
    { headers: { authorization } },
  );
  expect(made.status).toBe(201);
  const { data, key } = jsonOf(made) as { data: { external_user: string }; key: string };
  expect(data.external_user).toBe('partner-7');
  const ask = (body: object) =>
    post(
      '/api/v1/chat/completions',
      { model: 'acme/chat', messages: [{ role: 'user', content: 'Hi' }], ...body },
      { headers: { authorization: `Bearer ${key}` } },
    );
  expect((await ask({})).status).toBe(200);
  expect((await ask({ user: 'other' })).status).toBe(200);
  expect(store.appended.map(({ record }) => record.generation.external_user)).toEqual(['partner-7', 'other']);
});

test('refuses a key of the caller’s own making in words', async () => {
  const { call } = createAdminGateway();
  const external = { user: 'u', api_key: 'k'.repeat(32) };
  expect(await call('POST', '/keys', { name: 'k', external })).toMatchObject({
    status: 400,
    body: {
      error: {
        metadata: {
          issues: [{ path: 'external.api_key', message: 'is not supported: the gateway makes the keys itself' }],
        },
      },
    },
  });
});
