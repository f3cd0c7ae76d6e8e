import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';

async function createTeam() {
  const admin = createAdminGateway();
  await admin.dataOf('POST', '/admin/v1/members', { user_id: 'mo' });
  await admin.dataOf('POST', '/admin/v1/members', { user_id: 'ada', role: 'admin' });
  const { id } = await admin.dataOf('POST', '/workspaces', { name: 'Team', slug: 'team' });
  return { ...admin, id };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

test('adds members with their roles of the organization, lists them in pages, and removes them', async () => {
  const { call, id } = await createTeam();
  expect((await call('GET', '/workspaces/team/members')).body).toEqual({ data: [], total_count: 0 });
  const added = await call('POST', '/workspaces/team/members/add', { user_ids: ['mo', 'ada', 'mo'] });
  expect(added).toMatchObject({
    status: 200,
    body: {
      added_count: 2,
      data: [
        {
          workspace_id: id,
          user_id: 'mo',
          role: 'member',
          id: expect.stringMatching(UUID),
          created_at: expect.any(String),
        },
        { workspace_id: id, user_id: 'ada', role: 'admin' },
      ],
    },
  });
  const data = added.body['data'] as readonly unknown[];
  expect((await call('GET', `/workspaces/${id}/members`)).body).toEqual({ data, total_count: 2 });
  const page = await call('GET', `/workspaces/${id}/members?offset=1&limit=1`);
  expect(page.body).toEqual({ data: data.slice(1), total_count: 2 });
  const removed = await call('POST', `/workspaces/${id}/members/remove`, { user_ids: ['mo', 'nobody'] });
  expect(removed).toMatchObject({ status: 200, body: { removed_count: 1 } });
  expect((await call('GET', '/workspaces/team/members')).body).toEqual({ data: data.slice(1), total_count: 1 });
});

test('a member who is added again keeps the membership and takes the role of today', async () => {
  const { call, dataOf } = await createTeam();
  const first = await call('POST', '/workspaces/team/members/add', { user_ids: ['mo'] });
  await dataOf('PATCH', '/admin/v1/members/mo', { role: 'admin' });
  const again = await call('POST', '/workspaces/team/members/add', { user_ids: ['mo'] });
  const [before] = first.body['data'] as readonly object[];
  expect(again.body).toEqual({ added_count: 1, data: [{ ...before, role: 'admin' }] });
});

test('adds none where one is unknown, and says which', async () => {
  const { call } = await createTeam();
  const refused = await call('POST', '/workspaces/team/members/add', { user_ids: ['mo', 'nobody'] });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      error: {
        metadata: {
          issues: [{ path: 'user_ids.1', message: 'there is no member nobody in the organization' }],
        },
      },
    },
  });
  expect((await call('GET', '/workspaces/team/members')).body).toMatchObject({ total_count: 0 });
});

test('removes none where one has a key in the workspace that can be used, and says what to do', async () => {
  const { call, dataOf, id } = await createTeam();
  await call('POST', '/workspaces/team/members/add', { user_ids: ['mo', 'ada'] });
  const { hash } = await dataOf('POST', '/keys', { name: 'own', creator_user_id: 'mo', workspace_id: id });
  await dataOf('POST', '/keys', { name: 'elsewhere', creator_user_id: 'ada' });
  expect(await call('POST', '/workspaces/team/members/remove', { user_ids: ['ada', 'mo'] })).toMatchObject({
    status: 400,
    body: {
      error: {
        metadata: {
          issues: [{ path: 'user_ids.1', message: 'mo has a key in this workspace; disable or delete it first' }],
        },
      },
    },
  });
  expect((await call('GET', '/workspaces/team/members')).body).toMatchObject({ total_count: 2 });
  await dataOf('PATCH', `/keys/${hash}`, { disabled: true });
  const removed = await call('POST', '/workspaces/team/members/remove', { user_ids: ['ada', 'mo'] });
  expect(removed.body).toEqual({ removed_count: 2 });
});

test('the default workspace has every member of the organization, and none can leave it', async () => {
  const { call } = await createTeam();
  const { body } = await call('GET', '/workspaces/default/members');
  expect(body).toMatchObject({
    data: [
      { user_id: 'mo', role: 'member' },
      { user_id: 'ada', role: 'admin' },
    ],
  });
  const [mo] = body['data'] as readonly unknown[];
  const added = await call('POST', '/workspaces/default/members/add', { user_ids: ['mo'] });
  expect(added.body).toEqual({ added_count: 0, data: [mo] });
  const refused = await call('POST', '/workspaces/default/members/remove', { user_ids: ['mo'] });
  expect(refused).toMatchObject({ status: 400 });
});

test('a member who leaves the organization leaves the workspaces', async () => {
  const { call, dataOf, store } = await createTeam();
  await call('POST', '/workspaces/team/members/add', { user_ids: ['mo', 'ada'] });
  await call('DELETE', '/admin/v1/members/mo');
  await dataOf('POST', '/admin/v1/members', { user_id: 'mo' });
  const { body } = await call('GET', '/workspaces/team/members');
  expect(body).toMatchObject({ total_count: 1, data: [{ user_id: 'ada' }] });
  expect((await store.workspaces.list()).map(({ members }) => members?.length)).toEqual([1]);
});

test.each([
  ['no list', {}, 'user_ids'],
  ['an empty list', { user_ids: [] }, 'user_ids'],
  ['101 members', { user_ids: Array.from({ length: 101 }, (_, at) => `u${at}`) }, 'user_ids'],
  ['an empty id', { user_ids: ['mo', ''] }, 'user_ids.1'],
])('refuses %s with its path', async (_, body, path) => {
  const { call } = await createTeam();
  for (const name of ['add', 'remove']) {
    const refused = await call('POST', `/workspaces/team/members/${name}`, body);
    expect(refused).toMatchObject({ status: 400, body: { error: { metadata: { issues: [{ path }] } } } });
  }
});
