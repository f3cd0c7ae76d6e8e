/** A budget as all instances name it. Its limit is no part of it: that comes with each call. */
export interface SlicedBudget {
  readonly kind: 'account' | 'key' | 'member' | 'workspace';
  /** Whose it is; empty for the account. */
  readonly spenderId: string;
  /** The first day that counts, `2026-03-01` in UTC; null for all. */
  readonly since: string | null;
  /** Whether calls that the caller pays to the provider count, too. */
  readonly includesByok: boolean;
}

/** The amount of a budget that belongs to this instance. Billionths of a dollar, as everything here. */
export interface BudgetSlice {
  readonly budget: SlicedBudget;
  readonly nanoUsd: number;
}

export interface SliceRequest {
  readonly budget: SlicedBudget;
  readonly limitNanoUsd: number;
  /** What this instance has used or goes on holding: it stays in the slice, whether it fits into the limit or not. */
  readonly keepNanoUsd: number;
  /** The least amount beyond it that is of use. */
  readonly needNanoUsd: number;
  /** The amount beyond it that is asked for: at least the need. */
  readonly wantNanoUsd: number;
  /** Whether the other instances are asked for what they do not need, where there is too little. */
  readonly recalls: boolean;
}

/** What became of a request. */
export interface SliceGrant {
  /** What is kept and what was granted: the slice from now on. */
  readonly sliceNanoUsd: number;
  /** What is spent according to the store, whichever instance spent it. */
  readonly spentNanoUsd: number;
  /** The slices of the other instances, and what open video jobs hold. */
  readonly heldElsewhereNanoUsd: number;
  /** What was left of the limit beside all of this and what is kept; below zero where there is too little. */
  readonly availableNanoUsd: number;
  /** How many instances were asked for what they do not need. */
  readonly recalledFrom: number;
}

/**
 * Divides budgets among the instances at a store. At any time what is spent and the slices of all living instances
 * together are at most the limit, so that an instance may spend its slice without asking. Every method rejects while the
 * store is away. A write that comes after a later one of this instance has no effect.
 */
export interface BudgetSlices {
  /** What happens to calls with budgets while the store is away: `spool` lets them pass up to a bound. */
  readonly whenDown: 'refuse' | 'spool';
  /** How long the slices of this instance stay its own after a renewal has begun. */
  readonly lifeMs: number;
  /** Renews all slices of this instance. False where others have been given them meanwhile: then it has none. */
  renew(): Promise<boolean>;
  /** Asks for more of a budget. Resolves with null where the slices of this instance are no longer its own. */
  take(request: SliceRequest): Promise<SliceGrant | null>;
  /**
   * Makes slices as large as this: smaller to return what is free, larger only for what was spent beyond them. False
   * where the slices of this instance are no longer its own.
   */
  put(slices: readonly BudgetSlice[]): Promise<boolean>;
  /** Like `put` for one, and tells it to the instances that have asked for what this one does not need. */
  giveBack(slice: BudgetSlice): Promise<boolean>;
  /** Calls back when another instance asks for what this one does not need of a budget; the returned function ends that. */
  onRecall(listener: (budget: SlicedBudget) => void): () => void;
  /** Calls back after another instance has given back what it did not need; the returned function ends that. */
  onGivenBack(listener: (budget: SlicedBudget, instanceId: string) => void): () => void;
}
