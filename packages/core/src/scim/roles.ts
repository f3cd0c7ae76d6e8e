import type { GroupGrant } from '../auth/identity.ts';
import { roleOf } from '../auth/member-principal.ts';
import type { OrganizationRole } from '../http/request.ts';
import type { Member } from '../wire/members.ts';
import { fits } from './filter.ts';
import { type AttributeChange, toFields, toLowerFields } from './patch.ts';
import { refuseScim } from './scim-error.ts';

/** What groups of the directory give, by name, as the rules of sign-in say it. */
export type RoleMappings = Readonly<Record<string, GroupGrant>>;

const ROLES: readonly OrganizationRole[] = ['owner', 'administrator', 'billing', 'developer', 'viewer'];
const MAX_ROLES = 100;
const MAX_TEXT = 400;

/** The roles of a user with one change made: values, each once. */
export function changeRoles(roles: readonly string[], change: AttributeChange): readonly string[] {
  const { op, filter, sub, value } = change;
  // What a role is called beside its value is not kept.
  if (sub !== undefined && sub !== 'value') return roles;
  const isChosen = (role: string): boolean => filter === undefined || fits(filter, readRole(role));
  if (op === 'remove' || value === null || value === undefined) {
    // Microsoft's directory names those that are to go as values.
    const gone = filter === undefined && value != null ? new Set(readRoles(value)) : undefined;
    return roles.filter((role) => (gone === undefined ? !isChosen(role) : !gone.has(role)));
  }
  // A value for one role that is told by a filter takes its place, whether it is added or replaced.
  const isInPlace = op === 'replace' || (filter !== undefined && sub === 'value');
  const kept = isInPlace ? roles.filter((role) => !isChosen(role)) : roles;
  const all = [...new Set([...kept, ...readRoles(value)])];
  if (all.length <= MAX_ROLES) return all;
  throw refuseScim('invalidValue', `roles: must be at most ${MAX_ROLES}`);
}

/** Every role counts as the primary one: directories that have one alone ask for it so. */
const readRole =
  (role: string) =>
  (path: string): readonly (string | boolean)[] | undefined => {
    if (path === 'value') return [role];
    return path === 'primary' ? [true, 'true'] : undefined;
  };

/** Values of texts, of `{ value }`, or of lists of these. */
const readRoles = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((each: unknown) => {
    const text = toFields(each) === undefined ? each : toLowerFields(each)['value'];
    if (typeof text !== 'string') throw refuseScim('invalidValue', 'roles: must have a text as value each');
    if (text.length > MAX_TEXT) {
      throw refuseScim('invalidValue', `roles: must have at most ${MAX_TEXT} characters each`);
    }
    const role = unwrap(text.trim());
    return role === '' ? [] : [role];
  });

/** Microsoft's directory may write a role as the text of an object. */
function unwrap(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const { value } = toLowerFields(JSON.parse(text));
    return typeof value === 'string' ? value.trim() : text;
  } catch {
    return text;
  }
}

/** The highest role that values give: by the mapping of their name, or else as the name of a role; undefined for none. */
export function roleOfValues(values: readonly string[], mappings: RoleMappings): OrganizationRole | undefined {
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
