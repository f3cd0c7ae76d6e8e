import { removeMember, settleKeysOfMember } from '../account/members.ts';
import { SCIM_PRINCIPAL } from '../auth/authenticate.ts';
import { type RoleMappings, withGivenRole } from '../auth/given-role.ts';
import type { MemberDirectory } from '../auth/keys.ts';
import { refuseOwnerChange } from '../auth/member-principal.ts';
import type { GatewayError } from '../foundation/errors.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { Repository, Store } from '../stores/store.ts';
import type { Member } from '../wire/members.ts';
import type { GroupRecord } from '../wire/scim-groups.ts';
import { applyMappings } from './apply-mappings.ts';
import type { fits } from './filter.ts';
import { changeGroup, type GroupFacts, parseGroup, readGroup, toGroupBody } from './groups.ts';
import type { AttributeChange } from './patch.ts';
import { type Meta, refuseOtherVersion, toGroupMeta, toUserMeta } from './responses.ts';
import { refuseScim } from './scim-error.ts';
import {
  changeUser,
  parseUser,
  readUser,
  refuseTakenName,
  toUserBody,
  toUserFacts,
  type UserFacts,
  withUserFacts,
} from './users.ts';

export interface ScimParts {
  readonly platform: Pick<Platform, 'now' | 'randomBytes'>;
  readonly store: Pick<Store, 'catchUpTables' | 'keys' | 'members' | 'scimGroups' | 'workspaces'>;
  /** The store's own, unless the host has its own: then the host's people are its own matter. */
  readonly members: MemberDirectory;
  /** What names of groups and roles give in the organization. */
  readonly roleMappings: RoleMappings;
}

interface ChangeContext {
  readonly parts: ScimParts;
  /** Its `If-Match` has to fit the row as it is when it is changed. */
  readonly request: GatewayRequest;
}

/** A kind of resource: how a directory sees its rows, and what becomes of them. `Facts`: what a directory may change. */
export interface ScimResource<Row, Facts> {
  /** As refusals name it. */
  readonly name: 'user' | 'group';
  rowsOf(parts: ScimParts): Pick<Repository<Row>, 'get' | 'list'>;
  /** The facts of a whole resource that was sent; what it leaves out may stay as it is `present`. */
  parse(body: unknown, present?: Facts): Facts;
  /** The facts with one change of a PATCH made. */
  patch(facts: Facts, change: AttributeChange): Facts;
  /** The values of its attributes, for filters. */
  read(row: Row): Parameters<typeof fits>[1];
  /** Reads what is shown beside the rows once, for any number of them. */
  createToBody(parts: ScimParts): Promise<(row: Row) => Record<string, unknown>>;
  toMeta(row: Row, request: GatewayRequest): Meta;
  add(facts: Facts, parts: ScimParts): Promise<Row>;
  /** Undefined where it has gone. */
  change(row: Row, change: (facts: Facts) => Facts, context: ChangeContext): Promise<Row | undefined>;
  remove(row: Row, parts: ScimParts): Promise<unknown>;
}

const nowOf = ({ platform }: Pick<ScimParts, 'platform'>): string => new Date(platform.now()).toISOString();

/** Members, as users. */
export const USERS: ScimResource<Member, UserFacts> = {
  name: 'user',
  rowsOf: ({ store }) => store.members,
  parse: parseUser,
  patch: changeUser,
  read: (member) => readUser(member.id, toUserFacts(member)),
  async createToBody(parts) {
    const groupsOf = await createGroupsOf(parts);
    return (member) => toUserBody(member.id, toUserFacts(member), groupsOf(member.id));
  },
  toMeta: toUserMeta,
  async add(facts, parts) {
    const id = createUuid(parts.platform);
    const empty: Member = { id, email: '', first_name: null, last_name: null, role: 'org:member' };
    const member = withGivenRole(withUserFacts(empty, facts, nowOf(parts)), parts.roleMappings);
    await parts.store.members.insert(member, (members) => refuseTakenName(facts.userName, null, members));
    return member;
  },
  /** Changes the member and, after that, the keys: a directory that repeats a request makes up for what was missed. */
  async change({ id }, change, { parts, request }) {
    const now = nowOf(parts);
    const changed = await parts.store.members.update(id, (member, members) => {
      refuseOtherVersion(request, member);
      const before = toUserFacts(member);
      const facts = change(before);
      const isSame = member.scim !== undefined && JSON.stringify(facts) === JSON.stringify(before);
      if (isSame && withGivenRole(member, parts.roleMappings) === member) return member;
      if (facts.userName.toLowerCase() !== before.userName.toLowerCase()) refuseTakenName(facts.userName, id, members);
      const next = withGivenRole(withUserFacts(member, facts, now), parts.roleMappings);
      refuseOwnerChange(member, next, { principal: SCIM_PRINCIPAL, all: members });
      return next;
    });
    if (changed !== undefined) await settleKeysOfMember(id, changed.active !== false, parts);
    return changed;
  },
  remove: ({ id }, parts) => removeMember(id, SCIM_PRINCIPAL, parts),
};

/** Groups of members; what their mappings give follows each change. */
export const GROUPS: ScimResource<GroupRecord, GroupFacts> = {
  name: 'group',
  rowsOf: ({ store }) => store.scimGroups,
  parse: parseGroup,
  patch: changeGroup,
  read: readGroup,
  async createToBody(parts) {
    const nameOf = await createNameOf(parts);
    return (group) => toGroupBody(group, nameOf);
  },
  toMeta: toGroupMeta,
  async add(facts, parts) {
    refuseUnknownMembers(facts.members, await listMemberIds(parts));
    const [id, now] = [createUuid(parts.platform), nowOf(parts)];
    const group: GroupRecord = { id, ...facts, mappings: [], createdAt: now, updatedAt: now };
    await parts.store.scimGroups.insert(group, (groups) => refuseTakenGroup(group, groups));
    return group;
  },
  async change({ id, members: before }, change, { parts, request }) {
    const now = nowOf(parts);
    const everyone = await listMemberIds(parts);
    const changed = await parts.store.scimGroups.update(id, (group, groups) => {
      refuseOtherVersion(request, group);
      const { displayName, externalId, members } = change(group);
      const next = { ...group, displayName, externalId, members };
      const known = new Set(group.members);
      refuseUnknownMembers(
        next.members.filter((member) => !known.has(member)),
        everyone,
      );
      refuseTakenGroup(next, groups);
      return JSON.stringify(next) === JSON.stringify(group) ? group : { ...next, updatedAt: now };
    });
    if (changed !== undefined && changed.members !== before) await applyMappings(parts);
    return changed;
  },
  /** What its mappings gave goes with it. */
  async remove({ id }, parts) {
    await parts.store.scimGroups.remove(id);
    await applyMappings(parts);
  },
};

const listMemberIds = async ({ store }: ScimParts): Promise<ReadonlySet<string>> =>
  new Set((await store.members.list()).map(({ id }) => id));

function refuseUnknownMembers(ids: readonly string[], everyone: ReadonlySet<string>): void {
  const unknown = ids.find((id) => !everyone.has(id));
  if (unknown !== undefined) throw refuseMember(unknown);
}

const refuseMember = (id: string): GatewayError =>
  refuseScim('invalidValue', `members: there is no user with the id ${id.slice(0, 100)}`);

function refuseTakenGroup({ id, displayName }: GroupRecord, groups: readonly GroupRecord[]): void {
  const wanted = displayName.toLowerCase();
  if (groups.every((group) => group.id === id || group.displayName.toLowerCase() !== wanted)) return;
  throw refuseScim('uniqueness', `There is a group with the displayName ${displayName.slice(0, 100)} already`);
}

async function createGroupsOf({ store }: ScimParts): Promise<(memberId: string) => readonly GroupRecord[]> {
  const byMember = new Map<string, GroupRecord[]>();
  for (const group of await store.scimGroups.list()) {
    for (const id of group.members) {
      const known = byMember.get(id);
      if (known === undefined) byMember.set(id, [group]);
      else known.push(group);
    }
  }
  return (memberId) => byMember.get(memberId) ?? [];
}

async function createNameOf({ store }: ScimParts): Promise<(memberId: string) => string | undefined> {
  const names = new Map((await store.members.list()).map((member) => [member.id, toUserFacts(member).userName]));
  return (memberId) => names.get(memberId);
}
