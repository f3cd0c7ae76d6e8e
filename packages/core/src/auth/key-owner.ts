import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import type { OrganizationRole } from '../http/request.ts';
import type { KeyRecord, Membership, Store, WorkspaceRecord } from '../stores/store.ts';
import { DEFAULT_WORKSPACE_ID } from '../wire/values.ts';
import { type MemberDirectory, roleOf } from './member-principal.ts';

export interface KeyOwnerParts {
  /** The store's own, unless the host has its own. */
  readonly members: Pick<MemberDirectory, 'get'>;
  readonly store: Pick<Store, 'members' | 'workspaces'>;
}

/**
 * Why an API key makes no calls though it is neither disabled nor expired; null where it makes some. A key goes with what
 * its member may do now: a directory, a group at sign-in or an administrator may have taken that away since, and may give
 * it back. Keys of nobody, and of those whom the store does not know, go on. The directory of a host is not asked: it may
 * be far away, and each call would wait for it. The store has both rows in memory.
 */
export function findOwnerProblem(
  { kind, creatorUserId, workspaceId }: Pick<KeyRecord, 'kind' | 'creatorUserId' | 'workspaceId'>,
  { members, store }: KeyOwnerParts,
): Awaitable<string | null> {
  if (creatorUserId === null || kind !== 'api' || members !== store.members) return null;
  return whenKnown(members.get(creatorUserId), (member) => {
    if (member === undefined) return null;
    const role = roleOf(member);
    if (role === 'owner' || role === 'administrator') return null;
    if (role === 'viewer' || workspaceId === DEFAULT_WORKSPACE_ID)
      return role === 'developer' ? null : `has the role ${role}, which makes no calls`;
    return whenKnown(store.workspaces.get(workspaceId), (workspace) => problemIn(workspace, creatorUserId, role));
  });
}

/** Roles in a workspace widen those of developers and billing, and those whom they make its viewers make no calls there. */
function problemIn(
  workspace: WorkspaceRecord | undefined,
  userId: string,
  role: Extract<OrganizationRole, 'billing' | 'developer'>,
): string | null {
  const own = workspace === undefined ? undefined : membershipsOf(workspace).get(userId);
  if (own === undefined) return 'does not belong to its workspace';
  if (own === 'admin') return null;
  if (role === 'billing') return 'has the role billing, which makes no calls';
  return own === 'viewer' ? 'has the role viewer in its workspace, which makes no calls' : null;
}

/** By rows, which are replaced and never changed: a call costs a look-up, however many members a workspace has. */
const known = new WeakMap<WorkspaceRecord, ReadonlyMap<string, Membership['role']>>();

function membershipsOf(workspace: WorkspaceRecord): ReadonlyMap<string, Membership['role']> {
  let roles = known.get(workspace);
  if (roles === undefined) {
    roles = new Map((workspace.members ?? []).map(({ user_id: userId, role }) => [userId, role]));
    known.set(workspace, roles);
  }
  return roles;
}
