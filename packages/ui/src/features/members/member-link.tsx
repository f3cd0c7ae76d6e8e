import type { Member } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';

import type { MemberRole } from '../../api/session.ts';

/** A member by name, where the directory has one, with their page. */
export function MemberLink({ id, members }: { id: string; members: readonly Member[] | undefined }) {
  const member = members?.find((candidate) => candidate.id === id);
  return (
    <Link to="/members/$id" params={{ id }} className="text-accent hover:underline">
      {member === undefined ? id : toMemberName(member)}
    </Link>
  );
}

/** What people call a member: their name, else their address, else the id. */
export const toMemberName = ({ id, first_name: first, last_name: last, email }: Member): string =>
  [first, last].filter(Boolean).join(' ') || email || id;

/** The role of a member: their own, or that of the two which the public API knows. */
export const roleOf = ({ role, organization_role: own }: Member): MemberRole =>
  own ?? (role === 'org:admin' ? 'administrator' : 'developer');
