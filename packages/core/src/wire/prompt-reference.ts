import { z } from 'zod';

import { chatCompletionRequestSchema } from './chat-request.ts';

/** What a call names a stored prompt by, in chats and in OpenAI's responses. */
export const promptReferenceSchema = z.object({
  prompt: z.strictObject({
    id: z.string().min(1).max(64),
    /** Default: the current one. */
    version: z.union([z.int().min(1), z.string().regex(/^\d{1,9}$/, 'must be the number of a version')]).nullish(),
    /** A value for each name that stands in double braces. */
    variables: z
      .record(
        z.string(),
        z.union([z.string(), z.object({ type: z.literal('input_text'), text: z.string() })], {
          error: 'must be a text, or { type: "input_text", text }',
        }),
      )
      .nullish(),
  }),
});

/** The body of `POST /chat/completions` with all its fields: the messages may be those of a stored prompt alone. */
export const documentedChatRequestSchema = chatCompletionRequestSchema.extend({
  messages: chatCompletionRequestSchema.shape.messages.optional(),
  prompt: promptReferenceSchema.shape.prompt.optional(),
});
