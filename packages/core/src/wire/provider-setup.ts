import { z } from 'zod';

import { isMask, keyText } from './fields.ts';
import { keyNumbers, keysOf, providerSettingsSchema } from './provider-settings.ts';
import { layerFindingSchema, streamsFindings } from './providers.ts';
import { WIRES } from './values.ts';

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
  /** The keys, each as its end. */
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
