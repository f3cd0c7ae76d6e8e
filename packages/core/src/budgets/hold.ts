/** The largest possible cost of a call. Billionths of a dollar. */
export interface WorstCase {
  /** Largest cost at the endpoints that the account pays for; null when there are none. */
  readonly creditsNanoUsd: number | null;
  /** Largest cost at any endpoint. */
  readonly anyNanoUsd: number;
}

/** The amount that is held for one call until its cost is recorded. */
export interface Hold extends WorstCase {
  /** Id of the generation that will contain the cost. */
  readonly id: string;
  /** All principals whose budgets the call counts against. */
  readonly spenders: readonly string[];
}
