import type { Member, MemberChanges } from '../wire/members.ts';

/** The member with these changes made. */
export function changeMember(
  member: Member,
  { email, name, role: given, organization_role: own }: MemberChanges,
): Member {
  const role = own === undefined ? given : own === 'owner' || own === 'administrator' ? 'admin' : 'member';
  return {
    id: member.id,
    email: email ?? member.email,
    ...(name === undefined ? { first_name: member.first_name, last_name: member.last_name } : splitName(name ?? '')),
    role: role === undefined ? member.role : `org:${role}`,
    ...(own !== undefined && { organization_role: own }),
    ...(role === undefined &&
      member.organization_role !== undefined && { organization_role: member.organization_role }),
    ...(member.active !== undefined && { active: member.active }),
    ...(member.scim !== undefined && { scim: member.scim }),
  };
}

/** All words but the last are first names. */
function splitName(name: string): Pick<Member, 'first_name' | 'last_name'> {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const last = words.length > 1 ? words.pop() : undefined;
  return { first_name: words.length === 0 ? null : words.join(' '), last_name: last ?? null };
}
