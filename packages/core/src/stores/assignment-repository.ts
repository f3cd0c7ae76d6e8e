import type { Awaitable } from '../foundation/async/awaitable.ts';
import type { AssignmentRecord } from './table-rows.ts';

/** The guardrail of a key, or of a member: at most one each. Durable like a `Repository`. */
export interface AssignmentRepository {
  /** Finds by the key's hash or the member's id. */
  get(subjectId: string): Awaitable<AssignmentRecord | undefined>;
  /** Oldest first. */
  list(): Awaitable<readonly AssignmentRecord[]>;
  /**
   * Puts all of them in the place of what their subjects had before. Those whose guardrail is gone are left out.
   * Resolves with how many were put.
   */
  assign(assignments: readonly AssignmentRecord[]): Promise<number>;
  /** Removes what of these subjects belongs to this guardrail; resolves with how many that were. */
  unassign(guardrailId: string, subjectIds: readonly string[]): Promise<number>;
}
