import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { API_KEY, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

async function hashOf(platform: { sha256(text: string): string | Promise<string> }, key: string): Promise<string> {
  return platform.sha256(key);
}

test('lists the keys of the configuration with what they have spent, before those that were made', async () => {
  const { call, dataOf, platform, store } = createAdminGateway();
  const hash = await hashOf(platform, API_KEY);
  await store.generations.append(toRecord('gen-1', { principalId: hash, costNanoUsd: 250_000_000 }), null);
  const made = await dataOf('POST', '/keys', { name: 'made' });
  const { body } = await call('GET', '/admin/v1/keys');
  expect(body['total_count']).toBe(3);
  expect(body['data'] as Rows).toMatchObject([
    {
      hash,
      name: 'dev',
      label: 'dev',
      source: 'config',
      management: false,
      usage: 0.25,
      limit: null,
      created_at: null,
    },
    { name: 'admin', source: 'config', management: true },
    { hash: made.hash, name: 'made', source: 'stored' },
  ]);
  expect(JSON.stringify(body)).not.toContain(API_KEY);
});

test('does not list the keys of the program around the gateway, which work all the same', async () => {
  const admin = { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' } as const;
  const owner = { key: 'sk-test-owner', kind: 'management', name: 'owner', isInternal: true } as const;
  const { call } = createAdminGateway({ bootstrapKeys: [admin, owner] });
  const { status, body } = await call('GET', '/admin/v1/keys', undefined, 'sk-test-owner');
  expect([status, (body['data'] as Rows).map(({ name }) => name)]).toEqual([200, ['admin']]);
});

test('leaves keys of the configuration out of the list that clients of the public API read', async () => {
  const { call, dataOf } = createAdminGateway();
  await dataOf('POST', '/keys', { name: 'made' });
  expect((await call('GET', '/keys?include_disabled=true')).body['data']).toMatchObject([{ name: 'made' }]);
});

test('lists disabled keys and those of other workspaces as well', async () => {
  const { call, dataOf } = createAdminGateway({
    bootstrapKeys: [{ key: MANAGEMENT_KEY, kind: 'management', name: 'admin' }],
  });
  const workspace = await dataOf('POST', '/workspaces', { name: 'Team', slug: 'team' });
  const off = await dataOf('POST', '/keys', { name: 'off' });
  await call('PATCH', `/keys/${off.hash}`, { disabled: true });
  await dataOf('POST', '/keys', { name: 'theirs', workspace_id: workspace['id'] });
  const rows = (await call('GET', '/admin/v1/keys')).body['data'] as Rows;
  expect(rows.map(({ name }) => name)).toEqual(['admin', 'off', 'theirs']);
  expect((await call('GET', '/admin/v1/keys?offset=1&limit=1')).body).toMatchObject({
    data: [{ name: 'off' }],
    total_count: 3,
  });
});

test('shows which guardrails hold for a key, and the models that they leave', async () => {
  const { dataOf, call, platform } = createAdminGateway();
  const { hash } = await dataOf('POST', '/keys', { name: 'narrow' });
  expect(await dataOf('GET', `/admin/v1/keys/${hash}`)).toMatchObject({
    source: 'stored',
    guardrails: [],
    allowed_models: ['acme/chat', 'acme/other'],
  });
  const { id } = await dataOf('POST', '/guardrails', { name: 'Only chat', allowed_models: ['acme/chat'] });
  await call('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: [hash] });
  expect(await dataOf('GET', `/admin/v1/keys/${hash}`)).toMatchObject({
    guardrails: [{ scope: 'api-key', id, name: 'Only chat' }],
    allowed_models: ['acme/chat'],
  });
  const configured = await hashOf(platform, API_KEY);
  expect(await dataOf('GET', `/admin/v1/keys/${configured}`)).toMatchObject({
    source: 'config',
    guardrails: [],
    allowed_models: ['acme/chat', 'acme/other'],
  });
});

test('names no model for a management key, because it calls none', async () => {
  const { dataOf } = createAdminGateway();
  const { hash } = await dataOf('POST', '/keys', { name: 'admin 2', management: true });
  expect(await dataOf('GET', `/admin/v1/keys/${hash}`)).toMatchObject({ management: true, allowed_models: [] });
});

test('changes when a key ends, from the next request on', async () => {
  const { call, dataOf, platform } = createAdminGateway();
  const { body } = await call('POST', '/keys', { name: 'k' });
  const { hash } = body['data'] as { hash: string };
  const statusOf = async (): Promise<number> => (await call('GET', '/models', undefined, String(body['key']))).status;
  const end = new Date(platform.now() - 1000).toISOString();
  expect(await dataOf('PATCH', `/keys/${hash}`, { expires_at: end })).toMatchObject({ expires_at: end });
  expect(await statusOf()).toBe(401);
  // What is left out stays.
  expect(await dataOf('PATCH', `/keys/${hash}`, { name: 'renamed' })).toMatchObject({ expires_at: end });
  expect(await dataOf('PATCH', `/keys/${hash}`, { expires_at: null })).toMatchObject({ expires_at: null });
  expect(await statusOf()).toBe(200);
  expect(await call('PATCH', `/keys/${hash}`, { expires_at: 'tomorrow' })).toMatchObject({ status: 400 });
});
