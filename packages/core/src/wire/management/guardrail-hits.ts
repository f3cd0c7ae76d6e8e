import { z } from 'zod';

import { momentSchema } from '../generations/generation-list.ts';
import { GUARDRAIL_EFFECTS } from './guardrail-effect.ts';

/** The query of `GET /admin/v1/guardrails/hits`. Default: all guardrails, the last 24 hours. */
export const guardrailHitsQuerySchema = z.strictObject({
  /** Id of a guardrail: this one alone, with the calls that it refused. */
  guardrail: z.string().min(1).max(200).optional(),
  from: momentSchema.optional(),
  to: momentSchema.optional(),
  /** The length of a bucket. Default: hours for up to three days, days for more. */
  by: z.enum(['hour', 'day'], 'must be hour or day').optional(),
});

const effectSchema = z.enum(GUARDRAIL_EFFECTS);

/**
 * Numbers of calls. `narrowed` went on with fewer endpoints, `unserved` had none left, `over_budget` did not fit into
 * the guardrail's budget.
 */
const countsSchema = z.object({
  blocked: z.int(),
  redacted: z.int(),
  flagged: z.int(),
  narrowed: z.int(),
  unserved: z.int(),
  over_budget: z.int(),
});
export type GuardrailHitCounts = z.infer<typeof countsSchema>;

export const guardrailHitListSchema = z.object({
  /** Guardrails that did nothing in this time are left out, unless one is asked for. */
  data: z.array(
    z.object({
      guardrail_id: z.string(),
      totals: countsSchema,
      /** One for each bucket from `from` on. */
      buckets: z.array(countsSchema),
    }),
  ),
  /** Beginning of the first bucket, and end of the last one. */
  from: z.string(),
  to: z.string(),
  bucket_ms: z.int(),
  /** The latest refused calls of the guardrail that is asked for, newest first; not all of them. Never contents. */
  refusals: z
    .array(
      z.object({
        at: z.string(),
        effect: effectSchema,
        /** The label of the filter, or the field of the guardrail. */
        rule: z.string(),
        key_hash: z.string().nullable(),
        /** The name of the key; null where it has none any more. */
        key_name: z.string().nullable(),
        model: z.string().nullable(),
      }),
    )
    .optional(),
});
export type GuardrailHitList = z.infer<typeof guardrailHitListSchema>;
