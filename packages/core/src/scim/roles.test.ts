import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { SCIM_TOKEN, startDirectory } from '../../../../test/support/scim/directory.ts';

const GROUPS = {
  'app-admins': { role: 'administrator' },
  'app-money': { role: 'billing' },
  // Somebody has named a group so that gives nothing in the organization.
  viewer: { workspaces: { lab: 'member' } },
} as const;

async function createOffice() {
  const office = createAdminGateway({ scimToken: SCIM_TOKEN, signIn: { rules: { groups: GROUPS } } });
  const ask = await startDirectory(office.gateway);
  const change = (id: string, ...operations: readonly object[]) =>
    ask('PATCH', `/Users/${id}`, { Operations: operations });
  /** What the member is, and the values that the directory reads. */
  const roleOf = async (id: string): Promise<readonly unknown[]> => {
    const { role, organization_role: own } = (await office.store.members.get(id)) ?? {};
    const shown = (await ask('GET', `/Users/${id}`)).body['roles'] as readonly { readonly value: string }[] | undefined;
    return [role, own, shown?.map(({ value }) => value)];
  };
  const add = async (body: object): Promise<string> => (await ask('POST', '/Users', body)).body.id;
  return { ...office, ask, change, roleOf, add };
}

test.each([
  ['objects', [{ value: 'app-money', display: 'Money', primary: true, type: 'x' }]],
  ['texts', ['app-money']],
  ['one text', 'app-money'],
  ['one object', { value: 'app-money' }],
  ['a text of an object', [{ value: '{"id":"1","value":"app-money","displayName":"Money"}' }]],
  ['several, of which the highest counts', ['Viewer', 'app-money', 'nothing', 'developer']],
])('the roles of a new user, as %s, give a role in the organization', async (_, roles) => {
  const { add, roleOf } = await createOffice();
  const [role, own] = await roleOf(await add({ userName: 'ada', roles }));
  expect([role, own]).toEqual(['org:member', 'billing']);
});

test('a name that is mapped gives what its mapping says and nothing else, and other names that of a role', async () => {
  const { add, roleOf } = await createOffice();
  expect(await roleOf(await add({ userName: 'a', roles: ['app-admins'] }))).toEqual([
    'org:admin',
    'administrator',
    ['app-admins'],
  ]);
  expect(await roleOf(await add({ userName: 'b', roles: ['viewer'] }))).toEqual(['org:member', undefined, ['viewer']]);
  expect(await roleOf(await add({ userName: 'c', roles: ['Viewer'] }))).toEqual(['org:member', 'viewer', ['Viewer']]);
  expect(await roleOf(await add({ userName: 'd', roles: ['root', '__proto__', 'constructor'] }))).toEqual([
    'org:member',
    undefined,
    ['root', '__proto__', 'constructor'],
  ]);
});

test('Okta’s and Entra’s changes of roles are followed, and who has none any more is a developer', async () => {
  const { ask, add, change, roleOf } = await createOffice();
  const id = await add({ userName: 'ada' });
  expect(await roleOf(id)).toEqual(['org:member', undefined, undefined]);
  await change(id, { op: 'Add', path: 'roles[primary eq "True"].value', value: 'app-money' });
  expect(await roleOf(id)).toEqual(['org:member', 'billing', ['app-money']]);
  await change(id, { op: 'Replace', path: 'roles[primary eq "True"].value', value: 'app-admins' });
  expect(await roleOf(id)).toEqual(['org:admin', 'administrator', ['app-admins']]);
  await change(id, { op: 'add', path: 'roles', value: [{ value: 'viewer', primary: false }] });
  expect(await roleOf(id)).toEqual(['org:admin', 'administrator', ['app-admins', 'viewer']]);
  await change(id, { op: 'remove', path: 'roles[value eq "app-admins"]' });
  expect(await roleOf(id)).toEqual(['org:member', undefined, ['viewer']]);
  await change(id, { op: 'replace', value: { roles: [{ value: 'app-money' }] } });
  await change(id, { op: 'Remove', path: 'roles', value: [{ value: 'app-money' }] });
  expect(await roleOf(id)).toEqual(['org:member', undefined, undefined]);
  await ask('PUT', `/Users/${id}`, { userName: 'ada', roles: ['app-admins'] });
  expect((await ask('GET', '/Users?filter=roles eq "app-admins"')).body['totalResults']).toBe(1);
  await ask('PUT', `/Users/${id}`, { userName: 'ada' });
  expect(await roleOf(id)).toEqual(['org:member', undefined, undefined]);
  for (const value of [7, [7], { display: 'x' }, 'x'.repeat(401)]) {
    expect((await change(id, { op: 'replace', path: 'roles', value })).status).toBe(400);
  }
});

test('what somebody gives by hand stays until the directory gives another role', async () => {
  const { add, call, change, roleOf } = await createOffice();
  const id = await add({ userName: 'ada', roles: ['app-money'] });
  await call('PATCH', `/admin/v1/members/${id}`, { organization_role: 'administrator' });
  await change(id, { op: 'replace', path: 'displayName', value: 'Ada' });
  expect(await roleOf(id)).toEqual(['org:admin', 'administrator', ['app-money']]);
  await change(id, { op: 'remove', path: 'roles' });
  expect(await roleOf(id)).toEqual(['org:admin', 'administrator', undefined]);
  await change(id, { op: 'add', path: 'roles', value: ['viewer', 'developer'] });
  expect(await roleOf(id)).toEqual(['org:member', 'developer', ['viewer', 'developer']]);
});

test('the last owner stays one, whatever roles the directory sends or takes', async () => {
  const { ask, add, change, roleOf } = await createOffice();
  const id = await add({ userName: 'ada', roles: ['owner'] });
  const owner = ['org:admin', 'owner', ['owner']];
  for (const operation of [
    { op: 'replace', path: 'roles', value: ['app-money'] },
    { op: 'remove', path: 'roles' },
    { op: 'replace', value: { active: false } },
  ]) {
    expect((await change(id, operation)).status).toBe(409);
    expect(await roleOf(id)).toEqual(owner);
  }
  expect((await ask('PUT', `/Users/${id}`, { userName: 'ada' })).status).toBe(409);
  expect((await ask('DELETE', `/Users/${id}`)).status).toBe(409);
  await add({ userName: 'ben', roles: [{ value: 'Owner' }] });
  expect((await change(id, { op: 'remove', path: 'roles' })).status).toBe(200);
  expect(await roleOf(id)).toEqual(['org:member', undefined, undefined]);
});
