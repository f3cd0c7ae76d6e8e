import { ORGANIZATION_ID } from '../account/workspaces.ts';
import type { IdentitySessions } from '../auth/identity-sessions.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { withKeptRoles } from '../auth/memberships.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import { applyMappings } from '../scim/apply-mappings.ts';
import type { Store } from '../stores/store.ts';
import { deletedSchema, pageQuerySchema, refuseField, toPage } from '../wire/fields.ts';
import {
  createGroupMappingRequestSchema,
  deleteGroupMappingQuerySchema,
  groupMappingListSchema,
  groupMappingResponseSchema,
  type GroupRecord,
  type KnownGroup,
  knownGroupListSchema,
  type MappingRecord,
  scimGroupListSchema,
  updateGroupMappingRequestSchema,
} from '../wire/scim-groups.ts';

export interface GroupMappingParts {
  readonly platform: Pick<Platform, 'now' | 'randomBytes'>;
  readonly store: Pick<Store, 'catchUpTables' | 'scimGroups' | 'workspaces'>;
  readonly identitySessions: Pick<IdentitySessions, 'groups'> | null;
}

/** `GET /admin/v1/groups`: those that the directory has sent, then those whose people sign in. */
export const listGroups = operation<GroupMappingParts>()({
  query: pageQuerySchema,
  response: knownGroupListSchema,
  async run({ parts, query }) {
    const sent = (await parts.store.scimGroups.list()).map(toKnownGroup);
    return toPage([...sent, ...(await listSignInGroups(parts))], query);
  },
});

/** `GET /scim/groups` */
export const listScimGroups = operation<GroupMappingParts>()({
  query: pageQuerySchema,
  response: scimGroupListSchema,
  async run({ parts, query }) {
    const { data, total_count } = toPage(await parts.store.scimGroups.list(), query);
    return {
      data: data.map(({ id, externalId, displayName, createdAt, updatedAt }) => ({
        id,
        organization_id: ORGANIZATION_ID,
        external_id: externalId,
        display_name: displayName,
        created_at: createdAt,
        updated_at: updatedAt,
      })),
      total_count,
    };
  },
});

/** `GET /scim/group-mappings` */
export const listScimGroupMappings = operation<GroupMappingParts>()({
  query: pageQuerySchema,
  response: groupMappingListSchema,
  async run({ parts, query }) {
    return toPage(await listMappings(parts), query);
  },
});

/** `POST /scim/group-mappings`: the members of the group are in the workspace at once. */
export const createScimGroupMapping = operation<GroupMappingParts>()({
  body: createGroupMappingRequestSchema,
  response: groupMappingResponseSchema,
  status: 201,
  errors: ['conflict', 'not_found'],
  async run({ parts, body }) {
    const { scim_group_id: groupId, workspace_id: workspaceId, role } = body;
    const { store, platform } = parts;
    if ((await store.scimGroups.get(groupId)) === undefined) throw noGroup(groupId);
    if (workspaceId === DEFAULT_WORKSPACE_ID) {
      throw refuseField('workspace_id', 'must be another one: the default workspace has every member already');
    }
    if ((await store.workspaces.get(workspaceId)) === undefined) {
      throw new GatewayError('not_found', `There is no workspace ${workspaceId}`);
    }
    const now = new Date(platform.now()).toISOString();
    const mapping: MappingRecord = { id: createUuid(platform), workspaceId, role, createdAt: now, updatedAt: now };
    const changed = await store.scimGroups.update(groupId, (group) => {
      if (group.mappings.every((each) => each.workspaceId !== workspaceId)) {
        return { ...group, mappings: [...group.mappings, mapping] };
      }
      throw new GatewayError('conflict', 'The group has a mapping to this workspace already; change that one');
    });
    if (changed === undefined) throw noGroup(groupId);
    await applyMappings(parts);
    return { data: toBody(changed, mapping) };
  },
});

/** `GET /scim/group-mappings/{id}` */
export const getScimGroupMapping = operation<GroupMappingParts>()({
  params: ['id'],
  response: groupMappingResponseSchema,
  async run({ parts, params }) {
    const { group, mapping } = await findMapping(params.id, parts);
    return { data: toBody(group, mapping) };
  },
});

/** `PATCH /scim/group-mappings/{id}`: the members of the group have the new role at once. */
export const updateScimGroupMapping = operation<GroupMappingParts>()({
  params: ['id'],
  body: updateGroupMappingRequestSchema,
  response: groupMappingResponseSchema,
  find: ({ parts, params }) => findMapping(params.id, parts),
  async run({ parts, body, found: { group, mapping } }) {
    const changed: MappingRecord = {
      ...mapping,
      role: body.role,
      updatedAt: new Date(parts.platform.now()).toISOString(),
    };
    const row = await parts.store.scimGroups.update(group.id, (present) => ({
      ...present,
      mappings: present.mappings.map((each) => (each.id === mapping.id ? changed : each)),
    }));
    if (row === undefined || row.mappings.every(({ id }) => id !== mapping.id)) throw noMapping(mapping.id);
    await applyMappings(parts);
    return { data: toBody(group, changed) };
  },
});

/** `DELETE /scim/group-mappings/{id}`: takes away what it gave and nothing else, or leaves it as if given by hand. */
export const deleteScimGroupMapping = operation<GroupMappingParts>()({
  params: ['id'],
  query: deleteGroupMappingQuerySchema,
  response: deletedSchema,
  find: ({ parts, params }) => findMapping(params.id, parts),
  async run({ parts, query, found: { group, mapping } }) {
    const { store } = parts;
    const { id, workspaceId, role } = mapping;
    if (query.keep_members === 'true') {
      const userIds = new Set(group.members);
      await store.workspaces.update(workspaceId, (record) => withKeptRoles(record, userIds, role));
    }
    await store.scimGroups.update(group.id, (present) => ({
      ...present,
      mappings: present.mappings.filter((each) => each.id !== id),
    }));
    await applyMappings(parts);
    return { deleted: true };
  },
});

const toBody = (
  { id: groupId }: Pick<GroupRecord, 'id'>,
  { id, workspaceId, role, createdAt, updatedAt }: MappingRecord,
) => ({
  id,
  organization_id: ORGANIZATION_ID,
  scim_group_id: groupId,
  workspace_id: workspaceId,
  role,
  created_at: createdAt,
  updated_at: updatedAt,
});

const toKnownGroup = ({ id, displayName, members, mappings }: GroupRecord): KnownGroup => ({
  id,
  source: 'directory',
  display_name: displayName,
  member_ids: [...members],
  role: null,
  workspaces: mappings.map(({ id: mappingId, workspaceId, role }) => ({
    workspace_id: workspaceId,
    role: role === 'admin' ? 'administrator' : role,
    mapping_id: mappingId,
  })),
});

async function listSignInGroups({ identitySessions, store }: GroupMappingParts): Promise<readonly KnownGroup[]> {
  const groups = Object.entries(identitySessions?.groups ?? {});
  if (groups.length === 0) return [];
  const bySlug = new Map((await store.workspaces.list()).map(({ id, workspace }) => [workspace.slug, id]));
  return groups.map(([name, { role, workspaces = {} }]) => ({
    id: name,
    source: 'sign_in',
    display_name: name,
    member_ids: null,
    role: role ?? null,
    workspaces: Object.entries(workspaces).map(([place, given]) => ({
      workspace_id: bySlug.get(place) ?? place,
      role: given,
      mapping_id: null,
    })),
  }));
}

async function listMappings({ store }: GroupMappingParts) {
  const groups = await store.scimGroups.list();
  return groups.flatMap((group) => group.mappings.map((mapping) => toBody(group, mapping)));
}

/** Throws `not_found`. */
async function findMapping(
  id: string,
  { store }: GroupMappingParts,
): Promise<{ readonly group: GroupRecord; readonly mapping: MappingRecord }> {
  for (const group of await store.scimGroups.list()) {
    const mapping = group.mappings.find((each) => each.id === id);
    if (mapping !== undefined) return { group, mapping };
  }
  throw noMapping(id);
}

const noMapping = (id: string): GatewayError =>
  new GatewayError('not_found', `There is no mapping ${id.slice(0, 100)}`);

const noGroup = (id: string): GatewayError => new GatewayError('not_found', `There is no group ${id.slice(0, 100)}`);
