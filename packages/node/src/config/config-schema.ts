import {
  DATA_REGIONS,
  DEFAULT_TIMEOUTS,
  DEFAULT_WRONG_KEYS_PER_ADDRESS,
  findWebhookSecretProblem,
} from '@model-gateway/core';
import * as z from '@model-gateway/core/foundation/zod';
import { baseUrlSchema, httpUrlSchema, keyText, providerSettingsSchema, secretText } from '@model-gateway/core/setup';
import { configuredModelSchema } from '@model-gateway/core/wire/model-definition';

import { accountSchema, MAX_TIMER_MS, routingSchema } from './account-config.ts';
import { moduleEntrySchema, moduleFields } from './module-config.ts';
import { addressRange, signInSchema, tokenIssuerSchema } from './sign-in-config.ts';

const milliseconds = (defaultMs: number) => z.int().min(1).max(MAX_TIMER_MS).default(defaultMs);

/** Any scheme, because browser extensions and desktop shells have their own. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/i;

const serverSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on; loopback keeps other machines out'),
  port: z.int().min(0).max(65_535).default(8855).describe('0 picks a free port'),
  publicUrl: baseUrlSchema
    .nullable()
    .default(null)
    .describe('Where clients reach the gateway, if not at host and port'),
  trustedProxies: z.array(addressRange).default([]).describe('Proxies whose X-Forwarded-* headers are trusted'),
  bodyLimitMb: z.number().positive().max(1024).default(32),
  bodyMemoryMb: z
    .number()
    .positive()
    .optional()
    .describe('What bodies beyond 8 MB may have together; default: 512, or four bodies of the largest size'),
  allowedOrigins: z
    .array(z.string().regex(ORIGIN, 'must be an origin without a path, e.g. "https://app.example"'))
    .default([])
    .describe('Web pages from these origins may call the gateway in a browser'),
});

/** Who may call. */
export const authSchema = z.strictObject({
  bootstrapKeys: z
    .array(
      z.strictObject({
        key: keyText,
        kind: z.enum(['api', 'management']).default('api'),
        name: z.string().min(1).default('bootstrap'),
      }),
    )
    .default([])
    .describe('Keys that are valid while they are listed here; never stored'),
  wrongKeysPerAddress: z
    .int()
    .min(0)
    .nullable()
    .default(DEFAULT_WRONG_KEYS_PER_ADDRESS)
    .describe('Wrong keys from one address before more get 429 with a growing wait; null for no limit'),
  jwt: z.array(tokenIssuerSchema).default([]).describe('Issuers whose JWTs are taken in the place of API keys'),
});

/** Fewer than the store itself needs: one that listens, one that writes, one that reads and one to spare. */
const MIN_CONNECTIONS = 4;

/** The address of an engine, which may hold a password: it is shown in no message. */
const addressText = (example: string, form: RegExp) =>
  secretText('Connection address').regex(form, `must be an address such as ${example}`);

/** Where the gateway keeps what it knows. */
export const storeSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('json').default('json'),
    dir: z.string().min(1).default('./data').describe('Relative to the config file'),
  }),
  z.strictObject({
    type: z.literal('postgres'),
    url: addressText('postgres://user:password@host:5432/database', /^(?:(?:env|file):|postgres(?:ql)?:\/\/)\S+$/),
    whenDown: z
      .enum(['refuse', 'spool'])
      .default('refuse')
      .describe('New calls of keys with budgets while the database is unavailable: refused, or admitted up to a limit'),
    maxConnections: z
      .int()
      .min(MIN_CONNECTIONS)
      .max(1000)
      .default(10)
      .describe('Connections of one serve, shared by its workers'),
    notifications: z
      .enum(['listen', 'redis', 'poll'])
      .default('listen')
      .describe('How processes learn of changes by others: LISTEN, Redis (see shared), or polling twice a second'),
    dir: z.string().min(1).default('./data').describe('For the journal of generations; relative to the config file'),
  }),
  z.strictObject({ type: z.literal('memory') }),
  z.strictObject({ type: z.literal('module'), ...moduleFields }),
]);

/** Where the processes of a gateway count together. */
export const sharedSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('memory').default('memory') }),
  z.strictObject({
    type: z.literal('redis'),
    url: addressText('redis://:password@host:6379', /^(?:(?:env|file):|rediss?:\/\/)\S+$/),
    whenDown: z
      .enum(['open', 'closed'])
      .default('open')
      .describe('Rate limits while Redis is unavailable: each process counts for itself, or limited calls are refused'),
  }),
]);

const timeoutsSchema = z.strictObject({
  connectMs: milliseconds(DEFAULT_TIMEOUTS.connectMs),
  headersMs: milliseconds(DEFAULT_TIMEOUTS.headersMs),
  nonStreamMs: milliseconds(DEFAULT_TIMEOUTS.nonStreamMs),
  firstTokenMs: milliseconds(DEFAULT_TIMEOUTS.firstTokenMs),
  idleMs: milliseconds(DEFAULT_TIMEOUTS.idleMs),
  totalMs: milliseconds(DEFAULT_TIMEOUTS.totalMs),
  keepAliveMs: milliseconds(DEFAULT_TIMEOUTS.keepAliveMs),
  clientWriteMs: milliseconds(DEFAULT_TIMEOUTS.clientWriteMs),
  drainMs: milliseconds(DEFAULT_TIMEOUTS.drainMs),
});

const loggingSchema = z.strictObject({
  inputOutput: z.boolean().default(true).describe('Store prompts and completions, not only metadata'),
  acceptStore: z
    .boolean()
    .default(false)
    .describe('Accept `store: true` at /responses, which the public API refuses; responses are stored either way'),
  cacheCauses: z
    .boolean()
    .default(false)
    .describe('Find out after each call why it missed the cache of its provider, for metrics and destinations'),
  retentionDays: z.int().min(1).default(30),
  maxGenerations: z.int().min(1).default(100_000),
  maxContentMb: z.number().positive().default(8).describe('Content of a larger generation is not stored'),
});

const auditSchema = z.strictObject({
  retentionDays: z
    .int()
    .min(1)
    .max(36_500)
    .default(365)
    .describe('How long records of the audit log are kept, apart from calls'),
});

const metricsSchema = z.strictObject({
  token: keyText
    .nullable()
    .default(null)
    .describe('Admits scrapers of /metrics from other machines, in addition to management keys'),
});

const scimSchema = z.strictObject({
  token: keyText
    .nullable()
    .default(null)
    .describe('With it a directory sends people and groups to /scim/v2, which is not served without'),
});

const signingSecret = (what: string) =>
  secretText(what)
    .superRefine((text, context) => {
      const message = findWebhookSecretProblem(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .nullable()
    .default(null);

const webhooksSchema = z.strictObject({
  signingSecret: signingSecret('Signing secret'),
  previousSigningSecret: signingSecret('Also signs, while receivers switch to the new secret'),
  defaultCallbackUrl: httpUrlSchema
    .nullable()
    .default(null)
    .describe(
      'https; receives the result of every job for which neither the request nor its workspace names an address',
    ),
  allowPrivateNetwork: z
    .boolean()
    .default(false)
    .describe('Also admits loopback; applies to destinations and downloads of videos'),
});

const mailSchema = z
  .strictObject({
    host: z.string().min(1).describe('Name of the SMTP server'),
    port: z.int().min(1).max(65_535).default(587),
    security: z
      .enum(['starttls', 'tls', 'none'])
      .default('starttls')
      .describe('tls from the first byte on is usual at port 465; none sends the password in the clear'),
    user: z.string().min(1).nullable().default(null),
    password: secretText('Password').nullable().default(null),
    from: z
      .string()
      .regex(
        /^([^<>\r\n]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/,
        'must be an address, or a name and <an address>',
      )
      .describe('Sender of the mails'),
  })
  .describe('SMTP server that sends the mails of alarms');

const searchKey = { apiKey: keyText, baseUrl: baseUrlSchema.optional().describe('Default: the public address') };

const webSearchSchema = z
  .discriminatedUnion('engine', [
    z.strictObject({ engine: z.literal('searxng'), baseUrl: baseUrlSchema, apiKey: keyText.optional() }),
    z.strictObject({ engine: z.literal('brave'), ...searchKey }),
    z.strictObject({ engine: z.literal('tavily'), ...searchKey }),
    z.strictObject({ engine: z.literal('exa'), ...searchKey }),
  ])
  .describe('Search engine of the web search tool and the web plugin');

const videosSchema = z.strictObject({
  keepMb: z
    .number()
    .min(0)
    .default(2048)
    .describe('Maximum size of finished videos in the data directory; 0 fetches them from the provider each time'),
});

const s3Schema = z.strictObject({
  bucketName: z.string().min(1),
  region: z.string().min(1).default('us-east-1'),
  endpoint: baseUrlSchema.optional().describe('Address of a server other than Amazon S3'),
  accessKeyId: secretText('Access key'),
  secretAccessKey: secretText('Secret access key'),
  prefix: z.string().default('files/').describe('What names of objects begin with; the gateway uses all of these'),
});

const filesSchema = z.strictObject({
  maxMb: z.number().min(0).default(100).describe('Maximum size of an uploaded file; 0 accepts none'),
  workspaceMaxMb: z.number().min(1).default(10_240).describe('Maximum size of all files of a workspace'),
  workspaceMaxFiles: z.int().min(1).default(10_000).describe('Maximum number of files of a workspace'),
  retentionDays: z
    .int()
    .min(1)
    .max(36_500)
    .nullable()
    .default(null)
    .describe('Days until a file is deleted whose upload names no time, and results of batches; null for never'),
  downloads: z
    .boolean()
    .default(false)
    .describe('Whether uploaded files can be downloaded again; files that the gateway made always can'),
  sealed: z
    .boolean()
    .default(false)
    .describe('Whether contents are sealed before they are stored, as keys of providers are'),
  s3: s3Schema.nullable().default(null).describe('Stores the contents in a bucket; null stores them with the store'),
});

const regionSchema = z.strictObject({
  name: z.string().min(1).describe('Name, as in the region of providers and endpoints'),
  hosts: z
    .array(z.string().regex(/^(\[[\da-f:.]+\]|[\w.-]+)$/i, 'must be a host without port, e.g. "eu.gateway.example"'))
    .min(1)
    .describe('Requests to these hosts use only endpoints of the region'),
  dataRegion: z
    .enum(DATA_REGIONS)
    .optional()
    .describe(
      'Its name in records and guardrails; by default europe for eu and europe, us for us, also as a first word',
    ),
});

const rateLimitSchema = z.strictObject({
  key: z.string().min(1).default('*'),
  model: z.string().min(1).default('*'),
  requestsPerMinute: z.int().min(1).nullable().default(null),
  tokensPerMinute: z.int().min(1).nullable().default(null),
});

const catalogSchema = z.strictObject({
  update: z
    .strictObject({
      every: z
        .string()
        .regex(/^[1-9]\d{0,3}[hd]$/, 'must be a number of hours or days, e.g. "12h" or "1d"')
        .default('1d')
        .describe('Time between two comparisons'),
      from: z
        .string()
        .min(1)
        .optional()
        .describe(
          'A provider, the public address of a list of models, or a file with one; by default every provider that lists',
        ),
      provider: z.string().min(1).optional().describe('Whose prices the list of an address or a file states'),
      apply: z.literal('ask').default('ask').describe('Changes are shown in the UI, and applied by people'),
    })
    .refine(({ from = '', provider }) => !isHttpUrl(from) || provider !== undefined, {
      path: ['provider'],
      message: 'is missing: a list does not say whose prices it states',
    })
    .nullable()
    .default(null)
    .describe('Compares prices and limits of the models with lists of models; null compares when asked'),
});

const isHttpUrl = (text: string): boolean => /^https?:\/\//.test(text);

const callLimitSchema = z.strictObject({
  key: z.string().min(1).optional().describe('Name or hash of a key; * is every key, each counted separately'),
  model: z.string().min(1).optional().describe('Id of a model; * is every model, each counted separately'),
  provider: z.string().min(1).optional().describe('Slug of a provider; * is every provider, each counted separately'),
  callsUnderWay: z.int().min(1).describe('Calls at once'),
  queue: z
    .strictObject({ length: z.int().min(1).max(100_000), seconds: z.number().positive().max(3600) })
    .optional()
    .describe('How many calls may wait, and for how long. Default: none'),
});

const guardrailsSchema = z.strictObject({
  filters: z
    .array(moduleEntrySchema)
    .default([])
    .describe('Filters by code of your own, which look at every call in this order'),
});

/** A provider, or code of the operator's own that makes one. The API takes the first alone. */
const configuredProviderSchema = providerSettingsSchema.extend({
  module: moduleFields.module.optional(),
  options: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Given to the module or to the package; texts directly in it may be env:NAME or file:PATH'),
});

/** The config file (docs/configuration.md). Closed, because a misspelt field that did nothing would mislead. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  server: serverSchema.prefault({}),
  regions: z.array(regionSchema).default([]),
  auth: authSchema.prefault({}),
  signIn: signInSchema.prefault({}).describe('How members sign in as themselves'),
  scim: scimSchema.prefault({}),
  account: accountSchema.prefault({}),
  routing: routingSchema.prefault({}).describe('Defaults for calls'),
  store: storeSchema.prefault({}),
  shared: sharedSchema.prefault({}),
  timeouts: timeoutsSchema.prefault({}),
  logging: loggingSchema.prefault({}),
  audit: auditSchema.prefault({}),
  metrics: metricsSchema.prefault({}),
  webhooks: webhooksSchema.prefault({}),
  mail: mailSchema.nullable().default(null),
  videos: videosSchema.prefault({}),
  files: filesSchema.prefault({}),
  webSearch: webSearchSchema.nullable().default(null),
  rateLimits: z.array(rateLimitSchema).default([]),
  limits: z.array(callLimitSchema).default([]).describe('Limits on calls under way at once'),
  guardrails: guardrailsSchema.prefault({}),
  destinations: z
    .array(moduleEntrySchema)
    .default([])
    .describe('Destinations by code of your own, which get the record of every call'),
  providers: z.array(configuredProviderSchema).default([]),
  models: z.array(configuredModelSchema).default([]),
  catalog: catalogSchema.prefault({}),
});

/** The config file with its defaults filled in, before presets and paths are resolved. */
export type ConfigFile = z.infer<typeof configSchema>;
