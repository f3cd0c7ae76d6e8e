import { z } from 'zod';

import { byokKeyRecordSchema } from '../wire/byok.ts';
import { destinationSchema } from '../wire/destinations.ts';
import { guardrailSchema } from '../wire/guardrails.ts';
import { memberSchema } from '../wire/members.ts';
import { groupRecordSchema } from '../wire/scim-groups.ts';
import { storedSettingsSchema } from '../wire/settings.ts';
import { membershipSchema, workspaceBudgetSchema, workspaceSchema } from '../wire/workspaces.ts';

const nullableString = z.string().nullable();

export const keyRecordSchema = z.object({
  /** SHA-256 of the key in lower-case hex: its public identifier. */
  hash: z.string(),
  kind: z.enum(['api', 'management']),
  name: z.string(),
  /** The key with its middle left out, for people to recognise it by. */
  label: z.string(),
  disabled: z.boolean(),
  /** USD; null means no limit. */
  limitUsd: z.number().nullable(),
  limitReset: z.enum(['daily', 'weekly', 'monthly']).nullable(),
  includeByokInLimit: z.boolean(),
  creatorUserId: nullableString,
  workspaceId: z.string(),
  /** ISO 8601 in UTC, as all `…At` here. */
  createdAt: z.string(),
  updatedAt: nullableString,
  expiresAt: nullableString,
  /** Whom the key was made for, in the words of its maker. */
  externalUser: z.string().optional(),
  /** Disabled because its member is deactivated; it is enabled with them again. */
  disabledWithMember: z.literal(true).optional(),
});

export const assignmentSchema = z.object({
  id: z.string(),
  guardrailId: z.string(),
  /** Hash of the key, or id of the member, that the guardrail holds for. */
  subjectId: z.string(),
  /** `Principal.id` of the author. */
  assignedBy: nullableString,
  createdAt: z.string(),
});

export const workspaceRecordSchema = z.object({
  /** The same as the workspace's. */
  id: z.string(),
  /** Rows of earlier versions lack the fields that came later. */
  workspace: workspaceSchema.partial({
    default_callback_url: true,
    disabled_server_tools: true,
    automatic_cache_marks: true,
  }),
  budgets: z.array(workspaceBudgetSchema),
  /** In the order in which they were added; absent for none, and in the default workspace, which has them all. */
  members: z.array(membershipSchema).optional(),
});

/** Settings as they were saved; they are checked when they are read, so that one bad row spoils no others. */
const unchecked = z.record(z.string(), z.unknown());

export const providerRecordSchema = z.object({
  /** The provider's slug. */
  id: z.string(),
  /** As in a config file, but for the key and the headers, which are sealed. */
  settings: unchecked,
  enabled: z.boolean(),
  /** The sealed JSON of the key and the headers; null without either. */
  sealed: nullableString,
  /** The end of the key, for people to recognise it by; null without a key. */
  keyHint: nullableString,
  headerNames: z.array(z.string()),
  createdAt: z.string(),
  updatedAt: nullableString,
});

export const modelRecordSchema = z.object({
  /** The model's id. */
  id: z.string(),
  /** As in a config file. */
  definition: unchecked,
  createdAt: z.string(),
  updatedAt: nullableString,
});

/** A provider that was set up through the API. */
export type ProviderRecord = Readonly<z.infer<typeof providerRecordSchema>>;

/** A model that was set up through the API. */
export type ModelRecord = Readonly<z.infer<typeof modelRecordSchema>>;

export type AssignmentRecord = Readonly<z.infer<typeof assignmentSchema>>;

/** An issued key. The key itself is never stored, only its SHA-256. */
export type KeyRecord = Readonly<z.infer<typeof keyRecordSchema>>;

/** A workspace with its budgets, at most one an interval, and its members. */
export interface WorkspaceRecord extends Readonly<Pick<z.infer<typeof workspaceRecordSchema>, 'id'>> {
  readonly workspace: z.infer<typeof workspaceRecordSchema>['workspace'];
  readonly budgets: readonly z.infer<typeof workspaceBudgetSchema>[];
  readonly members?: readonly Membership[] | undefined;
}

/** A member in the row of a workspace. */
export type Membership = Readonly<z.infer<typeof membershipSchema>>;

/** All tables that change rarely, as one value, for stores that persist them as such. A missing table is empty. */
export const tablesSchema = z.object({
  keys: z.array(keyRecordSchema).default([]),
  members: z.array(memberSchema).default([]),
  guardrails: z.array(guardrailSchema).default([]),
  keyAssignments: z.array(assignmentSchema).default([]),
  memberAssignments: z.array(assignmentSchema).default([]),
  workspaces: z.array(workspaceRecordSchema).default([]),
  destinations: z.array(destinationSchema).default([]),
  providers: z.array(providerRecordSchema).default([]),
  models: z.array(modelRecordSchema).default([]),
  byokKeys: z.array(byokKeyRecordSchema).default([]),
  scimGroups: z.array(groupRecordSchema).default([]),
  settings: storedSettingsSchema.default({}),
});

/** Rows are oldest first. */
export interface Tables {
  readonly keys: readonly KeyRecord[];
  readonly members: readonly z.infer<typeof memberSchema>[];
  readonly guardrails: readonly z.infer<typeof guardrailSchema>[];
  readonly keyAssignments: readonly AssignmentRecord[];
  readonly memberAssignments: readonly AssignmentRecord[];
  readonly workspaces: readonly WorkspaceRecord[];
  readonly destinations: readonly z.infer<typeof destinationSchema>[];
  readonly providers: readonly ProviderRecord[];
  readonly models: readonly ModelRecord[];
  readonly byokKeys: readonly z.infer<typeof byokKeyRecordSchema>[];
  readonly scimGroups: readonly z.infer<typeof groupRecordSchema>[];
  readonly settings: z.infer<typeof storedSettingsSchema>;
}
