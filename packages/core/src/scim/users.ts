import type { Member } from '../wire/members.ts';
import type { GroupRecord } from '../wire/scim-groups.ts';
import { fits } from './filter.ts';
import { type AttributeChange, toLowerFields } from './patch.ts';
import { changeRoles } from './roles.ts';
import { refuseScim } from './scim-error.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** What is kept of a user. All other attributes are taken and forgotten. */
export interface UserFacts {
  readonly userName: string;
  readonly externalId: string | null;
  readonly displayName: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  /** Empty for none. */
  readonly email: string;
  readonly active: boolean;
  readonly roles: readonly string[];
}

/** A member as a directory sees it. One whom it has not sent is known by the e-mail address, or else by the id. */
export function toUserFacts({ id, email, first_name, last_name, active, scim }: Member): UserFacts {
  return {
    userName: scim?.user_name ?? (email === '' ? id : email),
    externalId: scim?.external_id ?? null,
    displayName: scim?.display_name ?? null,
    givenName: first_name,
    familyName: last_name,
    email,
    active: active !== false,
    roles: scim?.roles ?? [],
  };
}

/** The member with these facts; the role stays. `now`: ISO 8601. */
export function withUserFacts(member: Member, facts: UserFacts, now: string): Member {
  const { active: _, ...rest } = member;
  const scim = {
    user_name: facts.userName,
    external_id: facts.externalId,
    display_name: facts.displayName,
    ...(facts.roles.length > 0 && { roles: [...facts.roles] }),
    ...(member.scim?.given_role !== undefined && { given_role: member.scim.given_role }),
    created_at: member.scim?.created_at ?? now,
    updated_at: now,
  };
  const names = { first_name: facts.givenName, last_name: facts.familyName };
  return { ...rest, email: facts.email, ...names, ...(!facts.active && { active: false }), scim };
}

/** Throws a 409 with `uniqueness` where another member has the name. Upper and lower case are the same. */
export function refuseTakenName(userName: string, ownId: string | null, members: readonly Member[]): void {
  const wanted = userName.toLowerCase();
  const other = members.find((each) => each.id !== ownId && toUserFacts(each).userName.toLowerCase() === wanted);
  if (other === undefined) return;
  throw refuseScim('uniqueness', `There is a user with the userName ${userName.slice(0, 100)} already`);
}

/** The facts of a whole resource, of a POST or a PUT. Without `active` that of `present` stays. */
export function parseUser(body: unknown, present?: UserFacts): UserFacts {
  const fields = toLowerFields(body);
  const empty: UserFacts = {
    userName: '',
    externalId: null,
    displayName: null,
    givenName: null,
    familyName: null,
    email: '',
    active: present?.active ?? true,
    roles: [],
  };
  const facts = Object.entries(fields).reduce(
    (done, [attribute, value]) =>
      value === null || value === undefined
        ? done
        : changeUser(done, { op: 'replace', attribute, filter: undefined, sub: undefined, value }),
    empty,
  );
  if (facts.userName === '') throw refuseScim('invalidValue', 'userName: is missing');
  return facts;
}

const MAX_TEXT = 400;
const MAX_NAME = 200;
const MAX_EMAIL = 320;

/** The facts with one change made. Attributes that are not kept change nothing. */
export function changeUser(facts: UserFacts, change: AttributeChange): UserFacts {
  const { op, attribute, sub, value } = change;
  const isRemoval = op === 'remove' || value === null;
  const text = (where: string, max = MAX_TEXT): string | null => (isRemoval ? null : readText(value, where, max));
  switch (attribute) {
    case 'username':
      return { ...facts, userName: text('userName', MAX_EMAIL) || refuseRemoval('userName') };
    case 'active':
      return { ...facts, active: isRemoval ? refuseRemoval('active') : readBoolean(value) };
    case 'externalid':
      return { ...facts, externalId: text('externalId') };
    case 'displayname':
      return { ...facts, displayName: text('displayName') };
    case 'name':
      return sub === undefined ? changeName(facts, change) : changeNamePart(facts, sub, text(`name.${sub}`));
    case 'emails':
      return changeEmail(facts, change);
    case 'roles':
      return { ...facts, roles: changeRoles(facts.roles, change) };
    default:
      return facts;
  }
}

const refuseRemoval = (attribute: string): never => {
  throw refuseScim('invalidValue', `${attribute}: cannot be removed`);
};

function readText(value: unknown, where: string, max: number): string {
  if (typeof value !== 'string') throw refuseScim('invalidValue', `${where}: must be a text`);
  if (value.length > max) throw refuseScim('invalidValue', `${where}: must have at most ${max} characters`);
  return value.trim();
}

/** Microsoft's directory sends texts that begin with a capital. */
function readBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  throw refuseScim('invalidValue', 'active: must be true or false');
}

function changeName(facts: UserFacts, { op, value }: AttributeChange): UserFacts {
  if (op === 'remove' || value === null) return { ...facts, givenName: null, familyName: null };
  if (typeof value !== 'object' || Array.isArray(value)) throw refuseScim('invalidValue', 'name: must be an object');
  return Object.entries(toLowerFields(value)).reduce(
    (done, [sub, each]) =>
      changeNamePart(done, sub, each === null || each === undefined ? null : readText(each, `name.${sub}`, MAX_TEXT)),
    facts,
  );
}

function changeNamePart(facts: UserFacts, sub: string, text: string | null): UserFacts {
  const name = text === null || text === '' ? null : text.slice(0, MAX_NAME);
  if (sub === 'givenname') return { ...facts, givenName: name };
  if (sub === 'familyname') return { ...facts, familyName: name };
  return facts;
}

/** One address is kept: the primary one, else that of work, else the first. */
function changeEmail(facts: UserFacts, { op, filter, sub, value }: AttributeChange): UserFacts {
  const read = readEmail({ value: facts.email, type: 'work', primary: true });
  if (filter !== undefined && !fits(filter, read)) return facts;
  if (op === 'remove' || value === null) return sub === undefined || sub === 'value' ? { ...facts, email: '' } : facts;
  if (sub !== undefined && sub !== 'value') return facts;
  if (typeof value === 'string') return { ...facts, email: readText(value, 'emails.value', MAX_EMAIL) };
  const all = (Array.isArray(value) ? value : [value]).map((each) => toLowerFields(each));
  const work =
    all.find(({ primary }) => primary === true || String(primary).toLowerCase() === 'true') ??
    all.find(({ type }) => typeof type === 'string' && type.toLowerCase() === 'work');
  // An address of another kind that is added takes no place that is taken.
  const chosen = work ?? (op === 'add' && facts.email !== '' ? { value: facts.email } : all[0]);
  if (chosen === undefined) return { ...facts, email: '' };
  if (chosen['value'] === undefined && !Array.isArray(value)) return facts;
  return { ...facts, email: readText(chosen['value'], 'emails.value', MAX_EMAIL) };
}

interface Email {
  readonly value: string;
  readonly type: 'work';
  readonly primary: true;
}

const readEmail =
  (email: Email) =>
  (path: string): readonly (string | boolean)[] | undefined => {
    if (path === 'type' || path === 'primary') return [email[path]];
    return path === 'value' && email.value !== '' ? [email.value] : undefined;
  };

/** The values of an attribute of a user, for filters. */
export const readUser =
  (id: string, facts: UserFacts) =>
  (path: string): readonly (string | boolean)[] | undefined => {
    const some = (text: string | null): readonly string[] => (text === null || text === '' ? [] : [text]);
    switch (path) {
      case 'id':
        return [id];
      case 'username':
        return [facts.userName];
      case 'externalid':
        return some(facts.externalId);
      case 'displayname':
        return some(facts.displayName);
      case 'name.givenname':
        return some(facts.givenName);
      case 'name.familyname':
        return some(facts.familyName);
      case 'emails':
      case 'emails.value':
        return some(facts.email);
      case 'active':
        return [facts.active];
      case 'roles':
      case 'roles.value':
        return facts.roles;
      default:
        return undefined;
    }
  };

/** A user as it is sent, but for `meta`. */
export function toUserBody(id: string, facts: UserFacts, groups: readonly GroupRecord[]): Record<string, unknown> {
  const { userName, externalId, displayName, givenName, familyName, email, active, roles } = facts;
  const formatted = [givenName, familyName].filter((part) => part !== null).join(' ');
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    userName,
    name: {
      ...(formatted !== '' && { formatted }),
      ...(givenName !== null && { givenName }),
      ...(familyName !== null && { familyName }),
    },
    ...(displayName !== null && { displayName }),
    emails: email === '' ? [] : [{ value: email, type: 'work', primary: true }],
    active,
    ...(roles.length > 0 && { roles: roles.map((value) => ({ value })) }),
    groups: groups.map((group) => ({ value: group.id, display: group.displayName })),
  };
}
