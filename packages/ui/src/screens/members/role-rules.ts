import type { KnownGroup, Member } from '@model-gateway/core/wire';

import { getSession } from '../../api/session.ts';
import { isOfSignIn } from '../../features/members/groups.ts';
import { roleOf } from '../../features/members/member-link.tsx';

/** Whether those who are signed in may make and change owners, as owners and the operator may. */
export function changesOwners(): boolean {
  const session = getSession();
  return session.type === 'none' || session.role === undefined || session.role === 'owner';
}

/** Why an owner cannot be changed: by those who are signed in at all, or in their role; null where they can. */
export function findOwnerLock(
  member: Member | undefined,
  members: readonly Member[] | undefined,
): 'ownersOnly' | 'lastOwner' | null {
  if (member === undefined || roleOf(member) !== 'owner') return null;
  if (!changesOwners()) return 'ownersOnly';
  const owners = members?.filter((each) => roleOf(each) === 'owner' && each.active !== false) ?? [];
  return owners.length === 1 && owners[0]?.id === member.id ? 'lastOwner' : null;
}

/**
 * What gives a member their role in the organization, and may change it again: groups at the next sign-in, or the
 * directory with its next change. Null where nothing but people does.
 */
export function findRoleSource(
  member: Member | undefined,
  groups: readonly KnownGroup[] | undefined,
): 'signIn' | 'directory' | null {
  const given = member?.scim?.given_role;
  if (member !== undefined && given !== undefined && given === roleOf(member)) return 'directory';
  return groups?.some((group) => isOfSignIn(group) && group.role !== null) === true ? 'signIn' : null;
}
