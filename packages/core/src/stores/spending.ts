/** Sums of nano-dollars. */
export interface Spent {
  readonly creditsNanoUsd: number;
  /** Paid to providers directly, not to the account. */
  readonly byokNanoUsd: number;
}

/** What one spender spent on a day, or, with the day `''`, before the days that are told apart. */
export interface SpendingSum extends Spent {
  readonly kind: 'account' | 'key' | 'member' | 'workspace';
  /** `''` for the account, which everything counts for. */
  readonly id: string;
  readonly day: string;
}

/** The spender of a query: all, unless one of the first three is given. */
export interface SpentQuery {
  readonly principalId?: string | undefined;
  readonly userId?: string | undefined;
  readonly workspaceId?: string | undefined;
  /** The first day that counts, by the day a generation began in UTC: `2026-03-01`, at most 31 days ago. Default: ever. */
  readonly since?: string | undefined;
}
