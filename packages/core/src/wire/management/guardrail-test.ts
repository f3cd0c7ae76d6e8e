import { z } from 'zod';

import { chatCompletionRequestSchema } from '../chat/chat-completion.ts';
import { updateGuardrailRequestSchema } from './guardrail.ts';

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
export const guardrailActionSchema = z.enum(['allow', 'flag', 'redact', 'block']);

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
