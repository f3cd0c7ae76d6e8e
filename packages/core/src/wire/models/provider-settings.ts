import { z } from 'zod';

import { baseUrlSchema } from '../http-url.ts';
import { keyText } from '../secret-text.ts';

/** The wire formats of providers. */
export const WIRES = ['openai', 'openai-responses', 'anthropic', 'google', 'fal', 'replicate'] as const;
export type Wire = (typeof WIRES)[number];

const headersSchema = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/),
  z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be one line of Latin characters, as HTTP headers are'),
);

const slugText = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]*$/, 'must be letters, digits, dots, underscores or hyphens, e.g. "my-provider"');

/** A provider as an operator describes it: either a preset, or a wire and its address. */
export const providerSettingsSchema = z.strictObject({
  slug: slugText.describe('Names it in models and in routing preferences'),
  name: z.string().min(1).optional().describe('For people'),
  preset: z.string().min(1).optional().describe('A well-known provider, so that only its key need be given'),
  wire: z.enum(WIRES).optional().describe('The format it speaks'),
  baseUrl: baseUrlSchema
    .optional()
    .describe('With the version segment, e.g. http://127.0.0.1:11434/v1; {model} in it becomes the name of the model'),
  query: z.record(z.string().min(1), z.string()).default({}).describe('Added to every address: { "api-version": "…" }'),
  apiKey: keyText
    .nullable()
    .optional()
    .describe("The text itself, env:NAME or file:PATH; by default the preset's own variable"),
  headers: headersSchema.default({}).describe('Sent with every call; values may be env:NAME or file:PATH'),
  dataPolicy: z
    .strictObject({ training: z.boolean().nullable(), retainsPrompts: z.boolean().nullable() })
    .optional()
    .describe('What it does with what it is sent; null is unknown, which no privacy rule accepts'),
  responses: z
    .boolean()
    .optional()
    .describe(
      'Of the wire openai: it has /responses, too, and gets calls of that form as they came. Default: as its preset says',
    ),
  region: z.string().min(1).optional(),
  byok: z.boolean().default(false).describe('The caller pays this provider directly'),
  discoverModels: z.boolean().default(false).describe('Ask it at start which models it has, and serve them'),
});

/** The same with its defaults filled in. */
export type ProviderSettings = z.infer<typeof providerSettingsSchema>;
