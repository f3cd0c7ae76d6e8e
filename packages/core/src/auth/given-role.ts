import type { OrganizationRole } from '../http/request.ts';
import type { Member } from '../wire/members.ts';
import { roleOf } from './member-principal.ts';

/** What groups of the directory give, by name, as the rules of sign-in say it. */
export type RoleMappings = Readonly<Record<string, { readonly role?: OrganizationRole | undefined }>>;

/** The highest comes first. */
export const ROLES: readonly OrganizationRole[] = ['owner', 'administrator', 'billing', 'developer', 'viewer'];

/** The highest role that values give: by the mapping of their name, or else as the name of a role; undefined for none. */
function roleOfValues(values: readonly string[], mappings: RoleMappings): OrganizationRole | undefined {
  const given = values.map((value) =>
    Object.hasOwn(mappings, value) ? mappings[value]?.role : ROLES.find((role) => role === value.toLowerCase()),
  );
  return ROLES.find((role) => given.includes(role));
}

/**
 * The member with the role that the directory gives now. What somebody has given by hand since stays until the directory
 * gives another. Who had the directory's role, and is given none any more, is a developer, as new members are.
 */
export function withGivenRole(member: Member, mappings: RoleMappings): Member {
  const { scim, ...rest } = member;
  if (scim === undefined) return member;
  const { given_role: before, ...facts } = scim;
  const given = roleOfValues(facts.roles ?? [], mappings);
  if (given === before) return member;
  if (given === undefined) {
    const isTheirs = roleOf(member) !== before;
    const { organization_role: _, ...plain } = rest;
    return isTheirs ? { ...rest, scim: facts } : { ...plain, role: 'org:member', scim: facts };
  }
  return {
    ...rest,
    role: given === 'owner' || given === 'administrator' ? 'org:admin' : 'org:member',
    organization_role: given,
    scim: { ...facts, given_role: given },
  };
}
