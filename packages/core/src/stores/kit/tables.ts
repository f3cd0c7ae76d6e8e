import { z } from 'zod';

import { destinationSchema } from '../../wire/destinations/destination.ts';
import { guardrailSchema } from '../../wire/management/guardrail.ts';
import { memberSchema } from '../../wire/management/member.ts';
import { settingsChangeSchema } from '../../wire/management/settings.ts';
import { workspaceBudgetSchema, workspaceSchema } from '../../wire/management/workspace.ts';

const nullableString = z.string().nullable();

const keySchema = z.object({
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
});

const assignmentSchema = z.object({
  id: z.string(),
  guardrailId: z.string(),
  /** Hash of the key, or id of the member, that the guardrail holds for. */
  subjectId: z.string(),
  /** `Principal.id` of who made it. */
  assignedBy: nullableString,
  createdAt: z.string(),
});

const workspaceRecordSchema = z.object({
  /** The same as the workspace's. */
  id: z.string(),
  workspace: workspaceSchema,
  budgets: z.array(workspaceBudgetSchema),
});

/** Everything that changes seldom, as one value, for stores that keep it as such. A table that is missing is empty. */
export const tablesSchema = z.object({
  keys: z.array(keySchema).default([]),
  members: z.array(memberSchema).default([]),
  guardrails: z.array(guardrailSchema).default([]),
  keyAssignments: z.array(assignmentSchema).default([]),
  memberAssignments: z.array(assignmentSchema).default([]),
  workspaces: z.array(workspaceRecordSchema).default([]),
  destinations: z.array(destinationSchema).default([]),
  settings: z.object(settingsChangeSchema.shape).default({}),
});

/** An issued key. The key itself is never stored, only its SHA-256. */
export type KeyRecord = Readonly<z.infer<typeof keySchema>>;
export type AssignmentRecord = Readonly<z.infer<typeof assignmentSchema>>;
/** A workspace with its budgets, at most one an interval. */
export interface WorkspaceRecord extends Readonly<Pick<z.infer<typeof workspaceRecordSchema>, 'id'>> {
  readonly workspace: z.infer<typeof workspaceSchema>;
  readonly budgets: readonly z.infer<typeof workspaceBudgetSchema>[];
}
/** Rows are oldest first. */
export interface Tables {
  readonly keys: readonly KeyRecord[];
  readonly members: readonly z.infer<typeof memberSchema>[];
  readonly guardrails: readonly z.infer<typeof guardrailSchema>[];
  readonly keyAssignments: readonly AssignmentRecord[];
  readonly memberAssignments: readonly AssignmentRecord[];
  readonly workspaces: readonly WorkspaceRecord[];
  readonly destinations: readonly z.infer<typeof destinationSchema>[];
  readonly settings: z.infer<typeof settingsChangeSchema>;
}

export const EMPTY_TABLES: Tables = {
  keys: [],
  members: [],
  guardrails: [],
  keyAssignments: [],
  memberAssignments: [],
  workspaces: [],
  destinations: [],
  settings: {},
};
