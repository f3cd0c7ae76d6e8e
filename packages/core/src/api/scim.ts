import { z } from 'zod';

import { removeMember, settleKeysOfMember } from '../account/members.ts';
import { SCIM_PRINCIPAL } from '../auth/authenticate.ts';
import { type MemberDirectory, refuseForeignDirectory } from '../auth/keys.ts';
import { refuseOwnerChange } from '../auth/member-principal.ts';
import type { GatewayError } from '../foundation/errors.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import { type GatewayRequest, readJsonBody } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import { applyMappings } from '../scim/apply-mappings.ts';
import { fits } from '../scim/filter.ts';
import { changeGroup, parseGroup, readGroup, toGroupBody } from '../scim/groups.ts';
import { parsePatch } from '../scim/patch.ts';
import {
  baseOf,
  NOTHING,
  readListQuery,
  refuseOtherVersion,
  refuseUnknown,
  send,
  sendAll,
  sendOne,
  sendResource,
  toGroupMeta,
  toList,
  toUserMeta,
} from '../scim/responses.ts';
import { type RoleMappings, withGivenRole } from '../scim/roles.ts';
import { toProviderConfig, toResourceTypes, toSchemas } from '../scim/schemas.ts';
import { refuseScim, SCIM_TYPE } from '../scim/scim-error.ts';
import {
  changeUser,
  parseUser,
  readUser,
  refuseTakenName,
  toUserBody,
  toUserFacts,
  type UserFacts,
  withUserFacts,
} from '../scim/users.ts';
import type { Store } from '../stores/store.ts';
import type { Member } from '../wire/keys.ts';
import type { GroupRecord } from '../wire/scim-groups.ts';

export interface ScimParts {
  readonly platform: Pick<Platform, 'now' | 'randomBytes'>;
  readonly store: Pick<Store, 'catchUpTables' | 'keys' | 'members' | 'scimGroups' | 'workspaces'>;
  /** The store's own, unless the host has its own: then the host's people are its own matter. */
  readonly members: MemberDirectory;
  /** What names of groups and roles give in the organization. */
  readonly roleMappings: RoleMappings;
}

interface ScimInput {
  readonly parts: ScimParts;
  readonly request: GatewayRequest;
  readonly responseHeaders: Record<string, string>;
}

const anything = z.record(z.string(), z.unknown());
const response = { mediaTypes: { [SCIM_TYPE]: anything } };
const body = { readByRun: anything, mediaType: SCIM_TYPE };
const RESOURCE = { response, responseHeaders: { etag: 'The version of the resource', location: 'Its address' } };
const IF_MATCH = {
  headers: { 'if-match': 'The version that is to be changed' },
  otherStatuses: { 412: 'The resource has changed since the version of `If-Match`' },
};
const CHANGE = { ...RESOURCE, ...IF_MATCH, body };
const text = z.string().optional();
/** Read by `readListQuery`, which refuses in words of SCIM. */
const listQuery = z.object({
  filter: text,
  startIndex: text,
  count: text,
  attributes: text,
  excludedAttributes: text,
});
const STATIC = { response, errors: ['not_found'] } as const;

/** `POST /scim/v2/Users` */
export const createScimUser = operation<ScimParts>()({
  ...RESOURCE,
  body,
  status: 201,
  find: ({ parts }) => refuseForeignDirectory(parts),
  errors: ['conflict', 'not_found', 'permission_denied'],
  async run(input) {
    const { parts, request } = input;
    const facts = parseUser(await readJsonBody(request));
    const id = createUuid(parts.platform);
    const empty: Member = { id, email: '', first_name: null, last_name: null, role: 'org:member' };
    const member = withGivenRole(withUserFacts(empty, facts, nowOf(parts)), parts.roleMappings);
    await parts.store.members.insert(member, (members) => refuseTakenName(facts.userName, null, members));
    return sendUser(member, input, 201);
  },
});

/** `GET /scim/v2/Users` */
export const listScimUsers = operation<ScimParts>()({
  query: listQuery,
  response,
  find: ({ parts }) => refuseForeignDirectory(parts),
  errors: ['not_found', 'permission_denied'],
  async run({ parts, request }) {
    const groupsOf = await createGroupsOf(parts);
    const asked = readListQuery(request);
    const all = (await parts.store.members.list()).map((member) => ({ member, facts: toUserFacts(member) }));
    const { filter } = asked;
    const found =
      filter === undefined ? all : all.filter(({ member: { id }, facts }) => fits(filter, readUser(id, facts)));
    return toList(found, asked, ({ member, facts }) => ({
      ...toUserBody(member.id, facts, groupsOf(member.id)),
      meta: toUserMeta(member, request),
    }));
  },
});

/** `GET /scim/v2/Users/{id}` */
export const getScimUser = operation<ScimParts>()({
  ...RESOURCE,
  params: ['id'],
  find: ({ parts, params }) => findUser(params.id, parts),
  errors: ['not_found', 'permission_denied'],
  run: (input) => sendUser(input.found, input),
});

/** `PUT /scim/v2/Users/{id}`: all of it, but for `active` where that is left out. */
export const replaceScimUser = operation<ScimParts>()({
  ...CHANGE,
  params: ['id'],
  find: ({ parts, params }) => findUser(params.id, parts),
  errors: ['conflict', 'not_found', 'permission_denied'],
  async run(input) {
    const sent = await readJsonBody(input.request);
    return changeMember(input.found.id, input, (facts) => parseUser(sent, facts));
  },
});

/** `PATCH /scim/v2/Users/{id}` */
export const patchScimUser = operation<ScimParts>()({
  ...CHANGE,
  params: ['id'],
  find: ({ parts, params }) => findUser(params.id, parts),
  errors: ['conflict', 'not_found', 'permission_denied'],
  async run(input) {
    const changes = parsePatch(await readJsonBody(input.request));
    return changeMember(input.found.id, input, (facts) => changes.reduce(changeUser, facts));
  },
});

/** `DELETE /scim/v2/Users/{id}` */
export const deleteScimUser = operation<ScimParts>()({
  params: ['id'],
  response,
  status: 204,
  ...IF_MATCH,
  find: ({ parts, params }) => findUser(params.id, parts),
  errors: ['conflict', 'not_found', 'permission_denied'],
  async run({ found, parts, request }) {
    refuseOtherVersion(request, found);
    await removeMember(found.id, SCIM_PRINCIPAL, parts);
    return NOTHING;
  },
});

/** `POST /scim/v2/Groups` */
export const createScimGroup = operation<ScimParts>()({
  ...RESOURCE,
  body,
  status: 201,
  find: ({ parts }) => refuseForeignDirectory(parts),
  errors: ['conflict', 'not_found', 'permission_denied'],
  async run(input) {
    const { parts, request } = input;
    const facts = parseGroup(await readJsonBody(request));
    await refuseUnknownMembers(facts.members, parts);
    const [id, now] = [createUuid(parts.platform), nowOf(parts)];
    const group: GroupRecord = { id, ...facts, mappings: [], createdAt: now, updatedAt: now };
    await parts.store.scimGroups.insert(group, (groups) => refuseTakenGroup(group, groups));
    return sendGroup(group, input, 201);
  },
});

/** `GET /scim/v2/Groups` */
export const listScimV2Groups = operation<ScimParts>()({
  query: listQuery,
  response,
  find: ({ parts }) => refuseForeignDirectory(parts),
  errors: ['not_found', 'permission_denied'],
  async run({ parts, request }) {
    const asked = readListQuery(request);
    const { filter } = asked;
    const all = await parts.store.scimGroups.list();
    const found = filter === undefined ? all : all.filter((group) => fits(filter, readGroup(group)));
    const nameOf = await createNameOf(parts);
    return toList(found, asked, (group) => ({ ...toGroupBody(group, nameOf), meta: toGroupMeta(group, request) }));
  },
});

/** `GET /scim/v2/Groups/{id}` */
export const getScimGroup = operation<ScimParts>()({
  ...RESOURCE,
  params: ['id'],
  find: ({ parts, params }) => findGroup(params.id, parts),
  errors: ['not_found', 'permission_denied'],
  run: (input) => sendGroup(input.found, input),
});

/** `PUT /scim/v2/Groups/{id}` */
export const replaceScimGroup = operation<ScimParts>()({
  ...CHANGE,
  params: ['id'],
  find: ({ parts, params }) => findGroup(params.id, parts),
  errors: ['conflict', 'not_found', 'permission_denied'],
  async run(input) {
    const facts = parseGroup(await readJsonBody(input.request));
    return changeRecord(input.found, input, (group) => ({ ...group, ...facts }));
  },
});

/** `PATCH /scim/v2/Groups/{id}` */
export const patchScimGroup = operation<ScimParts>()({
  ...CHANGE,
  params: ['id'],
  find: ({ parts, params }) => findGroup(params.id, parts),
  errors: ['conflict', 'not_found', 'permission_denied'],
  async run(input) {
    const changes = parsePatch(await readJsonBody(input.request));
    return changeRecord(input.found, input, (group) => ({ ...group, ...changes.reduce(changeGroup, group) }));
  },
});

/** `DELETE /scim/v2/Groups/{id}`: what its mappings gave goes with it. */
export const deleteScimGroup = operation<ScimParts>()({
  params: ['id'],
  response,
  status: 204,
  ...IF_MATCH,
  find: ({ parts, params }) => findGroup(params.id, parts),
  errors: ['conflict', 'not_found', 'permission_denied'],
  async run({ found, parts, request }) {
    refuseOtherVersion(request, found);
    await parts.store.scimGroups.remove(found.id);
    await applyMappings(parts);
    return NOTHING;
  },
});

/** `GET /scim/v2/ServiceProviderConfig` */
export const getScimProviderConfig = operation<ScimParts>()({
  ...STATIC,
  run: ({ request }) => send(200, toProviderConfig(baseOf(request))),
});

/** `GET /scim/v2/ResourceTypes` */
export const listScimResourceTypes = operation<ScimParts>()({
  ...STATIC,
  run: ({ request }) => sendAll(toResourceTypes(baseOf(request))),
});

/** `GET /scim/v2/ResourceTypes/{name}` */
export const getScimResourceType = operation<ScimParts>()({
  params: ['name'],
  ...STATIC,
  run: ({ request, params }) => sendOne(toResourceTypes(baseOf(request)), params.name),
});

/** `GET /scim/v2/Schemas` */
export const listScimSchemas = operation<ScimParts>()({
  ...STATIC,
  run: ({ request }) => sendAll(toSchemas(baseOf(request))),
});

/** `GET /scim/v2/Schemas/{name}` */
export const getScimSchema = operation<ScimParts>()({
  params: ['name'],
  ...STATIC,
  run: ({ request, params }) => sendOne(toSchemas(baseOf(request)), params.name),
});

const nowOf = ({ platform }: Pick<ScimParts, 'platform'>): string => new Date(platform.now()).toISOString();

async function findUser(id: string, parts: ScimParts): Promise<Member> {
  refuseForeignDirectory(parts);
  return (await parts.store.members.get(id)) ?? refuseUnknown('user', id);
}

async function findGroup(id: string, parts: ScimParts): Promise<GroupRecord> {
  refuseForeignDirectory(parts);
  return (await parts.store.scimGroups.get(id)) ?? refuseUnknown('group', id);
}

/** Changes the member and, after that, the keys: a directory that repeats a request makes up for what was missed. */
async function changeMember(
  id: string,
  input: ScimInput,
  change: (facts: UserFacts) => UserFacts,
): Promise<GatewayResponse> {
  const { parts, request } = input;
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
  if (changed === undefined) return refuseUnknown('user', id);
  await settleKeysOfMember(id, changed.active !== false, parts);
  return sendUser(changed, input);
}

async function changeRecord(
  { id, members: before }: GroupRecord,
  input: ScimInput,
  change: (group: GroupRecord) => GroupRecord,
): Promise<GatewayResponse> {
  const { parts, request } = input;
  const now = nowOf(parts);
  const everyone = new Set((await parts.store.members.list()).map((member) => member.id));
  const changed = await parts.store.scimGroups.update(id, (group, groups) => {
    refuseOtherVersion(request, group);
    const next = change(group);
    const known = new Set(group.members);
    const unknown = next.members.find((member) => !known.has(member) && !everyone.has(member));
    if (unknown !== undefined) throw refuseMember(unknown);
    refuseTakenGroup(next, groups);
    return JSON.stringify(next) === JSON.stringify(group) ? group : { ...next, updatedAt: now };
  });
  if (changed === undefined) return refuseUnknown('group', id);
  if (changed.members !== before) await applyMappings(parts);
  return sendGroup(changed, input);
}

async function refuseUnknownMembers(ids: readonly string[], { store }: ScimParts): Promise<void> {
  const everyone = new Set((await store.members.list()).map(({ id }) => id));
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

async function sendUser(member: Member, input: ScimInput, status = 200): Promise<GatewayResponse> {
  const groups = (await createGroupsOf(input.parts))(member.id);
  return sendResource(toUserBody(member.id, toUserFacts(member), groups), toUserMeta(member, input.request), {
    ...input,
    status,
  });
}

async function sendGroup(group: GroupRecord, input: ScimInput, status = 200): Promise<GatewayResponse> {
  const resource = toGroupBody(group, await createNameOf(input.parts));
  return sendResource(resource, toGroupMeta(group, input.request), { ...input, status });
}
