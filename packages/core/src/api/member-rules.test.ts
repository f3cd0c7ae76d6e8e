import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { type CoreGateway, createCoreGateway } from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { toAssignment, toGuardrail, toKey, toWorkspace } from '../../testing/rows.ts';
import type { OrganizationRole, Principal, WorkspaceRole } from '../http/request.ts';
import type { Member } from '../wire/members.ts';

const toMember = (id: string, role: OrganizationRole): Member => ({
  id,
  email: '',
  first_name: id,
  last_name: null,
  role: 'org:member',
  organization_role: role,
});

const toPrincipal = (
  id: string,
  role: OrganizationRole,
  workspaces: Readonly<Record<string, WorkspaceRole>> = {},
): Principal => ({
  kind: 'management',
  id: `member:${id}`,
  name: id,
  userId: id,
  member: { role, workspaces: new Map(Object.entries(workspaces)) },
});

const OPERATOR: Principal = { kind: 'management', id: 'ui', name: 'UI' };

async function createOrganization(): Promise<CoreGateway> {
  const core = createCoreGateway(createReplayTransport({ status: 503, pieces: [] }));
  for (const role of ['owner', 'administrator', 'billing', 'developer', 'viewer'] as const) {
    await core.store.members.insert(toMember(role, role));
  }
  for (const id of ['w1', 'w2']) {
    const members = [{ user_id: 'developer', role: 'member' as const, created_at: '2026-01-01T00:00:00.000Z' }];
    await core.store.workspaces.insert({ ...toWorkspace(id), ...(id === 'w1' && { members }) });
  }
  await core.store.keys.insert(toKey('own', { creatorUserId: 'developer', limitUsd: 5 }));
  await core.store.keys.insert(toKey('other', { creatorUserId: 'viewer', limitUsd: 5, workspaceId: 'w1' }));
  return core;
}

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function ask(core: CoreGateway, principal: Principal, place: string, body?: object): Promise<Answer> {
  const [method = '', path = ''] = place.split(' ');
  const { status, body: sent } = await core.gateway.handle({
    method,
    path,
    query: '',
    headers: {},
    baseUrl: '',
    signal: new AbortController().signal,
    principal,
    ...bodyOf(JSON.stringify(body ?? {})),
  });
  const parsed = JSON.parse(typeof sent === 'string' ? sent : '{}') as {
    readonly error?: { readonly message: string };
    readonly data?: Readonly<Record<string, unknown>>;
  };
  return { status, message: parsed.error?.message ?? '', data: parsed.data ?? {} };
}

const ADMINISTRATOR = toPrincipal('administrator', 'administrator');
const OWNER = toPrincipal('owner', 'owner');
const DEVELOPER = toPrincipal('developer', 'developer', { w1: 'member' });

test('lets owners alone make, change and remove owners', async () => {
  const core = await createOrganization();
  const refused = [
    await ask(core, ADMINISTRATOR, 'PATCH /admin/v1/members/viewer', { organization_role: 'owner' }),
    await ask(core, ADMINISTRATOR, 'POST /admin/v1/members', { user_id: 'new', organization_role: 'owner' }),
    await ask(core, ADMINISTRATOR, 'PATCH /admin/v1/members/owner', { email: 'mine@example.org' }),
    await ask(core, ADMINISTRATOR, 'PATCH /admin/v1/members/owner', { role: 'member' }),
    await ask(core, ADMINISTRATOR, 'DELETE /admin/v1/members/owner'),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  expect(refused[0]?.message).toContain('Only an owner');
  const made = await ask(core, OWNER, 'PATCH /admin/v1/members/viewer', { organization_role: 'owner' });
  expect(made).toMatchObject({ status: 200, data: { role: 'org:admin', organization_role: 'owner' } });
  expect((await ask(core, OWNER, 'DELETE /admin/v1/members/owner')).status).toBe(200);
});

test('keeps the last owner, whoever asks', async () => {
  const core = await createOrganization();
  for (const principal of [OWNER, OPERATOR]) {
    expect((await ask(core, principal, 'DELETE /admin/v1/members/owner')).status).toBe(409);
    const demoted = await ask(core, principal, 'PATCH /admin/v1/members/owner', { organization_role: 'viewer' });
    expect(demoted.status).toBe(409);
    expect((await ask(core, principal, 'PATCH /admin/v1/members/owner', { role: 'member' })).status).toBe(409);
  }
  expect(await core.store.members.get('owner')).toMatchObject({ organization_role: 'owner' });
  await ask(core, OPERATOR, 'PATCH /admin/v1/members/viewer', { organization_role: 'owner' });
  // When two owners remove each other at once, one stays.
  const removals = await Promise.all([
    ask(core, OWNER, 'DELETE /admin/v1/members/viewer'),
    ask(core, toPrincipal('viewer', 'owner'), 'DELETE /admin/v1/members/owner'),
  ]);
  expect(removals.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
});

test('takes one of the two roles of a member', async () => {
  const core = await createOrganization();
  const body = { role: 'admin', organization_role: 'viewer' };
  expect((await ask(core, OWNER, 'PATCH /admin/v1/members/viewer', body)).status).toBe(400);
  const plain = await ask(core, OWNER, 'PATCH /admin/v1/members/billing', { role: 'admin' });
  expect(plain.data).not.toHaveProperty('organization_role');
});

test('makes keys of a developer theirs, in their workspaces, and never management keys', async () => {
  const core = await createOrganization();
  const make = (body: object, principal = DEVELOPER): Promise<Answer> =>
    ask(core, principal, 'POST /api/v1/keys', { name: 'k', ...body });
  expect(await make({})).toMatchObject({ status: 201, data: { creator_user_id: 'developer' } });
  expect(await make({ workspace_id: 'w1' })).toMatchObject({ status: 201, data: { workspace_id: 'w1' } });
  expect((await make({ workspace_id: 'w2' })).message).toContain('there is no workspace w2');
  expect((await make({ creator_user_id: 'viewer' })).status).toBe(400);
  expect((await make({ management: true })).status).toBe(403);
  const looking = toPrincipal('developer', 'developer', { w1: 'viewer' });
  expect((await make({ workspace_id: 'w1' }, looking)).status).toBe(403);
  expect((await make({}, toPrincipal('viewer', 'viewer'))).status).toBe(403);
});

test('lets owners alone make a management key, by which an administrator could make owners', async () => {
  const core = await createOrganization();
  const make = (principal: Principal): Promise<Answer> =>
    ask(core, principal, 'POST /api/v1/keys', { name: 'k', management: true });
  const refused = await make(ADMINISTRATOR);
  expect(refused).toMatchObject({ status: 403, message: expect.stringContaining('need the role owner') as string });
  expect(await make(OWNER)).toMatchObject({ status: 201, data: { management: true, creator_user_id: 'owner' } });
  expect((await make(OPERATOR)).status).toBe(201);
});

test('lets owners alone make a management key work again, or for longer', async () => {
  const core = await createOrganization();
  const change = (principal: Principal, body: object): Promise<Answer> =>
    ask(core, principal, 'PATCH /api/v1/keys/ops', body);
  const expiresAt = '2027-01-01T00:00:00.000Z';
  await core.store.keys.insert(toKey('ops', { kind: 'management', disabled: true, expiresAt }));
  expect(await change(ADMINISTRATOR, { disabled: false })).toMatchObject({
    status: 403,
    message: expect.stringContaining('needs the role owner') as string,
  });
  expect((await change(ADMINISTRATOR, { expires_at: null })).status).toBe(403);
  expect((await change(ADMINISTRATOR, { name: 'renamed', expires_at: '2026-12-31T00:00:00.000Z' })).status).toBe(200);
  expect((await change(OWNER, { disabled: false, expires_at: null })).status).toBe(200);
  expect((await change(ADMINISTRATOR, { disabled: true })).status).toBe(200);
  expect((await change(OPERATOR, { disabled: false })).status).toBe(200);
});

test('makes a key of owners and administrators theirs, unless it is to be another’s or nobody’s', async () => {
  const core = await createOrganization();
  const ownerOf = async (principal: Principal, body: object): Promise<unknown> =>
    (await ask(core, principal, 'POST /api/v1/keys', { name: 'k', ...body })).data['creator_user_id'];
  expect(await ownerOf(ADMINISTRATOR, {})).toBe('administrator');
  expect(await ownerOf(OWNER, {})).toBe('owner');
  expect(await ownerOf(OWNER, { creator_user_id: 'developer' })).toBe('developer');
  expect(await ownerOf(OWNER, { creator_user_id: null })).toBeNull();
  expect(await ownerOf(OPERATOR, {})).toBeNull();
});

test('lets nobody make a key for a member whose role makes no calls', async () => {
  const core = await createOrganization();
  const add = { user_id: 'viewer', role: 'member' as const, created_at: '2026-01-01T00:00:00.000Z' };
  await core.store.workspaces.update('w1', (record) => ({ ...record, members: [...(record.members ?? []), add] }));
  const head = toPrincipal('developer', 'developer', { w1: 'administrator' });
  for (const principal of [OWNER, head]) {
    const make = (id: string): Promise<Answer> =>
      ask(core, principal, 'POST /api/v1/keys', { name: 'k', workspace_id: 'w1', creator_user_id: id });
    expect(await make('viewer')).toMatchObject({ status: 409, message: expect.stringContaining('viewer') as string });
    expect((await make('developer')).status).toBe(201);
  }
});

test('lets a member narrow their own key, and its administrators widen it', async () => {
  const core = await createOrganization();
  const change = (body: object, principal = DEVELOPER, hash = 'own'): Promise<Answer> =>
    ask(core, principal, `PATCH /api/v1/keys/${hash}`, body);
  expect((await change({ limit: 4, name: 'renamed' })).status).toBe(200);
  expect((await change({ limit: 5 })).message).toContain('limit: raising or removing');
  expect((await change({ limit: null })).status).toBe(403);
  expect((await change({ limit_reset: 'daily' })).status).toBe(403);
  expect((await change({ disabled: true })).status).toBe(200);
  expect((await change({ disabled: false })).status).toBe(403);
  expect((await change({ limit: 1 }, DEVELOPER, 'other')).status).toBe(404);
  const head = toPrincipal('developer', 'developer', { w1: 'administrator' });
  expect((await change({ limit: 50 }, head, 'other')).status).toBe(200);
  const billing = toPrincipal('billing', 'billing');
  expect((await change({ limit: 60 }, billing, 'other')).status).toBe(200);
  expect((await change({ name: 'mine' }, billing, 'other')).message).toContain('name needs the role');
});

test('keeps an administrator of a workspace to that workspace', async () => {
  const core = await createOrganization();
  const head = toPrincipal('developer', 'developer', { w1: 'administrator' });
  const guardrail = await ask(core, head, 'POST /api/v1/guardrails', { name: 'g', workspace_id: 'w1' });
  expect(guardrail.status).toBe(201);
  expect((await ask(core, head, 'POST /api/v1/guardrails', { name: 'g' })).status).toBe(403);
  expect((await ask(core, head, 'POST /api/v1/guardrails', { name: 'g', workspace_id: 'w2' })).status).toBe(400);
  const budget = { limit_usd: 5 };
  expect((await ask(core, head, 'PUT /api/v1/workspaces/w1/budgets/monthly', budget)).status).toBe(200);
  expect((await ask(core, head, 'PUT /api/v1/workspaces/w2/budgets/monthly', budget)).status).toBe(404);
  expect((await ask(core, head, 'PUT /api/v1/workspaces/default/budgets/monthly', budget)).status).toBe(404);
  expect((await ask(core, head, 'PATCH /api/v1/workspaces/default', { name: 'Mine' })).status).toBe(404);
  const id = String(guardrail.data['id']);
  const assign = (hash: string): Promise<Answer> =>
    ask(core, head, `POST /api/v1/guardrails/${id}/assignments/keys`, { key_hashes: [hash] });
  expect((await assign('other')).status).toBe(200);
  await core.store.keys.insert(toKey('elsewhere', { workspaceId: 'w2' }));
  expect((await assign('elsewhere')).status).toBe(404);
  // A guardrail of the organization stays on a key of the workspace.
  await core.store.guardrails.insert(toGuardrail('of-all'));
  await core.store.keyAssignments.assign([toAssignment('of-all', 'other')]);
  expect((await assign('other')).status).toBe(403);
});

test.each<['member' | 'key', string]>([
  ['member', 'viewer'],
  ['key', 'elsewhere'],
])('leaves alone a guardrail of the workspace that the organization assigned to a %s', async (table, subject) => {
  const core = await createOrganization();
  const head = toPrincipal('developer', 'developer', { w1: 'administrator' });
  const { store } = core;
  await store.keys.insert(toKey('elsewhere', { workspaceId: 'w2' }));
  const strict = { name: 'strict', workspace_id: 'w1', allowed_models: ['acme/chat'] };
  const id = String((await ask(core, OPERATOR, 'POST /api/v1/guardrails', strict)).data['id']);
  await store.keyAssignments.assign([toAssignment(id, 'other')]);
  const assignments = table === 'key' ? store.keyAssignments : store.memberAssignments;
  await assignments.assign([toAssignment(id, subject)]);
  const before = await store.guardrails.get(id);
  const empty = { allowed_models: null };
  for (const place of ['PATCH', 'DELETE']) {
    const refused = await ask(core, head, `${place} /api/v1/guardrails/${id}`, empty);
    expect(refused).toMatchObject({ status: 403, message: expect.stringContaining('administrator') as string });
  }
  expect(await store.guardrails.get(id)).toEqual(before);
  expect((await assignments.get(subject))?.guardrailId).toBe(id);
  // Once it holds for keys of the workspace alone, it is the workspace's.
  await assignments.unassign(id, [subject]);
  expect((await ask(core, head, `PATCH /api/v1/guardrails/${id}`, empty)).status).toBe(200);
  expect((await ask(core, head, `DELETE /api/v1/guardrails/${id}`)).status).toBe(200);
});

test('sets the role of a member in a workspace, of which the public API shows two', async () => {
  const core = await createOrganization();
  const place = '/workspaces/w1/roles/developer';
  const set = await ask(core, ADMINISTRATOR, `PUT /admin/v1${place}`, { role: 'viewer' });
  expect(set).toMatchObject({ status: 200, data: { user_id: 'developer', role: 'viewer' } });
  const own = await ask(core, ADMINISTRATOR, 'GET /admin/v1/workspaces/w1/roles');
  expect(own.data).toEqual([{ user_id: 'developer', role: 'viewer', own_role: 'viewer', group_role: null }]);
  const shown = await ask(core, ADMINISTRATOR, 'GET /api/v1/workspaces/w1/members');
  expect(shown.data).toMatchObject([{ user_id: 'developer', role: 'member' }]);
  const unknown = await ask(core, ADMINISTRATOR, 'PUT /admin/v1/workspaces/w1/roles/nobody', { role: 'member' });
  expect(unknown.status).toBe(404);
  const ofAll = await ask(core, ADMINISTRATOR, 'PUT /admin/v1/workspaces/default/roles/viewer', { role: 'viewer' });
  expect(ofAll.status).toBe(400);
});

test('tells the browser of a member their role and what they may do', async () => {
  const core = await createOrganization();
  const { data } = await ask(core, DEVELOPER, 'GET /admin/v1/session');
  expect(data).toMatchObject({ signed_in: true, user_id: 'developer', role: 'developer' });
  expect(data['operations']).toContain('listGenerations');
  expect(data['operations']).not.toContain('listAudit');
  const operator = await ask(core, OPERATOR, 'GET /admin/v1/session');
  expect(operator.data).not.toHaveProperty('operations');
});

test('explains a call by an own key, and none by a key of another', async () => {
  const core = await createOrganization();
  const explain = async (key: string): Promise<number> => {
    const body = { model: 'acme/chat', messages: [{ role: 'user', content: 'Hi' }] };
    const { status } = await core.gateway.handle({
      method: 'POST',
      path: '/admin/v1/explain',
      query: `key=${key}`,
      headers: {},
      baseUrl: '',
      signal: new AbortController().signal,
      principal: DEVELOPER,
      ...bodyOf(JSON.stringify(body)),
    });
    return status;
  };
  expect([await explain('own'), await explain('other'), await explain('nobody')]).toEqual([200, 404, 404]);
});
