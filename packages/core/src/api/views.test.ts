import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';

const FAILED = { search: { status: 'failed', range: '24h' }, hidden_columns: ['user'] };
const ALL = { search: {}, hidden_columns: null };

test('keeps views of the list by their names, in the order of these', async () => {
  const { call, dataOf } = createAdminGateway();
  expect(await dataOf('GET', '/admin/v1/views')).toEqual([]);
  expect((await call('PUT', '/admin/v1/views/What%20failed', FAILED)).body).toEqual({
    data: { name: 'What failed', ...FAILED },
  });
  await call('PUT', '/admin/v1/views/All', ALL);
  await call('PUT', '/admin/v1/views/What%20failed', { ...FAILED, search: { status: 'cancelled' } });
  expect(await dataOf('GET', '/admin/v1/views')).toEqual([
    { name: 'All', ...ALL },
    { name: 'What failed', ...FAILED, search: { status: 'cancelled' } },
  ]);
  expect((await call('DELETE', '/admin/v1/views/All')).body).toEqual({ deleted: true });
  expect((await call('DELETE', '/admin/v1/views/All')).status).toBe(404);
  expect(await dataOf('GET', '/admin/v1/views')).toHaveLength(1);
});

test('keeps views and settings of the account apart', async () => {
  const { call, dataOf } = createAdminGateway();
  await call('PUT', '/admin/v1/views/All', ALL);
  await call('PATCH', '/admin/v1/settings', { credits_usd: 5 });
  expect(await dataOf('GET', '/admin/v1/settings')).not.toHaveProperty('views');
  expect(await dataOf('GET', '/admin/v1/views')).toHaveLength(1);
  expect((await call('PATCH', '/admin/v1/settings', { views: [] })).status).toBe(400);
});

test.each([
  ['a name of nothing but spaces', '%20', ALL],
  ['a name that is too long', 'x'.repeat(61), ALL],
  ['something else than texts in the search', 'All', { ...ALL, search: { from: 1 } }],
  [
    'too many members of the search',
    'All',
    { ...ALL, search: Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`f${at}`, 'x'])) },
  ],
  ['an unknown member', 'All', { ...ALL, more: true }],
])('refuses %s', async (_what, name, body) => {
  const { call } = createAdminGateway();
  expect((await call('PUT', `/admin/v1/views/${name}`, body)).status).toBe(400);
});

test('keeps a hundred views at most, and still changes those', async () => {
  const { call } = createAdminGateway();
  for (let at = 0; at < 100; at += 1) await call('PUT', `/admin/v1/views/${at}`, ALL);
  const { status, body } = await call('PUT', '/admin/v1/views/more', ALL);
  expect(status).toBe(409);
  expect(JSON.stringify(body)).toContain('Delete one first');
  expect((await call('PUT', '/admin/v1/views/7', FAILED)).status).toBe(200);
});
