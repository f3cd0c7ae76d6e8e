import { z } from 'zod';

/** What the budgets of a spender have more for a time. */
export const budgetRaiseSchema = z.object({
  /** `key:HASH`, `member:ID` or `workspace:ID`: every limit and budget that counts for it. */
  of: z.string(),
  add_usd: z.number(),
  /** From here on the budgets are as before; ISO 8601. */
  until: z.string(),
  created_at: z.string(),
});
export type BudgetRaise = z.infer<typeof budgetRaiseSchema>;

/** The body of `PUT /admin/v1/budget-raises/{of}`. Closed. */
export const putBudgetRaiseRequestSchema = z.strictObject({
  add_usd: z.number().gt(0).max(1_000_000_000),
  until: z.iso.datetime({ offset: true }),
});

export const budgetRaiseResponseSchema = z.object({ data: budgetRaiseSchema });
export const budgetRaiseListSchema = z.object({ data: z.array(budgetRaiseSchema) });
