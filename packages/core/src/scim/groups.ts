import type { GroupRecord } from '../wire/scim-groups.ts';
import { fits } from './filter.ts';
import { type AttributeChange, toFields, toLowerFields } from './patch.ts';
import { refuseScim } from './scim-error.ts';

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** What a directory may change of a group. */
export type GroupFacts = Pick<GroupRecord, 'displayName' | 'externalId' | 'members'>;

const MAX_TEXT = 400;
/** Members of a group: it is one row of the store. */
const MAX_MEMBERS = 20_000;

/** The facts of a whole resource, of a POST or a PUT. */
export function parseGroup(body: unknown): GroupFacts {
  const empty: GroupFacts = { displayName: '', externalId: null, members: [] };
  const facts = Object.entries(toLowerFields(body)).reduce(
    (done, [attribute, value]) =>
      value === null || value === undefined
        ? done
        : changeGroup(done, { op: 'replace', attribute, filter: undefined, sub: undefined, value }),
    empty,
  );
  if (facts.displayName === '') throw refuseScim('invalidValue', 'displayName: is missing');
  return facts;
}

/** The facts with one change made. Attributes that are not kept change nothing. */
export function changeGroup(facts: GroupFacts, change: AttributeChange): GroupFacts {
  const { op, attribute, value } = change;
  const isRemoval = op === 'remove' || value === null;
  switch (attribute) {
    case 'displayname': {
      const displayName = isRemoval ? '' : readText(value, 'displayName');
      if (displayName === '') throw refuseScim('invalidValue', 'displayName: cannot be removed');
      return { ...facts, displayName };
    }
    case 'externalid':
      return { ...facts, externalId: isRemoval ? null : readText(value, 'externalId') };
    case 'members':
      return { ...facts, members: changeMembers(facts.members, change) };
    default:
      return facts;
  }
}

function readText(value: unknown, where: string): string {
  if (typeof value !== 'string') throw refuseScim('invalidValue', `${where}: must be a text`);
  if (value.length > MAX_TEXT) throw refuseScim('invalidValue', `${where}: must have at most ${MAX_TEXT} characters`);
  return value.trim();
}

function changeMembers(members: readonly string[], { op, filter, sub, value }: AttributeChange): readonly string[] {
  if (sub !== undefined && sub !== 'value') return members;
  const isChosen = (id: string): boolean =>
    filter === undefined || fits(filter, (path) => (path === 'value' ? [id] : undefined));
  if (op === 'remove') {
    // Microsoft's directory names those who are to go as values.
    if (filter === undefined && value !== undefined && value !== null) {
      const gone = new Set(readMembers(value));
      return members.filter((id) => !gone.has(id));
    }
    return members.filter((id) => !isChosen(id));
  }
  const given = readMembers(value ?? []);
  if (op === 'replace' && filter === undefined) return limit([...new Set(given)]);
  const kept = op === 'replace' ? members.filter((id) => !isChosen(id)) : members;
  return limit([...new Set([...kept, ...given])]);
}

function limit(members: readonly string[]): readonly string[] {
  if (members.length <= MAX_MEMBERS) return members;
  throw refuseScim('invalidValue', `members: must be at most ${MAX_MEMBERS}`);
}

/** Ids of members: of `{ value }`, a list of these, or texts. Groups in groups are refused. */
function readMembers(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map((each: unknown) => {
    const fields = toFields(each) === undefined ? { value: each } : toLowerFields(each);
    const { value: id, type } = fields as { readonly value?: unknown; readonly type?: unknown };
    if (typeof type === 'string' && type.toLowerCase() === 'group') {
      throw refuseScim('invalidValue', 'members: must be users; groups in groups are not kept, send their users');
    }
    if (typeof id !== 'string' || id === '')
      throw refuseScim('invalidValue', 'members: must have the id of a user each');
    return id;
  });
}

/** The values of an attribute of a group, for filters. */
export const readGroup =
  ({ id, displayName, externalId, members }: GroupRecord) =>
  (path: string): readonly string[] | undefined => {
    switch (path) {
      case 'id':
        return [id];
      case 'displayname':
        return [displayName];
      case 'externalid':
        return externalId === null ? [] : [externalId];
      case 'members':
      case 'members.value':
        return members;
      default:
        return undefined;
    }
  };

/** A group as it is sent, but for `meta`. `nameOf`: how people know a member. */
export function toGroupBody(
  { id, displayName, externalId, members }: GroupRecord,
  nameOf: (memberId: string) => string | undefined,
): Record<string, unknown> {
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    members: members.map((value) => ({ value, display: nameOf(value) })),
  };
}
