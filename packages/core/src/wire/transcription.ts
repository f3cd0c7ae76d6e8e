import { z } from 'zod';

import { traceSchema } from './fields.ts';
import { routingMembersSchema } from './routing.ts';
import { providerOptionsSchema } from './speech.ts';
import { transcribedSegmentSchema, transcribedWordSchema } from './transcribed-parts.ts';

/** `json` is the default. The last three are OpenAI's, and come as text. */
const RESPONSE_FORMATS = ['json', 'verbose_json', 'text', 'srt', 'vtt'] as const;

/** Everything in a request for a transcription but its audio. */
export const transcriptionFieldsSchema = z.object({
  model: z.string().min(1),
  /** ISO-639-1. */
  language: z.string().min(1).max(64).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  response_format: z.enum(RESPONSE_FORMATS).nullish(),
  /** What `verbose_json` has times of; segments where it names nothing. */
  timestamp_granularities: z.array(z.enum(['word', 'segment'])).nullish(),
  /** OpenAI's: the text comes as events, while it is made where upstream can do that. */
  stream: z.boolean().nullish(),
  provider: providerOptionsSchema.nullish(),
  session_id: z.string().max(256).nullish(),
  user: z.string().nullish(),
  trace: traceSchema.nullish(),
});
export type TranscriptionFields = z.infer<typeof transcriptionFieldsSchema>;

/** The body of `POST /audio/transcriptions` as JSON. */
export const transcriptionRequestSchema = transcriptionFieldsSchema.extend({
  input_audio: z.union([
    z.object({
      /** Base64, not an address. */
      data: z.string().min(1),
      /** E.g. `wav`, `mp3`, `flac`, `m4a`, `ogg`, `webm`. */
      format: z.string().min(1),
    }),
    /** A file that was uploaded before. */
    z.object({ file_id: z.string().min(1) }),
  ]),
});

const usageSchema = z.object({
  seconds: z.number().optional(),
  input_tokens: z.int().optional(),
  output_tokens: z.int().optional(),
  total_tokens: z.int().optional(),
  /** USD; null where it is not known. */
  cost: z.number().nullish(),
  is_byok: z.boolean().optional(),
});
export type TranscriptionUsage = z.infer<typeof usageSchema>;

export const transcriptionResponseSchema = z.object({
  text: z.string(),
  usage: usageSchema.optional(),
  /** This and the following in `verbose_json` alone. */
  task: z.string().optional(),
  language: z.string().optional(),
  duration: z.number().optional(),
  segments: z.array(transcribedSegmentSchema).optional(),
  words: z.array(transcribedWordSchema).optional(),
  ...routingMembersSchema.shape,
});
export type TranscriptionResponse = z.infer<typeof transcriptionResponseSchema>;

const eventDataSchema = z.union([
  z.object({ type: z.literal('transcript.text.delta'), delta: z.string() }),
  z.object({ type: z.literal('transcript.text.done'), text: z.string(), usage: usageSchema.optional() }),
  z.object({ error: z.looseObject({ code: z.int(), message: z.string() }) }),
]);
export type TranscriptionEvent = z.infer<typeof eventDataSchema>;

/** An event of a streamed transcription, for the API document. */
export const transcriptionEventSchema = z.object({ data: eventDataSchema });
