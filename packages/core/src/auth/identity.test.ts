import { expect, test } from 'vitest';

import { createMemoryStore } from '../stores/memory-store.ts';
import type { Member } from '../wire/members.ts';
import { DEFAULT_CLAIMS, toIdentity } from './identity-provider.ts';
import { applyIdentity, type Identity, type IdentityRules } from './identity.ts';
import { withMappedRoles } from './memberships.ts';

const WORKSPACE = { id: 'w-1', slug: 'search', name: 'Search', created_at: '2026-01-02T03:04:05Z', created_by: null };

async function createDirectory(...members: readonly Member[]) {
  const store = createMemoryStore();
  for (const member of members) await store.members.insert(member);
  const { toNewWorkspace } = await import('../account/workspaces.ts');
  await store.workspaces.insert(toNewWorkspace(WORKSPACE));
  const warned: string[] = [];
  const parts = {
    store,
    members: store.members,
    platform: { now: () => Date.UTC(2026, 0, 2) },
    logger: { warn: (message: string) => void warned.push(message) },
  };
  const apply = (identity: Partial<Identity>, rules: Partial<IdentityRules> = {}): Promise<Member> =>
    applyIdentity({ id: 'ada', groups: [], ...identity }, { groups: {}, ...rules }, parts);
  /** The host manages members itself. */
  const applyAtHost = (identity: Partial<Identity>): Promise<Member> => {
    const members = { list: () => store.members.list(), get: (id: string) => store.members.get(id) };
    return applyIdentity({ id: 'ada', groups: [], ...identity }, { groups: {} }, { ...parts, members });
  };
  const roleIn = async (): Promise<string | undefined> => (await store.workspaces.get('w-1'))?.members?.[0]?.role;
  return { store, apply, applyAtHost, roleIn, warned };
}

const MEMBER: Member = { id: 'old', email: 'ada@acme.example', first_name: null, last_name: null, role: 'org:member' };

test('the highest role that a group gives counts, and without any the default one, or none', async () => {
  const { apply } = await createDirectory();
  const groups = { a: { role: 'viewer' }, b: { role: 'billing' } } as const;
  expect((await apply({ groups: ['a', 'b', 'other'] }, { groups })).organization_role).toBe('billing');
  expect((await apply({}, { groups, defaultRole: 'viewer' })).organization_role).toBe('viewer');
  await expect(apply({}, { groups })).rejects.toMatchObject({ metadata: { reason: 'groups' } });
});

test('where no group gives a role, that of the member stays as it was set', async () => {
  const { apply, store } = await createDirectory();
  expect((await apply({})).organization_role).toBe('developer');
  await store.members.update('ada', (member) => ({ ...member, organization_role: 'billing' }));
  expect((await apply({}, { defaultRole: 'viewer' })).organization_role).toBe('billing');
});

test('groups give and take the workspaces that they name, and no others', async () => {
  const { apply, roleIn, warned, store } = await createDirectory();
  const groups = {
    a: { workspaces: { search: 'viewer' } },
    b: { workspaces: { 'w-1': 'administrator', gone: 'member' } },
  } as const;
  await apply({ groups: ['a'] }, { groups: { a: groups.a } });
  expect(await roleIn()).toBe('viewer');
  await apply({ groups: ['b'] }, { groups: { b: groups.b } });
  expect(await roleIn()).toBe('admin');
  expect(warned).toEqual(['a group gives access to a workspace that does not exist']);
  await apply({ groups: ['b'] });
  expect(await roleIn()).toBe('admin');
  await apply({ groups: [] }, { groups: { a: groups.a } });
  expect(await roleIn()).toBeUndefined();
  expect(await store.members.list()).toHaveLength(1);
});

test('what a group of the directory gives in a workspace stays beside what a provider gives and takes', async () => {
  const { apply, roleIn, store } = await createDirectory();
  const groups = { a: { workspaces: { search: 'administrator' } } } as const;
  await apply({});
  await store.workspaces.update('w-1', (record) =>
    withMappedRoles(record, new Map([['ada', 'member']]), '2026-01-02T03:04:05Z'),
  );
  await apply({ groups: ['a'] }, { groups });
  expect(await roleIn()).toBe('admin');
  await apply({}, { groups });
  expect(await roleIn()).toBe('member');
  await store.workspaces.update('w-1', (record) => withMappedRoles(record, new Map(), '2026-01-02T03:04:05Z'));
  expect(await roleIn()).toBeUndefined();
});

test('a member of before is the same by a checked email address alone', async () => {
  const { apply, store } = await createDirectory(MEMBER);
  await apply({ id: 'eve', email: 'ada@acme.example' });
  await apply({ id: 'mallory', email: 'ada@acme.example', isEmailVerified: false });
  expect((await store.members.list()).map(({ id }) => id)).toEqual(['old', 'eve', 'mallory']);
  const { apply: applyThere } = await createDirectory(MEMBER);
  expect(await applyThere({ email: 'Ada@Acme.example', isEmailVerified: true })).toMatchObject({ id: 'old' });
});

test('an address that the provider has not checked is not stored, and is nobody else’s proof later', async () => {
  const { apply, store } = await createDirectory();
  const claimed = { email: 'ada@acme.example', isEmailVerified: false };
  expect(await apply({ id: 'mallory', ...claimed })).toMatchObject({ id: 'mallory', email: '' });
  expect(await apply({ id: 'ada', ...claimed, isEmailVerified: true })).toMatchObject({
    id: 'ada',
    email: claimed.email,
  });
  // A checked address, or one that was entered here, stays.
  await apply({ id: 'ada', email: 'root@acme.example', isEmailVerified: false });
  expect((await store.members.list()).map(({ id, email }) => [id, email])).toEqual([
    ['mallory', ''],
    ['ada', 'ada@acme.example'],
  ]);
});

test('who is known by an id stays that member, though another one has the address', async () => {
  const { apply } = await createDirectory(MEMBER, { ...MEMBER, id: 'ada', email: 'a@acme.example' });
  expect(await apply({ email: MEMBER.email, isEmailVerified: true })).toMatchObject({ id: 'ada' });
});

test('the first owner is the one who was named, while there is none, and the last owner stays one', async () => {
  const { apply, store } = await createDirectory();
  const rules = { firstOwner: 'ada@acme.example', groups: { all: { role: 'viewer' } } } as const;
  expect((await apply({ id: 'bob', email: 'bob@acme.example', groups: ['all'] }, rules)).organization_role).toBe(
    'viewer',
  );
  expect(
    (await apply({ email: 'ada@acme.example', isEmailVerified: false, groups: ['all'] }, rules)).organization_role,
  ).toBe('viewer');
  expect(await apply({ email: 'ada@acme.example' }, rules)).toMatchObject({
    organization_role: 'owner',
    role: 'org:admin',
  });
  expect((await apply({ groups: ['all'] }, rules)).organization_role).toBe('owner');
  await store.members.update('bob', (member) => ({ ...member, organization_role: 'owner' }));
  expect((await apply({ groups: ['all'] }, rules)).organization_role).toBe('viewer');
});

test('the id of a member is made of issuer and subject, or is the claim that was chosen', async () => {
  const platform = { sha256: (text: string) => `hash of ${text}`.padEnd(64, '.') };
  const proven = {
    issuer: 'https://id.example',
    subject: '7',
    claims: {
      email: 'a@b.example',
      email_verified: false,
      groups: 'one',
      realm: { roles: ['x', 3, 'y'] },
      login: ' ada ',
    },
  };
  expect(await toIdentity(proven, DEFAULT_CLAIMS, platform)).toMatchObject({
    id: 'oidc-hash of https://id.example\n7....',
    isEmailVerified: false,
    groups: ['one'],
  });
  const names = { ...DEFAULT_CLAIMS, user: 'login', groups: 'realm.roles' };
  expect(await toIdentity(proven, names, platform)).toMatchObject({ id: 'ada', groups: ['x', 'y'] });
  for (const user of ['upn', 'email'])
    await expect(toIdentity(proven, { ...DEFAULT_CLAIMS, user }, platform)).rejects.toMatchObject({
      metadata: { reason: 'invalid_user' },
    });
});

test('an empty subject is nobody, as it would be the same member for all', async () => {
  const empty = { issuer: 'https://id.example', subject: '', claims: { login: 'ada' } };
  for (const user of ['sub', 'login'])
    await expect(
      toIdentity(empty, { ...DEFAULT_CLAIMS, user }, { sha256: (text) => text.padEnd(64, '.') }),
    ).rejects.toMatchObject({ metadata: { reason: 'invalid_user' } });
});

test('an id has one to 200 characters', async () => {
  const { apply } = await createDirectory();
  expect((await apply({ id: 'a'.repeat(200) })).id).toHaveLength(200);
  for (const id of ['a'.repeat(201), ' ']) {
    await expect(apply({ id })).rejects.toMatchObject({ metadata: { reason: 'invalid_user' } });
  }
});

test('a domain is allowed however it is written, and not for an address that the provider has not checked', async () => {
  const { apply, store } = await createDirectory();
  const rules = { allowedDomains: ['Acme.Example'] };
  const refused = { metadata: { reason: 'domain' } };
  expect(await apply({ email: 'ada@ACME.example' }, rules)).toMatchObject({ id: 'ada' });
  await expect(apply({ id: 'b', email: 'b@acme.example', isEmailVerified: false }, rules)).rejects.toMatchObject(
    refused,
  );
  await expect(apply({ id: 'c', email: 'c@acme.example.test' }, rules)).rejects.toMatchObject(refused);
  await expect(apply({ id: 'd' }, rules)).rejects.toMatchObject(refused);
  expect(await store.members.list()).toHaveLength(1);
});

test('an address that two members have is nobody’s', async () => {
  const { apply } = await createDirectory(MEMBER, { ...MEMBER, id: 'older' });
  expect(await apply({ email: MEMBER.email, isEmailVerified: true })).toMatchObject({ id: 'ada' });
});

test('an owner who is deactivated is no owner, and the last one of another makes nobody an owner', async () => {
  const owner: Member = { ...MEMBER, email: 'old@acme.example', role: 'org:admin', organization_role: 'owner' };
  const named = { email: 'ada@acme.example', isEmailVerified: true };
  const rules = { firstOwner: named.email };
  const { apply } = await createDirectory({ ...owner, active: false });
  expect(await apply(named, rules)).toMatchObject({ organization_role: 'owner' });
  const { apply: applyThere, store } = await createDirectory(owner);
  expect(await applyThere(named, rules)).toMatchObject({ organization_role: 'developer' });
  // Who is known is no owner by that.
  expect(await applyThere(named, rules)).toMatchObject({ organization_role: 'developer' });
  expect(await store.members.list()).toHaveLength(2);
});

test('a group with the name of a member of every object gives nothing, and administrators are those of the public API', async () => {
  const { apply } = await createDirectory();
  const groups = { admins: { role: 'administrator' } } as const;
  await expect(apply({ groups: ['constructor'] }, { groups })).rejects.toMatchObject({
    metadata: { reason: 'groups' },
  });
  expect(await apply({ groups: ['constructor', 'admins'] }, { groups })).toMatchObject({ role: 'org:admin' });
});

test('where the host manages members, those whom it knows sign in as they are, and no others', async () => {
  const { applyAtHost, store } = await createDirectory(MEMBER);
  expect(await applyAtHost({ id: 'old', name: 'Other' })).toEqual(MEMBER);
  await expect(applyAtHost({ id: 'eve' })).rejects.toMatchObject({ metadata: { reason: 'directory' } });
  expect(await store.members.list()).toEqual([MEMBER]);
});

const sent = (changes: Partial<NonNullable<Member['scim']>> = {}): Member => ({
  ...MEMBER,
  id: 'b7f0',
  first_name: 'Ada',
  scim: {
    user_name: 'Ada@acme.example',
    external_id: null,
    display_name: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...changes,
  },
});

test('whom the directory has sent is the same by the name there, in upper or lower case', async () => {
  const { apply, store } = await createDirectory(sent());
  expect(await apply({ id: 'ada@ACME.example' })).toMatchObject({ id: 'b7f0' });
  expect(await apply({ id: 'grace@acme.example' })).toMatchObject({ id: 'grace@acme.example' });
  expect(await store.members.list()).toHaveLength(2);
  // An id comes first.
  const member = { ...MEMBER, id: 'ada@acme.example' };
  expect(await (await createDirectory(sent(), member)).apply({ id: member.id })).toMatchObject({ id: member.id });
});

test('a sign-in leaves the name and the address that the directory has sent', async () => {
  const { apply } = await createDirectory(sent());
  const said = { email: 'other@acme.example', isEmailVerified: true, name: 'Ms. Byron' };
  expect(await apply({ id: 'ada@acme.example', ...said })).toMatchObject({ email: MEMBER.email, first_name: 'Ada' });
  expect(await apply({ id: 'grace', ...said })).toMatchObject({ email: said.email, last_name: 'Byron' });
});

test('where groups give roles, that of the directory stays for those to whom no group gives one', async () => {
  const { apply, store } = await createDirectory(sent({ roles: ['billing'], given_role: 'billing' }));
  const groups = { leads: { role: 'administrator' } } as const;
  const id = 'ada@acme.example';
  expect((await apply({ id }, { groups })).organization_role).toBe('billing');
  expect((await apply({ id }, { groups, defaultRole: 'viewer' })).organization_role).toBe('billing');
  expect((await apply({ id, groups: ['leads'] }, { groups })).organization_role).toBe('administrator');
  // What a group gave goes with it.
  expect((await apply({ id }, { groups })).organization_role).toBe('billing');
  await store.members.update('b7f0', (member) => ({ ...member, organization_role: 'viewer' }));
  expect((await apply({ id })).organization_role).toBe('viewer');
});

test('the role of the directory follows the groups as they are configured at the sign-in', async () => {
  const id = 'ada@acme.example';
  const { apply, store } = await createDirectory(sent({ roles: ['money'], given_role: 'billing' }));
  const money = { role: 'viewer' } as const;
  const others = { leads: { role: 'administrator' } } as const;
  expect((await apply({ id }, { groups: { ...others, money } })).organization_role).toBe('viewer');
  expect((await store.members.get('b7f0'))?.scim?.given_role).toBe('viewer');
  // A mapping that is gone gives nothing.
  await expect(apply({ id }, { groups: others })).rejects.toMatchObject({ metadata: { reason: 'groups' } });
  expect((await apply({ id }, { groups: others, defaultRole: 'developer' })).organization_role).toBe('developer');
  expect((await store.members.get('b7f0'))?.scim?.given_role).toBeUndefined();
});

test('the last owner stays one, whatever the directory gives by the groups of now', async () => {
  const owner: Member = { ...sent({ roles: ['money'], given_role: 'owner' }), organization_role: 'owner' };
  const { apply } = await createDirectory(owner);
  const groups = { money: { role: 'billing' } } as const;
  expect((await apply({ id: 'ada@acme.example' }, { groups })).organization_role).toBe('owner');
});

test('an address that nobody has checked is not known by the name that the directory gave', async () => {
  const platform = { sha256: (text: string) => text.padEnd(64, '.') };
  const read = (user: string, said: object): Promise<Identity> =>
    toIdentity(
      { issuer: 'https://id.example', subject: '7', claims: { [user]: MEMBER.email, ...said } },
      { ...DEFAULT_CLAIMS, user },
      platform,
    );
  const rules = { groups: { leads: { role: 'administrator' } }, defaultRole: 'viewer' } as const;
  const directory = sent({ roles: ['leads'], given_role: 'administrator' });
  const applyThere = async (identity: Identity): Promise<Member> =>
    (await createDirectory(directory)).apply(identity, rules);
  expect(await applyThere(await read('email', {}))).toMatchObject({ id: MEMBER.email, organization_role: 'viewer' });
  expect(await applyThere(await read('email', { email_verified: true }))).toMatchObject({ id: 'b7f0' });
  // Users cannot choose the name that they sign in by, also where it is their address.
  expect(await applyThere(await read('preferred_username', { email: MEMBER.email }))).toMatchObject({ id: 'b7f0' });
});
