import { z } from 'zod';

/**
 * A whole number in a query. `Number` alone would take an empty text for 0, and `1e2` for 100; the schema of a number
 * remains one in the OpenAPI description.
 */
export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    (text) => (typeof text === 'string' && /^-?\d{1,15}$/.test(text) ? Number(text) : text),
    z.int('must be a whole number').min(min).max(max),
  );

/** The same for a number that may have decimals. */
export const decimalNumber = (min: number) =>
  z.preprocess(
    (text) => (typeof text === 'string' && text.trim() !== '' ? Number(text) : text),
    z.number('must be a number').min(min),
  );

/** The rows of a list: from `offset` (default 0), at most `limit` (1 to 100, default 50; wire.md 2). */
export const pageQuerySchema = z.object({
  offset: wholeNumber(0).default(0),
  limit: wholeNumber(1, 100).default(50),
});
export type PageQuery = z.infer<typeof pageQuerySchema>;

/** The same for a list that can be narrowed to a workspace; without one it shows the default workspace. */
export const workspacePageQuerySchema = pageQuerySchema.extend({ workspace_id: z.string().optional() });

/** The response to a write that removed something. */
export const deletedSchema = z.object({ deleted: z.literal(true) });

/** One page of a list, in the form of every list on the wire; past the end it is empty. */
export function toPage<Row>(
  rows: readonly Row[],
  { offset, limit }: PageQuery,
): { readonly data: readonly Row[]; readonly total_count: number } {
  return { data: rows.slice(offset, offset + limit), total_count: rows.length };
}
