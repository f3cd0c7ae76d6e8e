import { z } from 'zod';

import { chatCompletionRequestSchema } from './chat-request.ts';
import { generationFilterSchema } from './generation-list.ts';
import { updateGuardrailRequestSchema } from './guardrails.ts';

/** The body of `POST /admin/v1/guardrails/{id}/test`. Closed; needs one of the two. */
export const guardrailTestRequestSchema = z
  .strictObject({
    /** What is not saved yet: the guardrail is tried as it would be with it. */
    change: updateGuardrailRequestSchema.optional(),
    request: chatCompletionRequestSchema.optional(),
    /** How many of the latest generations to go through. */
    generations: z.int().min(1).max(100).optional(),
  })
  .refine(({ request, generations }) => request !== undefined || generations !== undefined, {
    error: 'give a request, or a number of generations, or both',
  });

/** A stage in the form of the routing metadata. */
const stageSchema = z.object({
  type: z.literal('guardrail'),
  name: z.enum(['content-filter', 'regex_pi_detection']),
  guardrail_id: z.string(),
  guardrail_scope: z.enum(['api-key', 'member', 'workspace']),
  data: z.looseObject({ action: z.enum(['blocked', 'redacted', 'flagged']) }),
});

const endpointSchema = z.object({
  provider: z.string(),
  model: z.string(),
  /** The field of the guardrail that excludes it. */
  rule: z.string(),
});

/** The effect on a text: the strongest action of all filters. */
const guardrailActionSchema = z.enum(['allow', 'flag', 'redact', 'block']);

const requestResultSchema = z.object({
  action: guardrailActionSchema,
  stages: z.array(stageSchema),
  /** The messages as they would be sent; null when nothing in them would be redacted, or nothing would be sent. */
  redacted_messages: z.array(z.unknown()).nullable(),
  excluded: z.array(endpointSchema),
  /** How many endpoints would be left. */
  endpoints_left: z.int(),
});

const generationResultSchema = z.object({
  id: z.string(),
  model: z.string(),
  created_at: z.string(),
  /** Null when the content was not stored, so that the effect is unknown. */
  input: z.object({ action: guardrailActionSchema, stages: z.array(stageSchema) }).nullable(),
  output: z.object({ action: guardrailActionSchema, stages: z.array(stageSchema) }).nullable(),
  /** Why the endpoint that served it would not have; null when it would, or is no longer there. */
  excluded: endpointSchema.nullable(),
});

/** The response: the effects that the guardrail would have had. Generations without any effect are only counted. */
export const guardrailTestResultSchema = z.object({
  data: z.object({
    request: requestResultSchema.nullable(),
    generations: z
      .object({
        tested: z.int(),
        without_content: z.int(),
        blocked: z.int(),
        redacted: z.int(),
        flagged: z.int(),
        excluded: z.int(),
        results: z.array(generationResultSchema),
      })
      .nullable(),
  }),
});

export type GuardrailTestResult = z.infer<typeof guardrailTestResultSchema>['data'];

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
    /** Calls whose texts are not stored: filters could not be tried on them. */
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
