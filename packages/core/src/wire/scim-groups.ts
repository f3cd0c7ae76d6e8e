import { z } from 'zod';

import { organizationRoleSchema } from './members.ts';
import { workspaceRoleSchema } from './workspaces.ts';

const mappingRole = z.enum(['admin', 'member']);

/** A mapping in the row of its group: what the group gives its members in a workspace. */
const mappingRecordSchema = z.object({
  id: z.string(),
  workspaceId: z.string(),
  role: mappingRole,
  /** ISO 8601 in UTC, as all `…At` here. */
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type MappingRecord = Readonly<z.infer<typeof mappingRecordSchema>>;

/** A group as it is stored, with its mappings. */
export const groupRecordSchema = z.object({
  id: z.string(),
  displayName: z.string(),
  externalId: z.string().nullable(),
  /** Ids of members, each once, in the order in which they came. */
  members: z.array(z.string()),
  /** At most one a workspace. */
  mappings: z.array(mappingRecordSchema),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** A group of people, as the company's directory has sent it. */
export interface GroupRecord extends Readonly<Omit<z.infer<typeof groupRecordSchema>, 'members' | 'mappings'>> {
  readonly members: readonly string[];
  readonly mappings: readonly MappingRecord[];
}

const times = { created_at: z.string(), updated_at: z.string() };

const groupSchema = z.object({
  id: z.string(),
  organization_id: z.string(),
  external_id: z.string().nullable(),
  display_name: z.string(),
  ...times,
});

const mappingSchema = z.object({
  id: z.string(),
  organization_id: z.string(),
  scim_group_id: z.string(),
  workspace_id: z.string(),
  role: mappingRole,
  ...times,
});

export const scimGroupListSchema = z.object({ data: z.array(groupSchema), total_count: z.int() });
export const groupMappingListSchema = z.object({ data: z.array(mappingSchema), total_count: z.int() });
export const groupMappingResponseSchema = z.object({ data: mappingSchema });

const grantedWorkspaceSchema = z.object({
  workspace_id: z.string(),
  role: workspaceRoleSchema,
  /** By which it is changed and removed; null where the configuration gives it. */
  mapping_id: z.string().nullable(),
});

const knownGroupSchema = z.object({
  /** The id of a directory's group; for a group of the configuration its name, which is no id of an operation. */
  id: z.string(),
  source: z.enum(['directory', 'sign_in']),
  display_name: z.string(),
  /** Who is in it; null where only a sign-in tells. */
  member_ids: z.array(z.string()).nullable(),
  /** Which role in the organization it gives; null for none. */
  role: organizationRoleSchema.nullable(),
  workspaces: z.array(grantedWorkspaceSchema),
});
export type KnownGroup = z.infer<typeof knownGroupSchema>;

export const knownGroupListSchema = z.object({ data: z.array(knownGroupSchema), total_count: z.int() });

/** The body of `POST /scim/group-mappings`. Closed. */
export const createGroupMappingRequestSchema = z.strictObject({
  scim_group_id: z.uuid(),
  workspace_id: z.uuid(),
  role: mappingRole,
});

/** The body of `PATCH /scim/group-mappings/{id}`. Closed. */
export const updateGroupMappingRequestSchema = z.strictObject({ role: mappingRole });

/** The query of `DELETE /scim/group-mappings/{id}`: there is no default, so that nobody loses access by omission. */
export const deleteGroupMappingQuerySchema = z.object({
  keep_members: z.enum(['true', 'false'], {
    error: 'must be true, which leaves the members in the workspace, or false, which takes away what the mapping gave',
  }),
});
