import type { Membership, WorkspaceRecord } from '../stores/store.ts';

type Role = Membership['role'];

/**
 * The workspace with this id, else the one with this slug: a slug may be what an administrator likes, also the id of
 * another workspace.
 */
export const workspaceNamed = (
  reference: string | undefined,
  records: readonly WorkspaceRecord[],
): WorkspaceRecord | undefined =>
  records.find(({ id }) => id === reference) ?? records.find(({ workspace }) => workspace.slug === reference);

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2 };

/** The higher of two roles in a workspace. */
export const higherRole = (one: Role, other: Role): Role => (RANKS[one] > RANKS[other] ? one : other);

/** What somebody has given by hand, or a provider of identity by its groups; null for nothing. */
export const ownRoleOf = ({ role, own_role: own, mapped_role: mapped }: Membership): Role | null =>
  mapped === undefined ? role : (own ?? null);

const toMembership = (
  { user_id, created_at }: Pick<Membership, 'user_id' | 'created_at'>,
  own: Role | null,
  mapped: Role | undefined,
): Membership | undefined => {
  if (mapped !== undefined) {
    const role = own === null ? mapped : higherRole(own, mapped);
    return { user_id, role, created_at, mapped_role: mapped, own_role: own };
  }
  return own === null ? undefined : { user_id, role: own, created_at };
};

/** The membership with this role given by hand, null for none; what a mapping gives stays. Undefined where nothing does. */
export const withOwnRole = (membership: Membership, role: Role | null): Membership | undefined =>
  toMembership(membership, role, membership.mapped_role);

/**
 * The workspace with exactly these roles from mappings, by the id of the member. What was given by hand stays; who has
 * nothing from either leaves. The same row where that changes nothing.
 */
export function withMappedRoles(
  record: WorkspaceRecord,
  mapped: ReadonlyMap<string, Role>,
  createdAt: string,
): WorkspaceRecord {
  const { members = [] } = record;
  const present = new Set(members.map(({ user_id }) => user_id));
  const added = [...mapped].filter(([userId]) => !present.has(userId));
  if (added.length === 0 && members.every((each) => each.mapped_role === mapped.get(each.user_id))) return record;
  return {
    ...record,
    members: [
      ...members.flatMap((each) => toMembership(each, ownRoleOf(each), mapped.get(each.user_id)) ?? []),
      ...added.flatMap(([user_id, role]) => toMembership({ user_id, created_at: createdAt }, null, role) ?? []),
    ],
  };
}

/** The workspace in which these members keep what a mapping gave them, as if by hand. */
export function withKeptRoles(record: WorkspaceRecord, userIds: ReadonlySet<string>, role: Role): WorkspaceRecord {
  return {
    ...record,
    members: (record.members ?? []).map((each) => {
      if (each.mapped_role === undefined || !userIds.has(each.user_id)) return each;
      const own = ownRoleOf(each);
      return withOwnRole(each, own === null ? role : higherRole(own, role)) ?? each;
    }),
  };
}
