import { GatewayError } from '../foundation/errors.ts';
import type { OrganizationRole, Principal, WorkspaceRole } from '../http/request.ts';
import type { Repository, Store } from '../stores/store.ts';
import type { Member } from '../wire/keys.ts';

/** The workspace of everything until there are others. */
export const DEFAULT_WORKSPACE_ID = '00000000-0000-4000-8000-000000000000';

/** The members of the organization; their ids are those that principals and keys carry as `userId`. */
export type MemberDirectory = Pick<Repository<Member>, 'get' | 'list'>;

export interface MemberPrincipalParts {
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
  readonly store: Pick<Store, 'workspaces'>;
}

/** The role of a member: their own, or that of the two which the public API knows. */
export const roleOf = ({ role, organization_role: own }: Member): OrganizationRole =>
  own ?? (role === 'org:admin' ? 'administrator' : 'developer');

/**
 * The caller that a signed-in member is, with the roles that they have now. Throws `authentication` where the member is
 * gone or deactivated: a session does not outlive its member.
 */
export async function findMemberPrincipal(id: string, { members, store }: MemberPrincipalParts): Promise<Principal> {
  const member = await members.get(id);
  if (member === undefined || member.active === false) {
    throw new GatewayError('authentication', 'You are no longer a member of this organization; ask its administrator');
  }
  const workspaces = new Map<string, WorkspaceRole>();
  for (const workspace of await store.workspaces.list()) {
    const own = workspace.members?.find(({ user_id: userId }) => userId === id);
    if (own !== undefined) workspaces.set(workspace.id, own.role === 'admin' ? 'administrator' : own.role);
  }
  return {
    kind: 'management',
    id: `member:${id}`,
    name: nameOf(member),
    userId: id,
    member: { role: roleOf(member), workspaces },
  };
}

/** What people call a member. */
export const nameOf = ({ id, email, first_name: first, last_name: last }: Member): string =>
  [first, last].filter((part) => part !== null && part !== '').join(' ') || email || id;
