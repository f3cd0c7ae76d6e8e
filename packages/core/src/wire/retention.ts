import { z } from 'zod';

const MAX_DAYS = 3650;
const days = z.int().min(1).max(MAX_DAYS);

/** How long is kept, as a store has it. Null is what the configuration says. */
export const storedRetentionSchema = z.object({
  days: z.int().nullable(),
  /** Null is as long as the records. */
  content_days: z.int().nullable(),
  /** The days of the audit log. Absent is null. */
  audit_days: z.int().nullable().optional(),
});

/** The query of `GET /admin/v1/retention`: limits to try. */
export const retentionQuerySchema = z.strictObject({
  days: z.coerce.number().pipe(days).optional(),
  content_days: z.coerce.number().pipe(days).optional(),
});

/** The body of `PUT /admin/v1/retention`. Closed. */
export const retentionRequestSchema = z.strictObject({
  days: days.nullable().default(null),
  content_days: days.nullable().default(null),
  /** Absent: as before. Null: what the configuration says. */
  audit_days: days.nullable().optional(),
});

/** The response of `GET` and `PUT /admin/v1/retention`. */
export const retentionResponseSchema = z.object({
  data: z.object({
    /** Days that records are kept; null is for ever. */
    days: z.int().nullable(),
    /** Days that prompts and responses are kept; null is for ever. */
    content_days: z.int().nullable(),
    /** What was stored by `PUT`, which comes before the configuration. */
    stored: storedRetentionSchema,
    /** The days of the configuration; null is for ever. */
    configured_days: z.int().nullable(),
    /** Days that the audit log is kept; null is for ever, or where there is none that drops by age. */
    audit_days: z.int().nullable(),
    /** Those of the configuration; null where they cannot be changed. */
    configured_audit_days: z.int().nullable(),
    /** Whether it can be changed: the store has to drop by age. */
    changeable: z.boolean(),
    /** Whether nothing is deleted for now, because the clock has leapt ahead. */
    held: z.boolean(),
    /** What the limits of the query, or else those that apply, would delete now; null where the store cannot tell. */
    would_delete: z.object({ generations: z.int(), contents: z.int(), content_bytes: z.int() }).nullable(),
  }),
});
export type Retention = z.infer<typeof retentionResponseSchema>['data'];
