import { z } from 'zod';

/** That a guardrail holds for a key (wire.md 16.3). */
export const keyAssignmentSchema = z.object({
  id: z.string(),
  guardrail_id: z.string(),
  key_hash: z.string(),
  key_name: z.string(),
  key_label: z.string(),
  /** The member who made it; for a key without an owner, the id of the key. */
  assigned_by: z.string(),
  created_at: z.string(),
});
export type KeyAssignment = z.infer<typeof keyAssignmentSchema>;

/** That a guardrail holds for a member, whichever key they use. */
export const memberAssignmentSchema = z.object({
  id: z.string(),
  guardrail_id: z.string(),
  user_id: z.string(),
  organization_id: z.string(),
  assigned_by: z.string(),
  created_at: z.string(),
});
export type MemberAssignment = z.infer<typeof memberAssignmentSchema>;

const ids = z.array(z.string().min(1).max(200)).min(1).max(1000);

/** The keys to assign or unassign, at least one. Closed. */
export const keyHashesSchema = z.strictObject({ key_hashes: ids });
export const memberUserIdsSchema = z.strictObject({ member_user_ids: ids });

export const assignedSchema = z.object({ assigned_count: z.int() });
export const unassignedSchema = z.object({ unassigned_count: z.int() });
export const keyAssignmentListSchema = z.object({ data: z.array(keyAssignmentSchema), total_count: z.int() });
export const memberAssignmentListSchema = z.object({ data: z.array(memberAssignmentSchema), total_count: z.int() });
