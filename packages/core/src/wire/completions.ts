import { z } from 'zod';

import { usageSchema } from './chat-chunk.ts';
import { chatCompletionRequestSchema } from './chat-request.ts';
import { routingMembersSchema } from './routing.ts';

const refused = (problem: string): z.ZodType<null | undefined> => z.null({ error: problem }).optional();

/**
 * The body of `POST /completions` as far as it is translated. Any other field has the name and form that it has in chat
 * completions.
 */
export const completionsRequestSchema = z.looseObject({
  prompt: z.union([z.string(), z.array(z.string()).length(1, 'must have one text: send a request for each')], {
    error: 'must be a text; tokens and several texts are not supported',
  }),
  suffix: refused('is not supported: a chat model cannot fill in before a text'),
  echo: z.literal(false, { error: 'is not supported: put the prompt in front of the completion yourself' }).nullish(),
  best_of: z.literal(1, { error: 'is not supported: send a request for each completion' }).nullish(),
  logprobs: refused('is not supported: chat completions have `logprobs`'),
});

const { messages: _, ...sharedFields } = chatCompletionRequestSchema.shape;

/** The body of `POST /completions` with all its fields. */
export const documentedCompletionsRequestSchema = z.looseObject({
  ...sharedFields,
  ...completionsRequestSchema.shape,
});

const choiceSchema = z.looseObject({
  text: z.string(),
  index: z.int(),
  logprobs: z.null(),
  finish_reason: z.string().nullable(),
  native_finish_reason: z.string().nullable(),
  reasoning: z.string().optional(),
});

/** The response of `POST /completions` without `stream`, and a chunk of one with it. */
export const textCompletionSchema = z.looseObject({
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int(),
  model: z.string(),
  provider: z.string(),
  choices: z.array(choiceSchema),
  usage: usageSchema.optional(),
  ...routingMembersSchema.shape,
});

export const textCompletionEventSchema = z
  .object({ data: textCompletionSchema })
  .describe('One server-sent event. The data of the last one is [DONE].');
