import { z } from 'zod';

import { workspaceBudgetSchema, workspaceSchema } from '../wire/management/workspace.ts';

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
  workspace: workspaceSchema.partial({ default_callback_url: true, disabled_server_tools: true }),
  budgets: z.array(workspaceBudgetSchema),
});

export type AssignmentRecord = Readonly<z.infer<typeof assignmentSchema>>;

/** An issued key. The key itself is never stored, only its SHA-256. */
export type KeyRecord = Readonly<z.infer<typeof keyRecordSchema>>;

/** A workspace with its budgets, at most one an interval. */
export interface WorkspaceRecord extends Readonly<Pick<z.infer<typeof workspaceRecordSchema>, 'id'>> {
  readonly workspace: z.infer<typeof workspaceRecordSchema>['workspace'];
  readonly budgets: readonly z.infer<typeof workspaceBudgetSchema>[];
}
