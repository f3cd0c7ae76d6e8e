import { z } from 'zod';

import { generationFilterSchema } from '../generations/generation-list.ts';
import { updateGuardrailRequestSchema } from './guardrail.ts';

const MAX_EXAMPLES = 200;

/** The body of `POST /admin/v1/guardrails/dry-runs`. Closed; needs a guardrail, or a change for one that is not made yet. */
export const guardrailDryRunRequestSchema = z
  .strictObject({
    guardrail_id: z.string().min(1).max(200).optional(),
    /** What is not saved yet. */
    change: updateGuardrailRequestSchema.optional(),
    /** The calls to look at. Default: all that are recorded. */
    filter: generationFilterSchema.default({}),
    /** How many touched calls are listed. */
    examples: z.int().min(0).max(MAX_EXAMPLES).default(50),
  })
  .refine(({ guardrail_id: id, change }) => id !== undefined || change !== undefined, {
    error: 'give guardrail_id, or change, or both',
  });

/** What would have become of a call. `rerouted`: the endpoint that served it is excluded, others are not. */
const dryRunEffectSchema = z.enum(['blocked', 'redacted', 'flagged', 'rerouted', 'unserved', 'over_budget']);

/**
 * A line of the response: how far it has come. Numbers are those of all calls so far; `examples` are only those since
 * the line before. The last line is `done`.
 */
export const guardrailDryRunLineSchema = z
  .object({
    done: z.boolean(),
    looked_at: z.int(),
    /** How many the filter chose at the beginning. */
    total: z.int(),
    /** When the oldest call began that was looked at. */
    back_to: z.string().nullable(),
    /** Calls on which the guardrail would have had any effect. */
    touched: z.int(),
    blocked: z.int(),
    redacted: z.int(),
    flagged: z.int(),
    rerouted: z.int(),
    unserved: z.int(),
    /** Known in the last line. The budget is counted for each key, from the first of these calls on. */
    over_budget: z.int(),
    /** Calls whose texts nobody knows, because they are not stored: filters could not be tried on them. */
    without_content: z.int(),
    /** USD of the calls that would not have been made, and how many of them have no known cost. */
    saved_usd: z.number(),
    saved_unknown: z.int(),
    /** By the label of the filter or the field of the guardrail, the commonest first. */
    rules: z.array(z.object({ rule: z.string(), effect: dryRunEffectSchema, calls: z.int() })),
    examples: z.array(
      z.object({
        id: z.string(),
        model: z.string(),
        created_at: z.string(),
        /** USD; null when it is not known. */
        cost: z.number().nullable(),
        effects: z.array(z.object({ effect: dryRunEffectSchema, rule: z.string() })),
      }),
    ),
  })
  .describe('One line.');

export type GuardrailDryRunLine = z.infer<typeof guardrailDryRunLineSchema>;
