import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { API_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { SCIM_TOKEN, startDirectory } from '../../../../test/support/scim/directory.ts';
import { createKeyRecord } from '../auth/keys.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const PATCH = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] };

async function createOffice() {
  const admin = createAdminGateway({ scimToken: SCIM_TOKEN });
  const ask = await startDirectory(admin.gateway);
  const addKey = async (creatorUserId: string, disabled = false): Promise<{ key: string; hash: string }> => {
    const { platform } = admin;
    const { key, record } = await createKeyRecord({ platform, name: 'k', kind: 'api', limitUsd: null, creatorUserId });
    await admin.store.keys.insert({ ...record, disabled });
    return { key, hash: record.hash };
  };
  const statusOf = async (key: string): Promise<number> => (await admin.call('GET', '/key', undefined, key)).status;
  const members = async (slug: string): Promise<unknown> => {
    const { body } = await admin.call('GET', `/workspaces/${slug}/members`);
    return (body['data'] as { user_id: string; role: string }[]).map(({ user_id, role }) => [user_id, role]);
  };
  return { ...admin, ask, addKey, statusOf, members };
}

test('Okta’s order: asks for a user, adds, reads, replaces, deactivates and activates it', async () => {
  const { ask, addKey, statusOf, store, call } = await createOffice();
  const search = '/Users?filter=userName%20eq%20%22mia%40example.com%22&startIndex=1&count=100';
  expect((await ask('GET', search)).body).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 0,
    startIndex: 1,
    itemsPerPage: 0,
    Resources: [],
  });
  const user = {
    schemas: [`${CORE}:User`],
    userName: 'mia@example.com',
    name: { givenName: 'Mia', familyName: 'Ito' },
    emails: [{ primary: true, value: 'mia@example.com', type: 'work' }],
    displayName: 'Mia Ito',
    locale: 'en-US',
    externalId: '00u1',
    groups: [],
    password: 'never kept',
    active: true,
  };
  const made = await ask('POST', '/Users', user);
  expect([made.status, made.headers.get('content-type')]).toEqual([201, 'application/scim+json']);
  const { id } = made.body;
  expect(made.headers.get('location')).toBe(`${ask.url}/scim/v2/Users/${id}`);
  expect(made.body).toMatchObject({
    id,
    userName: 'mia@example.com',
    externalId: '00u1',
    name: { givenName: 'Mia', familyName: 'Ito', formatted: 'Mia Ito' },
    active: true,
    meta: { resourceType: 'User', version: made.headers.get('etag') },
  });
  expect(JSON.stringify(await store.members.list())).not.toContain('never kept');
  expect(await ask('POST', '/Users', { ...user, userName: 'MIA@example.com' })).toMatchObject({
    status: 409,
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '409', scimType: 'uniqueness' },
  });
  expect((await ask('GET', search)).body.Resources).toEqual([made.body]);
  expect((await ask('GET', `/Users/${id}`)).body).toEqual(made.body);
  const renamed = await ask('PUT', `/Users/${id}`, { ...user, id, name: { givenName: 'Mia', familyName: 'Ota' } });
  expect(renamed.body).toMatchObject({ id, name: { formatted: 'Mia Ota' }, externalId: '00u1' });

  const own = await addKey(id);
  const off = await addKey(id, true);
  const stop = { ...PATCH, Operations: [{ op: 'replace', value: { active: false } }] };
  expect((await ask('PATCH', `/Users/${id}`, stop)).body).toMatchObject({ active: false });
  expect(await statusOf(own.key)).toBe(401);
  const late = await call('POST', '/keys', { name: 'late', creator_user_id: id });
  expect(late).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('deactivated') } } });
  const start = { ...PATCH, Operations: [{ op: 'replace', value: { active: true } }] };
  expect((await ask('PATCH', `/Users/${id}`, start)).body).toMatchObject({ active: true });
  expect([await statusOf(own.key), await statusOf(off.key)]).toEqual([200, 401]);
});

test('Entra’s order: probes, adds, changes by paths, disables by a text, and removes', async () => {
  const { ask, addKey, statusOf, store } = await createOffice();
  const probe = await ask('GET', '/Users?filter=userName+eq+%225f1c0e64-0000-4000-8000-000000000000%22');
  expect([probe.status, probe.body['totalResults']]).toEqual([200, 0]);
  const made = await ask('POST', '/Users', {
    schemas: [`${CORE}:User`, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
    externalId: 'lee',
    userName: 'lee@example.com',
    active: true,
    emails: [{ primary: true, type: 'work', value: 'lee@example.com' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Lee Park', familyName: 'Park', givenName: 'Lee' },
    roles: [],
  });
  const { id } = made.body;
  const changed = await ask('PATCH', `/Users/${id}`, {
    ...PATCH,
    Operations: [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'lp@example.com' },
      { op: 'Add', path: 'name.familyName', value: 'Parker' },
      {
        op: 'Add',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager',
        value: [{ value: 'someone' }],
      },
      { op: 'Replace', path: 'addresses[type eq "work"].country', value: 'KR' },
    ],
  });
  expect(changed.body).toMatchObject({
    emails: [{ value: 'lp@example.com', type: 'work', primary: true }],
    name: { familyName: 'Parker', givenName: 'Lee' },
  });
  const own = await addKey(id);
  const disable = { ...PATCH, Operations: [{ op: 'Replace', path: 'active', value: 'False' }] };
  expect((await ask('PATCH', `/Users/${id}`, disable)).body).toMatchObject({ active: false });
  expect(await statusOf(own.key)).toBe(401);

  const group = await ask('POST', '/Groups', { schemas: [`${CORE}:Group`], externalId: 'g', displayName: 'Team' });
  expect(group.body).toMatchObject({ displayName: 'Team', externalId: 'g', members: [] });
  const add = { ...PATCH, Operations: [{ op: 'Add', path: 'members', value: [{ $ref: null, value: id }] }] };
  expect((await ask('PATCH', `/Groups/${group.body.id}`, add)).status).toBe(200);
  const find = `/Groups?excludedAttributes=members&filter=displayName+eq+%22Team%22`;
  expect((await ask('GET', find)).body.Resources).toEqual([
    expect.not.objectContaining({ members: expect.anything() }),
  ]);
  expect((await ask('GET', `/Groups?filter=id eq "${group.body.id}" and members eq "${id}"`)).body).toMatchObject({
    totalResults: 1,
    Resources: [{ members: [{ value: id, display: 'lee@example.com' }] }],
  });
  expect((await ask('GET', `/Users/${id}`)).body['groups']).toEqual([{ value: group.body.id, display: 'Team' }]);
  const out = { ...PATCH, Operations: [{ op: 'Remove', path: 'members', value: [{ value: id }] }] };
  expect((await ask('PATCH', `/Groups/${group.body.id}`, out)).body['members']).toEqual([]);
  await ask('PATCH', `/Groups/${group.body.id}`, add);

  expect((await ask('DELETE', `/Users/${id}`)).status).toBe(204);
  expect(await ask('GET', `/Users/${id}`)).toMatchObject({ status: 404, body: { status: '404' } });
  expect((await ask('GET', `/Groups/${group.body.id}`)).body['members']).toEqual([]);
  expect(await store.keys.get(own.hash)).not.toHaveProperty('disabledWithMember');
  expect((await ask('DELETE', `/Groups/${group.body.id}`)).status).toBe(204);
});

test('a mapping puts a group into a workspace, and takes away what it gave and nothing else', async () => {
  const { ask, dataOf, call, members } = await createOffice();
  const addUser = async (userName: string): Promise<string> => (await ask('POST', '/Users', { userName })).body.id;
  const [ada, ben, cy] = [await addUser('ada'), await addUser('ben'), await addUser('cy')];
  const workspace = await dataOf('POST', '/workspaces', { name: 'Lab', slug: 'lab' });
  await call('POST', '/workspaces/lab/members/add', { user_ids: [ada, cy] });
  const group = await ask('POST', '/Groups', { displayName: 'Team', members: [{ value: ada }, { value: ben }] });
  const body = { scim_group_id: group.body.id, workspace_id: workspace.id, role: 'admin' };
  const mapping = await dataOf('POST', '/scim/group-mappings', body);
  expect(await members('lab')).toEqual([
    [ada, 'admin'],
    [cy, 'member'],
    [ben, 'admin'],
  ]);
  await dataOf('PATCH', `/scim/group-mappings/${mapping.id}`, { role: 'member' });
  await ask('PATCH', `/Groups/${group.body.id}`, {
    ...PATCH,
    Operations: [
      { op: 'remove', path: `members[value eq "${ben}"]` },
      { op: 'add', path: 'members', value: [{ value: cy }] },
    ],
  });
  expect(await members('lab')).toEqual([
    [ada, 'member'],
    [cy, 'member'],
  ]);
  expect(await call('POST', '/workspaces/lab/members/remove', { user_ids: [cy] })).toMatchObject({ status: 400 });
  expect((await call('GET', '/admin/v1/workspaces/lab/roles')).body['data']).toEqual([
    { user_id: ada, role: 'member', own_role: 'member', group_role: 'member' },
    { user_id: cy, role: 'member', own_role: 'member', group_role: 'member' },
  ]);
  await call('DELETE', `/scim/group-mappings/${mapping.id}?keep_members=false`);
  expect(await members('lab')).toEqual([
    [ada, 'member'],
    [cy, 'member'],
  ]);

  const again = await dataOf('POST', '/scim/group-mappings', { ...body, role: 'admin' });
  await ask('PUT', `/Groups/${group.body.id}`, { displayName: 'Team', members: [{ value: ben }] });
  expect(await members('lab')).toEqual([
    [ada, 'member'],
    [cy, 'member'],
    [ben, 'admin'],
  ]);
  expect((await call('GET', '/admin/v1/workspaces/lab/roles')).body['data']).toContainEqual({
    user_id: ben,
    role: 'administrator',
    own_role: null,
    group_role: 'administrator',
  });
  await call('DELETE', `/scim/group-mappings/${again.id}?keep_members=true`);
  await ask('DELETE', `/Groups/${group.body.id}`);
  expect(await members('lab')).toContainEqual([ben, 'admin']);
});

test('the key of a member stops with the group that gave its workspace, and works again with it', async () => {
  const { ask, dataOf, call, statusOf } = await createOffice();
  const { id: ada } = (await ask('POST', '/Users', { userName: 'ada' })).body;
  const { id: workspaceId } = await dataOf('POST', '/workspaces', { name: 'Finance', slug: 'finance' });
  const { id: groupId } = (await ask('POST', '/Groups', { displayName: 'Finance', members: [{ value: ada }] })).body;
  const mapping = { scim_group_id: groupId, workspace_id: workspaceId, role: 'member' };
  await dataOf('POST', '/scim/group-mappings', mapping);
  const wanted = { name: 'ada', workspace_id: workspaceId, creator_user_id: ada };
  const { body } = await call('POST', '/keys', wanted);
  const key = String(body['key']);
  expect(await statusOf(key)).toBe(200);
  await ask('PUT', `/Groups/${groupId}`, { displayName: 'Finance', members: [] });
  expect(await statusOf(key)).toBe(401);
  expect(await call('POST', '/keys', wanted)).toMatchObject({ status: 409 });
  await ask('PUT', `/Groups/${groupId}`, { displayName: 'Finance', members: [{ value: ada }] });
  expect(await statusOf(key)).toBe(200);
  await call('PUT', `/admin/v1/workspaces/${workspaceId}/roles/${ada}`, { role: 'viewer' });
  await ask('PUT', `/Groups/${groupId}`, { displayName: 'Finance', members: [] });
  expect(await statusOf(key)).toBe(401);
});

test('the removal of a group or of a user takes what mappings gave', async () => {
  const { ask, dataOf, call, members } = await createOffice();
  const ids: string[] = [];
  for (const userName of ['ada', 'ben']) ids.push((await ask('POST', '/Users', { userName })).body.id);
  const workspace = await dataOf('POST', '/workspaces', { name: 'Lab', slug: 'lab' });
  const group = await ask('POST', '/Groups', { displayName: 'Team', members: ids.map((value) => ({ value })) });
  const body = { scim_group_id: group.body.id, workspace_id: workspace.id, role: 'member' };
  await dataOf('POST', '/scim/group-mappings', body);
  expect(await call('POST', '/scim/group-mappings', body)).toMatchObject({ status: 409 });
  await ask('DELETE', `/Users/${ids[0] ?? ''}`);
  expect(await members('lab')).toEqual([[ids[1], 'member']]);
  await ask('DELETE', `/Groups/${group.body.id}`);
  expect(await members('lab')).toEqual([]);
  expect((await call('GET', '/scim/group-mappings')).body).toEqual({ data: [], total_count: 0 });
});

test('a member who is there already is found by e-mail or id, and taken over with all keys', async () => {
  const { ask, dataOf, store } = await createOffice();
  await dataOf('POST', '/admin/v1/members', { user_id: 'mo', email: 'mo@example.com', role: 'admin' });
  const { body } = await ask('GET', '/Users?filter=userName eq "mo@example.com"');
  expect(body.Resources).toEqual([expect.objectContaining({ id: 'mo', userName: 'mo@example.com', active: true })]);
  await ask('PUT', '/Users/mo', { userName: 'mo@example.com', externalId: 'x', emails: [{ value: 'mo@example.com' }] });
  expect(await store.members.get('mo')).toMatchObject({ role: 'org:admin', scim: { external_id: 'x' } });
});

test('only its own token opens SCIM, and opens nothing else; without one it is not served', async () => {
  const { gateway, call } = await createOffice();
  const key = await startDirectory(gateway, API_KEY);
  expect(await key('GET', '/Users')).toMatchObject({
    status: 401,
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '401' },
  });
  expect((await call('GET', '/admin/v1/keys', undefined, SCIM_TOKEN)).status).toBe(401);
  const off = await startDirectory(createAdminGateway().gateway);
  expect((await off('GET', '/Users')).status).toBe(404);
});

test('what has changed since is not overwritten where If-Match says so', async () => {
  const { ask } = await createOffice();
  const { body, headers } = await ask('POST', '/Users', { userName: 'ada' });
  const etag = headers.get('etag') ?? '';
  const change = { userName: 'ada', displayName: 'Ada' };
  expect((await ask('PUT', `/Users/${body.id}`, change, { 'if-match': etag })).status).toBe(200);
  expect(await ask('PUT', `/Users/${body.id}`, change, { 'if-match': etag })).toMatchObject({
    status: 412,
    body: { status: '412' },
  });
});

test.each([
  ['POST', '/Users', '{', 400, 'invalidSyntax'],
  ['POST', '/Users', [], 400, 'invalidValue'],
  ['POST', '/Users', {}, 400, 'invalidValue'],
  ['POST', '/Users', { userName: 7 }, 400, 'invalidValue'],
  ['POST', '/Users', { userName: 'x'.repeat(321) }, 400, 'invalidValue'],
  ['POST', '/Groups', { displayName: '' }, 400, 'invalidValue'],
  ['POST', '/Groups', { displayName: 'x', members: [{ value: 'nobody' }] }, 400, 'invalidValue'],
  ['POST', '/Groups', { displayName: 'x', members: [{ type: 'Group', value: 'g' }] }, 400, 'invalidValue'],
  ['GET', '/Users?filter=userName', undefined, 400, 'invalidFilter'],
  ['GET', '/Users?count=many', undefined, 400, 'invalidValue'],
  ['GET', '/Users/nobody', undefined, 404, undefined],
  ['PATCH', '/Users/nobody', { Operations: [] }, 404, undefined],
  ['DELETE', '/Groups/nothing', undefined, 404, undefined],
  ['GET', '/Schemas/nothing', undefined, 404, undefined],
] as const)(
  '%s %s with what cannot be is refused in the form of SCIM',
  async (method, path, body, status, scimType) => {
    const { ask } = await createOffice();
    const refused = await ask(method, path, body);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([status, 'application/scim+json']);
    expect(refused.body).toMatchObject({ status: String(status), detail: expect.any(String) });
    expect(refused.body['scimType']).toBe(scimType);
  },
);

test('pages, attributes and what is served are as directories expect', async () => {
  const { ask } = await createOffice();
  for (const userName of ['a', 'b', 'c']) await ask('POST', '/Users', { userName });
  const page = await ask('GET', '/Users?startIndex=2&count=1&attributes=userName');
  expect(page.body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
  expect(page.body.Resources).toEqual([{ schemas: [`${CORE}:User`], id: expect.any(String), userName: 'b' }]);
  expect((await ask('GET', '/Users?count=0')).body).toMatchObject({ totalResults: 3, Resources: [] });
  expect((await ask('GET', '/ServiceProviderConfig')).body).toMatchObject({ patch: { supported: true } });
  expect((await ask('GET', '/ResourceTypes')).body.Resources.map(({ id }) => id)).toEqual(['User', 'Group']);
  expect((await ask('GET', `/Schemas/${CORE}:Group`)).body).toMatchObject({ name: 'Group' });
  const { attributes } = (await ask('GET', `/Schemas/${CORE}:Group`)).body as unknown as {
    attributes: { name: string; uniqueness: string }[];
  };
  expect(attributes).toContainEqual(expect.objectContaining({ name: 'displayName', uniqueness: 'server' }));
  expect((await ask('GET', '/ResourceTypes/User')).body).toMatchObject({ endpoint: '/Users' });
});

test('a key that somebody has disabled by hand meanwhile stays so when its member is active again', async () => {
  const { ask, addKey, call, statusOf } = await createOffice();
  const { id } = (await ask('POST', '/Users', { userName: 'ada' })).body;
  const { key, hash } = await addKey(id);
  const set = (active: boolean) => ask('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value: { active } }] });
  await set(false);
  await call('PATCH', `/keys/${hash}`, { name: 'renamed' });
  await set(true);
  expect(await statusOf(key)).toBe(200);
  await set(false);
  await call('PATCH', `/keys/${hash}`, { disabled: true });
  await set(true);
  expect(await statusOf(key)).toBe(401);
});

test('the audit log says what the directory has changed, and who has tried without its token', async () => {
  const { ask, gateway, dataOf, addKey } = await createOffice();
  const { id } = (await ask('POST', '/Users', { userName: 'ada' })).body;
  await addKey(id);
  await ask('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value: { active: false } }] });
  await ask('POST', '/Groups', { displayName: 'Team', members: [{ value: id }] });
  const stranger = await startDirectory(gateway, 'another-token-000000');
  await stranger('DELETE', `/Users/${id}`);
  const read = () => dataOf('GET', '/admin/v1/audit');
  await expect.poll(async () => JSON.stringify(await read())).toContain('"refused"');
  expect(await read()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'member.create', actor: expect.objectContaining({ kind: 'scim' }) }),
      expect.objectContaining({ action: 'member.update', after: expect.objectContaining({ active: false }) }),
      expect.objectContaining({ action: 'key.update', after: expect.objectContaining({ disabled: true }) }),
      expect.objectContaining({
        action: 'group.create',
        target: expect.objectContaining({ kind: 'group', name: 'Team' }),
      }),
      expect.objectContaining({ action: 'member.delete', outcome: 'refused', reason: 'authentication' }),
    ]),
  );
});

test('groups are listed with their members and what each gives, those of sign-in by the configuration', async () => {
  const rules = { groups: { staff: { role: 'viewer', workspaces: { lab: 'viewer', gone: 'member' } } } } as const;
  const proxy = { header: 'user-agent', isTrusted: () => false };
  const { gateway, call, dataOf } = createAdminGateway({ scimToken: SCIM_TOKEN, signIn: { rules, proxy } });
  const ask = await startDirectory(gateway);
  const user = await ask('POST', '/Users', { userName: 'mia@example.com' });
  const group = await ask('POST', '/Groups', { displayName: 'Research', members: [{ value: user.body.id }] });
  const { id: workspaceId } = await dataOf('POST', '/workspaces', { name: 'Lab', slug: 'lab' });
  const mapping = { scim_group_id: group.body.id, workspace_id: workspaceId, role: 'admin' };
  const { id: mappingId } = await dataOf('POST', '/scim/group-mappings', mapping);
  const { body } = await call('GET', '/admin/v1/groups');
  expect(body).toEqual({
    total_count: 2,
    data: [
      {
        id: group.body.id,
        source: 'directory',
        display_name: 'Research',
        member_ids: [user.body.id],
        role: null,
        workspaces: [{ workspace_id: workspaceId, role: 'administrator', mapping_id: mappingId }],
      },
      {
        id: 'staff',
        source: 'sign_in',
        display_name: 'staff',
        member_ids: null,
        role: 'viewer',
        workspaces: [
          { workspace_id: workspaceId, role: 'viewer', mapping_id: null },
          { workspace_id: 'gone', role: 'member', mapping_id: null },
        ],
      },
    ],
  });
  expect((await call('GET', '/admin/v1/groups?offset=1&limit=1')).body).toMatchObject({
    total_count: 2,
    data: [{ id: 'staff' }],
  });
});

test('a member whose id is half a character is listed, and no further one is added', async () => {
  const { ask, call, store } = await createOffice();
  await store.members.insert({ id: '\ud800', email: '', first_name: null, last_name: null, role: 'org:member' });
  const { status, body } = await ask('GET', '/Users');
  expect([status, body.totalResults]).toEqual([200, 1]);
  expect(await call('POST', '/admin/v1/members', { user_id: 'a\udc00' })).toMatchObject({
    status: 400,
    body: { error: { metadata: { issues: [{ path: 'user_id' }] } } },
  });
});
