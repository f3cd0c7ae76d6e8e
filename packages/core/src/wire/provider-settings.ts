import { z } from 'zod';

import { baseUrlSchema, keyText } from './fields.ts';
import { WIRES } from './values.ts';

const headersSchema = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/),
  z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be one line of Latin characters, as HTTP headers are'),
);

const slugText = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]*$/, 'must be letters, digits, dots, underscores or hyphens, e.g. "my-provider"');

/** Numbers of one key, all of which have a default. */
export const keyNumbers = {
  weight: z
    .number()
    .positive()
    .max(1000)
    .optional()
    .describe('Its share of the calls, relative to the others. Default: 1'),
  requestsPerMinute: z.int().min(1).optional().describe('Default: no limit'),
  tokensPerMinute: z.int().min(1).optional().describe('Default: no limit'),
  callsUnderWay: z.int().min(1).optional().describe('Calls at once, of each process. Default: no limit'),
  disabled: z.boolean().optional().describe('No new calls are sent with it. Jobs that it made are still followed'),
};
const keyName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'must be letters, digits, dots, underscores or hyphens, e.g. "team-a"')
  .describe('Names the key in records and lists');

const MAX_KEYS = 100;

/** Refuses two keys of one name: records tell keys apart by their names. */
function refuseSameNames(keys: readonly { readonly name?: string | undefined }[], context: z.RefinementCtx): void {
  const names = keys.map(({ name: given }, at) => given ?? defaultKeyName(at));
  for (const [at, named] of names.entries()) {
    if (names.indexOf(named) === at) continue;
    context.addIssue({ code: 'custom', path: [at, 'name'], message: 'must be the name of one key alone' });
  }
}

/** The name of a key in a list that has none of its own. */
export const defaultKeyName = (at: number): string => `key-${at + 1}`;

export const keysOf = <Key extends z.ZodType<string, string | undefined>>(key: Key) =>
  z
    .array(z.strictObject({ name: keyName.optional(), key, ...keyNumbers }))
    .max(MAX_KEYS)
    .superRefine(refuseSameNames);
const cloudText = z.string().min(1);
/** What becomes a part of an address. */
const placeText = z.string().regex(/^[a-z\d][a-z\d:.-]*$/, 'must be small letters, digits and hyphens');

/** Who calls a provider in a cloud, in place of a key, and from where. */
const cloudSchema = z.strictObject({
  region: placeText.optional().describe('A region of AWS, e.g. eu-central-1, or a location of Vertex AI, e.g. global'),
  project: placeText.optional().describe('For Vertex AI: the id of the project'),
  profile: cloudText.optional().describe("For AWS: a profile of the shared files; by default AWS's usual places"),
  roleArn: cloudText.optional().describe('For AWS: a role that is taken on with those credentials'),
  externalId: cloudText.optional().describe('For AWS: what the owner of that role wants to be told'),
  keyFile: cloudText
    .optional()
    .describe('For Vertex AI: a file of credentials; by default the application default credentials'),
  clientId: cloudText.optional().describe('For Azure: which managed or workload identity, where there are several'),
  tenantId: cloudText.optional().describe('For Azure: the tenant'),
});
export type CloudSettings = z.infer<typeof cloudSchema>;

/** A name as npm has it, and what may follow it for a part of the package. Neither a path nor an address. */
const PACKAGE = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/;

/** A provider as an operator describes it: a preset, a wire and its address, or a package of the AI SDK. */
export const providerSettingsSchema = z.strictObject({
  slug: slugText.describe('Name of the provider in models and routing preferences'),
  name: z.string().min(1).optional().describe('Display name'),
  preset: z.string().min(1).optional().describe('A well-known provider, so that only its key need be given'),
  wire: z.enum(WIRES).optional().describe('The wire format of its API'),
  package: z
    .string()
    .max(200)
    .regex(PACKAGE, 'must be the name of a package, e.g. "@ai-sdk/cohere"')
    .optional()
    .describe('A package of the AI SDK that calls it, installed in the folder of the config file'),
  factory: z
    .string()
    .regex(/^create\w+$/, 'must be the name of a function that makes a provider, e.g. "createCohere"')
    .optional()
    .describe('The function of the package that makes the provider. Default: the one named like the package'),
  options: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Given to that function, e.g. { "region": "us-east-1" }'),
  baseUrl: baseUrlSchema
    .optional()
    .describe('With the version segment, e.g. http://127.0.0.1:11434/v1; {model} in it becomes the name of the model'),
  query: z.record(z.string().min(1), z.string()).default({}).describe('Added to every address: { "api-version": "…" }'),
  apiKey: keyText
    .nullable()
    .optional()
    .describe("The text itself, env:NAME or file:PATH; by default the preset's own variable"),
  apiKeys: keysOf(keyText)
    .optional()
    .describe('Several keys that calls are shared among; apiKey, where it is given too, is the first of them'),
  cloud: cloudSchema
    .optional()
    .describe('For presets of clouds: the place there, and an identity in place of a key. In config files alone'),
  headers: headersSchema.default({}).describe('Sent with every call; values may be env:NAME or file:PATH'),
  dataPolicy: z
    .strictObject({ training: z.boolean().nullable(), retainsPrompts: z.boolean().nullable() })
    .optional()
    .describe('What it does with the data it receives; null is unknown, which no privacy rule accepts'),
  responses: z
    .boolean()
    .optional()
    .describe(
      'For the wire openai: it also has /responses, and calls in that format are passed on untranslated. Default: from the preset',
    ),
  region: z.string().min(1).optional(),
  byok: z.boolean().default(false).describe('The caller pays this provider directly'),
  discoverModels: z.boolean().default(false).describe('List its models at start, and serve them'),
  batches: z
    .boolean()
    .optional()
    .describe('Lines of batches go to its own batch API. Default: where it is OpenAI, Anthropic or Google'),
  batchPriceShare: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('What a call costs in its batch API, as a share of its price; 0.5 by default'),
});

/** The same with its defaults filled in. */
export type ProviderSettings = z.infer<typeof providerSettingsSchema>;

/** The settings of a stored provider: of keys that are sealed, only their ends. */
export const storedProviderSettingsSchema = providerSettingsSchema.extend({ apiKeys: keysOf(z.string()).optional() });
