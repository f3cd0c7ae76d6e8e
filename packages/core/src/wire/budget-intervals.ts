/** Ordered from the narrowest to the broadest; a lifetime budget never resets. */
export const BUDGET_INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
export type BudgetInterval = (typeof BUDGET_INTERVALS)[number];
