import { z } from 'zod';

const MAX_FILTERS = 30;

/** What a view shows: filters and order as in the address of the list, and the columns that are hidden. Closed. */
export const viewContentsSchema = z.strictObject({
  /** Parameters of the search by their names. */
  search: z
    .record(z.string().max(40), z.string().max(2000))
    .refine((search) => Object.keys(search).length <= MAX_FILTERS, `must have at most ${MAX_FILTERS} members`),
  /** Ids of columns; null shows those that suit the width of the window. */
  hidden_columns: z.array(z.string().max(40)).max(60).nullable(),
});

/** A way to look at the list of generations. Its name identifies it. */
export const viewSchema = viewContentsSchema.extend({ name: z.string() });
export type ViewBody = z.infer<typeof viewSchema>;

export const viewResponseSchema = z.object({ data: viewSchema });

export const viewListSchema = z.object({
  /** In the order of their names. */
  data: z.array(viewSchema),
});
