import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';

import { MAX_COLUMNS } from '../../../features/playground/experiment.ts';
import { ROW_TYPES } from '../../../features/playground/setup/schema-draft.ts';

// Without it zod would try whether it may make functions of text, which the content security policy reports.
z.config({ ...en(), jitless: true });

const shortText = z.string().check(z.maxLength(200));
const nullableText = z.nullable(z.string());
const nullableNumber = z.nullable(z.number());

/** Addresses that contain the bytes, of kinds that a browser shows without running anything; empty where they were left out. */
const dataUrl = z
  .string()
  .check(
    z.regex(
      /^(data:(image\/(png|jpeg|webp|gif)|audio\/[\w.+-]+|application\/pdf);base64,[\w+/=]*)?$/,
      'must be empty or a data: address of an image, audio or PDF',
    ),
  );
const base64 = z.string().check(z.regex(/^[\w+/=]*$/, 'must be base64'));

const attachment = z.object({
  name: shortText,
  kind: z.enum(['image', 'file', 'audio']),
  url: dataUrl,
  bytes: z.number(),
});

const outcome = z.object({
  status: z.enum(['done', 'stopped', 'failed']),
  model: z.string(),
  provider: nullableText,
  generationId: nullableText,
  finishReason: nullableText,
  promptTokens: nullableNumber,
  completionTokens: nullableNumber,
  costUsd: nullableNumber,
  firstTokenMs: nullableNumber,
  elapsedMs: nullableNumber,
  endedAt: nullableText,
  error: z.nullable(
    z.object({
      message: z.string(),
      status: z.number(),
      errorType: z.string(),
      issues: z.array(z.object({ path: z.string(), message: z.string() })),
    }),
  ),
  fittedTokens: z.optional(z.number()),
});

const turn = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('user'),
    id: shortText,
    text: z.string(),
    attached: z.array(attachment),
    kept: z.array(z.unknown()),
  }),
  z.object({
    type: z.literal('assistant'),
    id: shortText,
    text: z.string(),
    reasoning: z.string(),
    reasoningDetails: z.array(z.unknown()),
    toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
    images: z.array(dataUrl),
    audio: z.nullable(z.object({ format: shortText, data: base64 })),
    outcome: z.nullable(outcome),
  }),
  z.object({ type: z.literal('tool'), id: shortText, callId: z.string(), name: z.string(), text: z.string() }),
]);

const schemaDraft = z.object({
  rows: z.nullable(
    z.array(
      z.object({
        name: z.string(),
        type: z.enum(ROW_TYPES),
        isRequired: z.boolean(),
        description: z.string(),
        choices: z.string(),
      }),
    ),
  ),
  text: z.string(),
});

const setup = z.object({
  system: z.string(),
  temperature: shortText,
  topP: shortText,
  maxTokens: shortText,
  seed: shortText,
  effort: shortText,
  isStreamed: z.boolean(),
  providerSort: shortText,
  providerOnly: z.string(),
  hasFallbacks: z.boolean(),
  more: z.string(),
  tools: z.array(z.object({ name: z.string(), description: z.string(), schema: schemaDraft })),
  format: z.object({
    type: z.enum(['text', 'json_object', 'json_schema']),
    name: z.string(),
    isStrict: z.boolean(),
    schema: schemaDraft,
  }),
});

export const FILE_FORMAT = 'model-gateway.experiment';

/** An experiment as a file. */
export const experimentFileSchema = z.object({
  format: z.literal(FILE_FORMAT),
  version: z.literal(1),
  experiment: z.object({
    name: shortText,
    setup,
    columns: z
      .array(z.object({ id: shortText, model: shortText, isOriginal: z.boolean(), turns: z.array(turn) }))
      .check(z.minLength(1), z.maxLength(MAX_COLUMNS)),
    text: z.string(),
    attached: z.array(attachment),
    variables: z.optional(z.record(z.string(), z.string())),
  }),
});
