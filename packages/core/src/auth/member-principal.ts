import { GatewayError } from '../foundation/errors.ts';
import type { OrganizationRole, Principal, WorkspaceRole } from '../http/request.ts';
import type { Repository, Store } from '../stores/store.ts';
import type { Member } from '../wire/members.ts';

/** The members of the organization; their ids are those that principals and keys carry as `userId`. */
export type MemberDirectory = Pick<Repository<Member>, 'get' | 'list'>;

export interface MemberPrincipalParts {
  /** The store's own, unless the host has its own. */
  readonly members: Pick<Repository<Member>, 'get'>;
  readonly store: Pick<Store, 'workspaces'>;
}

/** The role of a member: their own, or that of the two which the public API knows. */
export const roleOf = ({ role, organization_role: own }: Member): OrganizationRole =>
  own ?? (role === 'org:admin' ? 'administrator' : 'developer');

const isOwner = (member: Member): boolean => member.active !== false && roleOf(member) === 'owner';

/**
 * Throws for a change of a member that only owners make, and for one that would leave the organization without an owner.
 * `after` is null for a removal; `all` are the members before it. Callers that are no members may do all that owners may.
 */
export function refuseOwnerChange(
  before: Member | undefined,
  after: Member | null,
  { principal, all }: { readonly principal: Pick<Principal, 'member'>; readonly all: readonly Member[] },
): void {
  const was = before !== undefined && isOwner(before);
  const is = after !== null && isOwner(after);
  const byOwner = principal.member === undefined || principal.member.role === 'owner';
  if ((was || is) && !byOwner) {
    throw new GatewayError('permission_denied', 'Only an owner makes, changes or removes owners; ask one of them');
  }
  if (was && !is && all.filter(isOwner).length === 1) {
    throw new GatewayError(
      'conflict',
      'The last owner can be neither removed nor given another role; make another member an owner first',
    );
  }
}

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
