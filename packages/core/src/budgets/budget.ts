import type { SpentQuery } from '../stores/store.ts';

/** A limit on what one spender may spend in one period. Each counts on its own. */
export interface Budget {
  /** How the refusal begins: `Key limit exceeded`. */
  readonly refusal: string;
  readonly code: 'payment_required' | 'permission_denied';
  /** Whom the ledger holds for. */
  readonly spender: string;
  /** The same spender to the store, from the first day of the present period. */
  readonly query: SpentQuery;
  readonly limitNanoUsd: number;
  /** Whether calls that the caller pays to the provider count, too. */
  readonly includesByok: boolean;
  /** The guardrail that sets it, where one does. */
  readonly guardrailId?: string | undefined;
  /** Time at which the sum starts from zero again, ISO 8601; null for never. */
  readonly resetsAt: string | null;
}

/** Whose spending a call counts for. */
export interface Payer {
  readonly principalId: string;
  readonly userId: string | null;
  readonly workspaceId: string;
}

/** The names of a payer's spenders in the ledger. */
export function spendersOf({ principalId, userId, workspaceId }: Payer): readonly string[] {
  const all = [ACCOUNT, `key ${principalId}`, `workspace ${workspaceId}`];
  return userId === null ? all : [...all, `member ${userId}`];
}

export const ACCOUNT = 'account';
