import type { Member } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';

import { toMemberName } from './member-name.ts';

/** A member by name, where the directory has one, with their page. */
export function MemberLink({ id, members }: { id: string; members: readonly Member[] | undefined }) {
  const member = members?.find((candidate) => candidate.id === id);
  return (
    <Link to="/members/$id" params={{ id }} className="text-accent hover:underline">
      {member === undefined ? id : toMemberName(member)}
    </Link>
  );
}
