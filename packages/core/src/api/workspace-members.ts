import { changeWorkspace, findWorkspace, withoutMembers } from '../account/workspaces.ts';
import { DEFAULT_WORKSPACE_ID, type MemberDirectory, noMember } from '../auth/keys.ts';
import { ownRoleOf, withOwnRole } from '../auth/memberships.ts';
import { GatewayError } from '../foundation/errors.ts';
import { type Issue, refuseIssues } from '../foundation/parse.ts';
import type { Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import type { Membership, Store, WorkspaceRecord } from '../stores/store.ts';
import { pageQuerySchema, toPage } from '../wire/fields.ts';
import type { Member } from '../wire/members.ts';
import {
  addedMembersSchema,
  removedMembersSchema,
  type WorkspaceMember,
  workspaceMemberListSchema,
  workspaceRoleListSchema,
  workspaceRoleRequestSchema,
  type WorkspaceRoleEntry,
  workspaceRoleResponseSchema,
  workspaceUserIdsSchema,
} from '../wire/workspaces.ts';

export interface WorkspaceMemberParts {
  readonly platform: Pick<Platform, 'now' | 'sha256'>;
  readonly store: Pick<Store, 'keys' | 'workspaces'>;
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
}

/** `GET /workspaces/{id}/members`, by id or slug. The default workspace has every member of the organization. */
export const listWorkspaceMembers = operation<WorkspaceMemberParts>()({
  params: ['id'],
  query: pageQuerySchema,
  response: workspaceMemberListSchema,
  find: ({ params, parts }) => findWorkspace(params.id, parts),
  async run({ parts, query, found }) {
    const { data, total_count } = toPage(await membershipsOf(found, parts), query);
    return { data: await toBodies(found.id, data, parts), total_count };
  },
});

/**
 * `POST /workspaces/{id}/members/add`: with the role that they have in the organization, which also replaces that of
 * those who are there. All of them, or, with one unknown, none.
 */
export const addWorkspaceMembers = operation<WorkspaceMemberParts>()({
  params: ['id'],
  body: workspaceUserIdsSchema,
  response: addedMembersSchema,
  find: ({ params, parts }) => findWorkspace(params.id, parts),
  async run({ parts, body, found: { id } }) {
    const userIds = [...new Set(body.user_ids)];
    const members = await Promise.all(userIds.map(async (userId) => parts.members.get(userId)));
    const known = members.flatMap((member) => member ?? []);
    const issues = members.flatMap((member, at) => (member === undefined ? [toUnknown(userIds[at] ?? '', body)] : []));
    if (issues.length > 0) throw refuseIssues(issues);
    if (id === DEFAULT_WORKSPACE_ID) {
      const there = await findWorkspace(id, parts);
      const data = await toBodies(id, known.map(toMembership(there.workspace.created_at)), parts);
      return { added_count: 0, data };
    }
    const create = toMembership(new Date(parts.platform.now()).toISOString());
    const added = new Set(userIds);
    const changed = await changeWorkspace(id, parts, (record) => withMembers(record, known.map(create)));
    const data = (changed.members ?? []).filter((membership) => added.has(membership.user_id));
    return { added_count: data.length, data: await toBodies(id, data, parts) };
  },
});

/**
 * `POST /workspaces/{id}/members/remove`: all of them, or, where one still has a key there that can be used, none. Those
 * who are not in the workspace do not count.
 */
export const removeWorkspaceMembers = operation<WorkspaceMemberParts>()({
  params: ['id'],
  body: workspaceUserIdsSchema,
  response: removedMembersSchema,
  find: ({ params, parts }) => findWorkspace(params.id, parts),
  async run({ parts, body, found }) {
    const { id } = found;
    if (id === DEFAULT_WORKSPACE_ID) {
      throw new GatewayError(
        'invalid_request',
        'The default workspace has every member of the organization; remove the member from the organization instead',
      );
    }
    const userIds = new Set(body.user_ids);
    const counts = await countLiveKeys(id, parts);
    const mapped = (found.members ?? []).filter((each) => each.mapped_role !== undefined && userIds.has(each.user_id));
    if (mapped.length > 0) {
      throw refuseIssues(
        mapped.map(({ user_id: userId }) => ({
          path: pathOf(userId, body),
          message: `a group puts ${shorten(userId)} here; change the group in your directory, or delete its mapping`,
        })),
      );
    }
    const issues = [...userIds].flatMap((userId): Issue[] => {
      const count = counts.get(userId);
      if (count === undefined) return [];
      const keys = count === 1 ? 'a key' : `${count} keys`;
      const message = `${shorten(userId)} has ${keys} in this workspace; disable or delete ${count === 1 ? 'it' : 'them'} first`;
      return [{ path: pathOf(userId, body), message }];
    });
    if (issues.length > 0) throw refuseIssues(issues);
    let removed = 0;
    await changeWorkspace(id, parts, (record) => {
      const next = withoutMembers(record, userIds);
      removed = (record.members?.length ?? 0) - (next.members?.length ?? 0);
      return next;
    });
    return { removed_count: removed };
  },
});

const toWorkspaceRole = (role: Membership['role']) => (role === 'admin' ? ('administrator' as const) : role);

function toRole(membership: Membership): WorkspaceRoleEntry {
  const [own, mapped] = [ownRoleOf(membership), membership.mapped_role];
  return {
    user_id: membership.user_id,
    role: toWorkspaceRole(membership.role),
    own_role: own && toWorkspaceRole(own),
    group_role: mapped === undefined ? null : toWorkspaceRole(mapped),
  };
}

/** `GET /admin/v1/workspaces/{id}/roles`: the roles of the members of a workspace and what gives them, in the order of the members. */
export const listWorkspaceRoles = operation<WorkspaceMemberParts>()({
  params: ['id'],
  response: workspaceRoleListSchema,
  find: ({ params, parts }) => findWorkspace(params.id, parts),
  run: async ({ parts, found }) => ({ data: (await membershipsOf(found, parts)).map(toRole) }),
});

/** `PUT /admin/v1/workspaces/{id}/roles/{user_id}`: the role of a member of the workspace, or makes them one with it. */
export const setWorkspaceRole = operation<WorkspaceMemberParts>()({
  params: ['id', 'user_id'],
  body: workspaceRoleRequestSchema,
  response: workspaceRoleResponseSchema,
  find: ({ params, parts }) => findWorkspace(params.id, parts),
  async run({ params: { user_id: userId }, parts, body: { role }, found: { id } }) {
    if ((await parts.members.get(userId)) === undefined) throw noMember(userId);
    if (id === DEFAULT_WORKSPACE_ID) {
      throw new GatewayError(
        'invalid_request',
        'In the default workspace everybody has the role that they have in the organization; change that instead',
      );
    }
    const membership: Membership = {
      user_id: userId,
      role: role === 'administrator' ? 'admin' : role,
      created_at: new Date(parts.platform.now()).toISOString(),
    };
    await changeWorkspace(id, parts, (record) => withMembers(record, [membership]));
    return { data: { user_id: userId, role } };
  },
});

interface UserIds {
  readonly user_ids: readonly string[];
}

const pathOf = (userId: string, { user_ids: userIds }: UserIds): string => `user_ids.${userIds.indexOf(userId)}`;
const shorten = (userId: string): string => userId.slice(0, 100);

const toUnknown = (userId: string, body: UserIds): Issue => ({
  path: pathOf(userId, body),
  message: `there is no member ${shorten(userId)} in the organization`,
});

const toMembership =
  (createdAt: string) =>
  ({ id, role }: Member): Membership => ({
    user_id: id,
    role: role === 'org:admin' ? 'admin' : 'member',
    created_at: createdAt,
  });

/** Those who are there keep their place and their time. */
function withMembers(record: WorkspaceRecord, added: readonly Membership[]): WorkspaceRecord {
  const { members = [] } = record;
  const roles = new Map(added.map(({ user_id: userId, role }) => [userId, role]));
  const present = new Set(members.map((membership) => membership.user_id));
  return {
    ...record,
    members: [
      ...members.map((membership) => {
        const role = roles.get(membership.user_id);
        return role === undefined ? membership : (withOwnRole(membership, role) ?? membership);
      }),
      ...added.filter((membership) => !present.has(membership.user_id)),
    ],
  };
}

/** The memberships of a workspace, without those of members whom the host has removed. */
async function membershipsOf(record: WorkspaceRecord, parts: WorkspaceMemberParts): Promise<readonly Membership[]> {
  const everyone = await parts.members.list();
  if (record.id === DEFAULT_WORKSPACE_ID) return everyone.map(toMembership(record.workspace.created_at));
  const ids = new Set(everyone.map(({ id }) => id));
  return (record.members ?? []).filter((membership) => ids.has(membership.user_id));
}

async function toBodies(
  workspaceId: string,
  memberships: readonly Membership[],
  { platform }: Pick<WorkspaceMemberParts, 'platform'>,
): Promise<WorkspaceMember[]> {
  return Promise.all(
    memberships.map(async ({ user_id, role, created_at }) => ({
      id: toUuid(await platform.sha256(`${workspaceId}/${user_id}`)),
      workspace_id: workspaceId,
      user_id,
      // The public API knows two roles.
      role: role === 'viewer' ? ('member' as const) : role,
      created_at,
    })),
  );
}

/** A UUID of version 8, which is for such: the membership of the default workspace is stored nowhere. */
const toUuid = (hash: string): string =>
  [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join(
    '-',
  );

/** How many keys of a workspace that can be used each member has. */
async function countLiveKeys(
  workspaceId: string,
  { store, platform }: WorkspaceMemberParts,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const key of await store.keys.list()) {
    const isOver = key.disabled || (key.expiresAt !== null && Date.parse(key.expiresAt) <= platform.now());
    if (key.workspaceId !== workspaceId || key.creatorUserId === null || isOver) continue;
    counts.set(key.creatorUserId, (counts.get(key.creatorUserId) ?? 0) + 1);
  }
  return counts;
}
