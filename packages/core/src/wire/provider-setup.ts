import { z } from 'zod';

import { baseUrlSchema, isMask, keyText } from './fields.ts';
import { layerFindingSchema, streamsFindings } from './providers.ts';

/** The wire formats of providers. */
export const WIRES = [
  'openai',
  'openai-responses',
  'anthropic',
  'google',
  'fal',
  'replicate',
  'elevenlabs',
  'deepgram',
  'bedrock',
] as const;
export type Wire = (typeof WIRES)[number];

const headersSchema = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/),
  z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be one line of Latin characters, as HTTP headers are'),
);

const slugText = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]*$/, 'must be letters, digits, dots, underscores or hyphens, e.g. "my-provider"');

/** Numbers of one key, all of which have a default. */
const keyNumbers = {
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

const keysOf = <Key extends z.ZodType<string, string | undefined>>(key: Key) =>
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

const {
  slug,
  name,
  preset,
  wire,
  package: packageName,
  factory,
  baseUrl,
  query,
  apiKey,
  headers,
  dataPolicy,
  responses,
  region,
  byok,
  discoverModels,
  batches,
  batchPriceShare,
} = providerSettingsSchema.shape;

/** The settings of a stored provider: of keys that are sealed, only their ends. */
export const storedProviderSettingsSchema = providerSettingsSchema.extend({ apiKeys: keysOf(z.string()).optional() });

const NO_REFERENCES = 'must be the secret itself: env:NAME and file:PATH are for config files alone';
const isNoReference = (text: string | null | undefined): boolean => !/^(?:env|file):/.test(text ?? '');
const setUpKey = apiKey.refine(isNoReference, NO_REFERENCES);
const setUpKeys = keysOf(
  z
    .union([keyText.refine(isNoReference, NO_REFERENCES), z.literal(''), z.string().refine(isMask)])
    .default('')
    .describe('The key itself, never shown again; if absent, or as it is shown, the saved key of this name stays'),
).optional();
const headerName = headers.unwrap().keyType;
const headerValue = headers.unwrap().valueType.refine(isNoReference, NO_REFERENCES);

/**
 * Options of a package, which are shown: what is secret is the key or a header. They are plain, because what some packages
 * take in objects names files of the machine.
 */
const setUpOptions = z.record(
  z.string().regex(/^(?!.*(?:key|token|secret|password|credential|headers))/i, {
    error: 'is not for what is secret: give it as apiKey or in headers',
  }),
  z.union([z.string().refine(isNoReference, NO_REFERENCES), z.number(), z.boolean()]),
);
const plainOptions = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** A provider that is not saved yet: the fields of a config file. */
const draft = {
  ...providerSettingsSchema.shape,
  slug: slug.optional().describe("Default: the preset's"),
  apiKey: setUpKey.describe('The key itself; null for none. Never shown again'),
  apiKeys: setUpKeys,
  headers: z.record(headerName, headerValue).default({}).describe('Never shown again'),
  options: setUpOptions.optional().describe('Given to the function of the package; shown again, so none is secret'),
};

/** The body of `POST /admin/v1/setup/providers`: the fields of a provider in a config file, and `enabled`. Closed. */
export const createProviderRequestSchema = z.strictObject({
  ...draft,
  enabled: z.boolean().default(true).describe('False: saved but not called'),
});

export type CreateProviderRequest = z.input<typeof createProviderRequestSchema>;

/** The body of `PATCH /admin/v1/setup/providers/{slug}`. Absent members stay, null removes what may be absent. Closed. */
export const updateProviderRequestSchema = z
  .strictObject({
    name: name.nullable(),
    preset: preset.nullable(),
    wire: wire.nullable(),
    package: packageName.nullable(),
    factory: factory.nullable(),
    options: setUpOptions.nullable(),
    baseUrl: baseUrl.nullable(),
    query: query.unwrap(),
    apiKey: setUpKey.describe('If absent, the saved key stays'),
    apiKeys: setUpKeys.describe('All keys of the list; those of saved names need not be given again'),
    headers: z.record(headerName, headerValue.nullable()).describe('Named headers change; null removes one'),
    dataPolicy: dataPolicy.nullable(),
    responses: responses.nullable(),
    region: region.nullable(),
    byok: byok.unwrap(),
    discoverModels: discoverModels.unwrap(),
    batches: batches.nullable(),
    batchPriceShare: batchPriceShare.nullable(),
    enabled: z.boolean(),
  })
  .partial();
export type UpdateProviderRequest = z.infer<typeof updateProviderRequestSchema>;

/** The body of `POST /admin/v1/setup/provider-tests`. Closed. */
export const testDraftRequestSchema = z.strictObject({
  provider: z
    .strictObject(draft)
    .describe('If a saved provider has the same slug and address, its key and headers need not be given'),
  model: z.string().min(1).optional().describe('One call of a few tokens is made to this model of the provider'),
  stream: streamsFindings,
});

export type TestDraftRequest = z.input<typeof testDraftRequestSchema>;

export const testDraftResponseSchema = z.object({
  data: z.object({
    ok: z.boolean(),
    /** Up to the first layer that failed. */
    findings: z.array(layerFindingSchema),
    /** What the provider lists; null when it was not asked, or lists nothing. */
    models: z
      .array(
        z.object({
          id: z.string(),
          created: z.int().optional(),
          context_length: z.int().optional(),
          /** What it reads and writes; absent where the list does not say. */
          input_modalities: z.array(z.string()).optional(),
          output_modalities: z.array(z.string()).optional(),
        }),
      )
      .nullable(),
  }),
});

export type TestDraftResult = z.infer<typeof testDraftResponseSchema>['data'];

/** Settings as in a config file, but for what is secret. */
const shownSettingsSchema = z.object({
  name: z.string().optional(),
  preset: z.string().optional(),
  wire: z.enum(WIRES).optional(),
  package: z.string().optional(),
  factory: z.string().optional(),
  /** Absent for a package of the config file, whose options may hold secrets. */
  options: plainOptions.optional(),
  baseUrl: z.string().optional(),
  query: z.record(z.string(), z.string()),
  /** Of each key, its end. */
  apiKeys: z.array(z.object({ name: z.string().optional(), key: z.string(), ...keyNumbers })).optional(),
  dataPolicy: z.object({ training: z.boolean().nullable(), retainsPrompts: z.boolean().nullable() }).optional(),
  responses: z.boolean().optional(),
  region: z.string().optional(),
  byok: z.boolean(),
  discoverModels: z.boolean(),
  batches: z.boolean().optional(),
  batchPriceShare: z.number().optional(),
});
export type ShownSettings = z.infer<typeof shownSettingsSchema>;

const providerSetupSchema = z.object({
  slug: z.string(),
  name: z.string(),
  /** `config`: of the config file, the environment or the host, and changed there alone. */
  source: z.enum(['config', 'stored']),
  enabled: z.boolean(),
  /**
   * `ready`: called. `off`: not enabled. `shadowed`: the configuration has one of the same slug, which is called.
   * `locked`: its key cannot be opened and is to be given again. `failed`: cannot be made.
   */
  status: z.enum(['ready', 'off', 'shadowed', 'locked', 'failed']),
  /** In words; null when ready or off. */
  problem: z.string().nullable(),
  /** The address that is called, its preset's where it has none of its own; null when not known. */
  address: z.string().nullable(),
  has_key: z.boolean().nullable(),
  /** The end of the key; null without one, or when it is short. */
  key_hint: z.string().nullable(),
  header_names: z.array(z.string()),
  /** Null when they cannot be read. */
  settings: shownSettingsSchema.nullable(),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
});
export type ProviderSetup = z.infer<typeof providerSetupSchema>;

export const providerSetupResponseSchema = z.object({ data: providerSetupSchema });

export const providerSetupListSchema = z.object({
  data: z.array(providerSetupSchema),
  /** Whether providers and models can be set up here. */
  editable: z.boolean(),
});

export type ProviderSetupList = z.infer<typeof providerSetupListSchema>;

export const providerPresetListSchema = z.object({
  data: z.array(
    z.object({
      /** What `preset` of a provider names. */
      id: z.string(),
      name: z.string(),
      /** The slug that a provider has by default. */
      slug: z.string(),
      wire: z.enum(WIRES),
      /** Null where every customer has an address of their own, which `baseUrl` must be. */
      base_url: z.string().nullable(),
      address_example: z.string().nullable(),
      needs_key: z.boolean(),
      /** The customary variable of its key. */
      key_variable: z.string().nullable(),
      /** Where its customers make keys; null where that is not known. */
      key_page: z.string().nullable(),
      /** Whether `discoverModels` can be true. */
      lists_models: z.boolean(),
      /** Whether it is a gateway to other providers. */
      is_gateway: z.boolean(),
      data_policy: z.object({ training: z.boolean().nullable(), retains_prompts: z.boolean().nullable() }),
    }),
  ),
});

export type ProviderPresetList = z.infer<typeof providerPresetListSchema>;

export const localServerListSchema = z.object({
  data: z.array(
    z.object({
      /** The preset that fits it. */
      preset: z.string(),
      name: z.string(),
      base_url: z.string(),
      models: z.array(z.string()),
      /** The slug of the provider that is set up with this address; null for none. */
      set_up_as: z.string().nullable(),
    }),
  ),
});
export type LocalServerList = z.infer<typeof localServerListSchema>;
