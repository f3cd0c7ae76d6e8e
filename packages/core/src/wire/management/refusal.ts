import { z } from 'zod';

/** The query of `GET /admin/v1/refusals`. */
export const refusalQuerySchema = z.strictObject({
  /** Hash of a key: its refusals, and those of requests without a valid key. */
  key: z.string().min(1).max(200).optional(),
  /** Came at this moment or later. */
  since: z.iso
    .datetime({ offset: true, error: 'must be a moment like 2026-03-01T00:00:00Z' })
    .transform((text) => Date.parse(text))
    .optional(),
});

const refusalSchema = z.object({
  at: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  error_type: z.string(),
  message: z.string(),
  /** Null where the request had no valid key. */
  key_hash: z.string().nullable(),
  user_agent: z.string().nullable(),
});
export type RefusalBody = z.infer<typeof refusalSchema>;

/** Newest first, at most 100. */
export const refusalListSchema = z.object({ data: z.array(refusalSchema) });
