import { z } from 'zod';

import { traceSchema } from './fields.ts';
import { providerPreferencesSchema } from './routing.ts';
import { SPEECH_FORMATS } from './values.ts';

/** Base64 of a voice to speak with. */
const MAX_REFERENCE_LENGTH = 20 * 1024 * 1024;

const referenceSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('input_audio'),
    input_audio: z.object({ data: z.string().min(1).max(MAX_REFERENCE_LENGTH), format: z.string().optional() }),
  }),
  z.object({ type: z.literal('text'), text: z.string().max(10_000) }),
]);

/** Options for single providers, by their slugs. */
export const providerOptionsSchema = providerPreferencesSchema.extend({
  options: z.record(z.string(), z.record(z.string(), z.unknown())).nullish(),
});

/** The body of `POST /audio/speech`. */
export const speechRequestSchema = z.object({
  model: z.string().min(1),
  input: z.string().min(1),
  voice: z.string().min(1).nullish(),
  /** How to speak, in words; OpenAI's field. */
  instructions: z.string().nullish(),
  response_format: z.enum(SPEECH_FORMATS).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  /** A voice to speak with: a recording, and what is said in it. */
  input_references: z.array(referenceSchema).max(2).nullish(),
  /** Bytes as they come are what there is: OpenAI's events are refused. */
  stream_format: z.literal('audio').nullish(),
  provider: providerOptionsSchema.nullish(),
  session_id: z.string().max(256).nullish(),
  user: z.string().nullish(),
  trace: traceSchema.nullish(),
});
export type SpeechRequest = z.infer<typeof speechRequestSchema>;
