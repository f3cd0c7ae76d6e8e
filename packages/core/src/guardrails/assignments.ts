import { ORGANIZATION_ID } from '../account/workspaces.ts';
import type { Platform } from '../foundation/platform.ts';
import { createUuid } from '../foundation/random-id.ts';
import type { Principal } from '../http/request.ts';
import type { AssignmentRecord, Store } from '../stores/store.ts';
import type { KeyAssignment, MemberAssignment } from '../wire/guardrails.ts';

/** New assignments of a guardrail, one a subject, made by the caller. */
export function toAssignments(
  guardrailId: string,
  subjectIds: readonly string[],
  { principal, platform }: { readonly principal: Principal; readonly platform: Platform },
): readonly AssignmentRecord[] {
  const createdAt = new Date(platform.now()).toISOString();
  return [...new Set(subjectIds)].map((subjectId) => ({
    id: createUuid(platform),
    guardrailId,
    subjectId,
    assignedBy: principal.userId ?? principal.id,
    createdAt,
  }));
}

/** The keys that a guardrail holds for, or, without one, all assignments to keys. */
export async function listKeyAssignmentBodies(
  { keys, keyAssignments }: Pick<Store, 'keys' | 'keyAssignments'>,
  guardrailId: string | undefined,
): Promise<readonly KeyAssignment[]> {
  const byHash = new Map((await keys.list()).map((key) => [key.hash, key]));
  return (await keyAssignments.list()).flatMap((assignment) => {
    const key = byHash.get(assignment.subjectId);
    if (key === undefined || !isOf(assignment, guardrailId)) return [];
    return [{ ...toCommon(assignment), key_hash: key.hash, key_name: key.name, key_label: key.label }];
  });
}

/** The members that a guardrail holds for, or, without one, all assignments to members. */
export async function listMemberAssignmentBodies(
  { memberAssignments }: Pick<Store, 'memberAssignments'>,
  guardrailId: string | undefined,
): Promise<readonly MemberAssignment[]> {
  const found = (await memberAssignments.list()).filter((assignment) => isOf(assignment, guardrailId));
  return found.map((assignment) => ({
    ...toCommon(assignment),
    user_id: assignment.subjectId,
    organization_id: ORGANIZATION_ID,
  }));
}

function isOf(assignment: AssignmentRecord, guardrailId: string | undefined): boolean {
  return guardrailId === undefined || assignment.guardrailId === guardrailId;
}

function toCommon({
  id,
  guardrailId,
  assignedBy,
  createdAt,
}: AssignmentRecord): Omit<KeyAssignment, 'key_hash' | 'key_name' | 'key_label'> {
  return { id, guardrail_id: guardrailId, assigned_by: assignedBy ?? 'unknown', created_at: createdAt };
}
