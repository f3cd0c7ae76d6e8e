import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { toKey } from '../../testing/rows.ts';

async function createTeam() {
  const admin = createAdminGateway();
  const { id } = await admin.dataOf('POST', '/workspaces', { name: 'Team', slug: 'team' });
  return { ...admin, id: String(id) };
}

test('a slug is refused that is the id of another workspace', async () => {
  const { call, dataOf, id } = await createTeam();
  await dataOf('POST', '/workspaces', { name: 'Other', slug: 'other' });
  const changed = await call('PATCH', '/workspaces/other', { slug: id });
  expect(changed).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('slug') } } });
  expect((await call('POST', '/workspaces', { name: 'Third', slug: id })).status).toBe(400);
});

test('an id names its workspace, also where the slug of an older one is the same', async () => {
  const { dataOf, store, id } = await createTeam();
  const { id: newer } = await dataOf('POST', '/workspaces', { name: 'Other', slug: 'other' });
  await store.workspaces.update(id, (record) => ({
    ...record,
    workspace: { ...record.workspace, slug: String(newer) },
  }));
  expect(await dataOf('GET', `/workspaces/${String(newer)}`)).toMatchObject({ id: newer, slug: 'other' });
});

test('what only a workspace could reach is deleted with it', async () => {
  const { call, dataOf, store, id } = await createTeam();
  await dataOf('POST', '/guardrails', { name: 'g', workspace_id: id });
  await dataOf('POST', `/presets/tone/chat/completions?workspace_id=${id}`, {
    model: 'acme/chat',
    messages: [{ role: 'system', content: 'Be brief.' }],
  });
  expect(await store.presets.list()).toHaveLength(1);
  await store.files.insert({
    id: 'file-1',
    workspaceId: id,
    filename: 'a.txt',
    mimeType: 'text/plain',
    bytes: 1,
    content: 'c',
    purpose: 'user_data',
    origin: 'uploaded',
    createdBy: 'admin',
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: null,
  });
  expect((await call('DELETE', '/workspaces/team')).status).toBe(200);
  expect([await store.guardrails.list(), await store.presets.list(), await store.files.list()]).toEqual([[], [], []]);
});

test('a key that is made while its workspace is deleted calls nothing', async () => {
  const { call, dataOf, store, id } = await createTeam();
  const { workspaces } = store;
  const { remove } = workspaces;
  const removeLate: typeof remove = async (...args) => {
    await store.keys.insert(toKey('late', { workspaceId: id }));
    return remove(...args);
  };
  Object.assign(workspaces, { remove: removeLate });
  expect((await call('DELETE', '/workspaces/team')).status).toBe(200);
  expect(await store.keys.get('late')).toBeUndefined();
  Object.assign(workspaces, { remove });
  // The other way round: the workspace goes between the look at it and the key.
  const { id: next } = await dataOf('POST', '/workspaces', { name: 'Next', slug: 'next' });
  const { insert } = store.keys;
  const insertLate: typeof insert = async (...args) => {
    await workspaces.remove(String(next));
    return insert(...args);
  };
  Object.assign(store.keys, { insert: insertLate });
  expect((await call('POST', '/keys', { name: 'late', workspace_id: next })).status).toBe(409);
  expect((await store.keys.list()).filter(({ workspaceId }) => workspaceId === next)).toEqual([]);
});

test('an offset that is null, as generated clients write it, is none', async () => {
  const { call } = await createTeam();
  for (const path of ['/keys', '/guardrails', '/workspaces', '/organization/members']) {
    for (const offset of ['', 'null']) {
      const { status, body } = await call('GET', `${path}?offset=${offset}`);
      expect([path, status, body['error']]).toEqual([path, 200, undefined]);
    }
  }
});
