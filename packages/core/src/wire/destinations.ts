import { z } from 'zod';

import { wholeNumber } from './fields.ts';

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
const text = z.string().min(1).max(2000);
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,200}$/;
const headers = z
  .record(
    z.string(),
    z
      .string()
      .max(8000)
      .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must not contain line breaks or control characters'),
  )
  .refine((given) => Object.keys(given).every((name) => HEADER_NAME.test(name)), 'must have names of headers as keys')
  .optional();

/** The settings of each type (wire.md 18.1), in camelCase as on the public wire. Closed. */
export const DESTINATION_CONFIGS = {
  webhook: z.strictObject({ url: httpUrl, method: z.enum(['POST', 'PUT']).default('POST'), headers }),
  'otel-collector': z.strictObject({ endpoint: httpUrl, headers }),
  langfuse: z.strictObject({
    publicKey: text,
    secretKey: text,
    baseUrl: httpUrl.default('https://cloud.langfuse.com'),
    headers,
  }),
  s3: z.strictObject({
    bucketName: text,
    accessKeyId: text,
    secretAccessKey: text,
    region: text.optional(),
    endpoint: httpUrl.optional(),
    prefix: z.string().max(500).optional(),
    pathTemplate: text.optional(),
    sessionToken: text.optional(),
    headers,
  }),
  arize: z.strictObject({
    apiKey: text,
    spaceKey: text,
    modelId: text,
    baseUrl: httpUrl.default('https://otlp.arize.com'),
    headers,
  }),
  braintrust: z.strictObject({
    apiKey: text,
    projectId: text,
    baseUrl: httpUrl.default('https://api.braintrust.dev'),
    headers,
  }),
  clickhouse: z.strictObject({
    host: httpUrl,
    database: text,
    username: text,
    password: text,
    table: text.default('OPENROUTER_TRACES'),
    headers,
  }),
  datadog: z.strictObject({
    apiKey: text,
    mlApp: text,
    url: httpUrl.default('https://api.us5.datadoghq.com'),
    headers,
  }),
  grafana: z.strictObject({
    apiKey: text,
    instanceId: text,
    baseUrl: httpUrl.default('https://otlp-gateway-prod-us-west-0.grafana.net'),
    headers,
  }),
  langsmith: z.strictObject({
    apiKey: text,
    endpoint: httpUrl.default('https://api.smith.langchain.com'),
    project: text.default('main'),
    workspaceId: text.optional(),
    headers,
  }),
  newrelic: z.strictObject({ licenseKey: text, region: z.enum(['us', 'eu']).default('us'), headers }),
  opik: z.strictObject({ apiKey: text, workspace: text, projectName: text, headers }),
  posthog: z.strictObject({ apiKey: text, endpoint: httpUrl.default('https://us.i.posthog.com'), headers }),
  sentry: z.strictObject({ dsn: httpUrl, otlpEndpoint: httpUrl, headers }),
  snowflake: z.strictObject({
    account: z.string().regex(/^[\w.-]{1,200}$/, 'must be the identifier of the account, e.g. org-name'),
    token: text,
    database: text.default('SNOWFLAKE_LEARNING_DB'),
    schema: text.default('PUBLIC'),
    table: text.default('OPENROUTER_TRACES'),
    warehouse: text.default('COMPUTE_WH'),
    headers,
  }),
  weave: z.strictObject({
    apiKey: text,
    entity: text,
    project: text,
    baseUrl: httpUrl.default('https://trace.wandb.ai'),
    headers,
  }),
} as const;
export type DestinationType = keyof typeof DESTINATION_CONFIGS;

const TYPES = Object.keys(DESTINATION_CONFIGS) as [DestinationType, ...DestinationType[]];

const FIELDS = [
  'model',
  'provider',
  'session_id',
  'user_id',
  'api_key_name',
  'finish_reason',
  'input',
  'output',
  'total_cost',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
] as const;
const OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'regex',
  'starts_with',
  'ends_with',
  'gt',
  'lt',
  'gte',
  'lte',
  'exists',
  'not_exists',
] as const;

const filterRulesSchema = z.strictObject({
  enabled: z.boolean().default(true),
  groups: z
    .array(
      z.strictObject({
        logic: z.enum(['and', 'or']).default('and'),
        rules: z
          .array(
            z.strictObject({
              field: z.enum(FIELDS),
              operator: z.enum(OPERATORS),
              value: z.union([z.string().max(2000), z.number()]).optional(),
            }),
          )
          .max(50),
      }),
    )
    .max(50),
});

const settingsSchema = z.object({
  name: z.string().min(1).max(200),
  enabled: z.boolean(),
  /** Prompts and completions are not sent. */
  privacy_mode: z.boolean(),
  /** The share of sessions that is sent. */
  sampling_rate: z.number().min(0.0001).max(1),
  /** Only calls of these keys; null means of all. */
  api_key_hashes: z.array(z.string().min(1).max(200)).min(1).max(1000).nullable(),
  filter_rules: filterRulesSchema.nullable(),
  broadcast_generation_cost: z.boolean(),
  broadcast_generation_identity: z.boolean(),
  broadcast_generation_request_context: z.boolean(),
  /** It gets the metrics of the gateway, this often; null: not at all. */
  metrics_every_seconds: z.int().min(10).max(3600).nullable(),
  /** Whether it gets the audit log, too. What is sent of calls does not matter to it. */
  audit_log: z.boolean(),
  regions: z
    .array(z.enum(['global', 'europe', 'us', 'eu']).transform((region) => (region === 'eu' ? 'europe' : region)))
    .min(1),
});

/** A destination of broadcasts in its stored form: with its secrets, which are never returned. */
export const destinationSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  type: z.enum(TYPES),
  ...settingsSchema.shape,
  regions: z.array(z.enum(['global', 'europe', 'us'])),
  /** Absent means no. */
  audit_log: z.boolean().optional(),
  /** Absent means null. */
  metrics_every_seconds: z.int().nullable().optional(),
  config: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Destination = z.infer<typeof destinationSchema>;

/** The body of `PATCH /observability/destinations/{id}`: what is left out stays, in `config` too, where null takes a field away. Closed. */
export const updateDestinationRequestSchema = z.strictObject({
  ...settingsSchema.partial().shape,
  config: z.record(z.string(), z.unknown()).optional(),
});

/** The body of `POST /observability/destinations`. Its `config` is checked by its type. Closed. */
export const createDestinationRequestSchema = updateDestinationRequestSchema.extend({
  type: z.enum(TYPES, { error: `is not an available type; available are: ${TYPES.join(', ')}` }),
  name: settingsSchema.shape.name,
  config: z.record(z.string(), z.unknown()),
  workspace_id: z.string().optional(),
});

export const destinationResponseSchema = z.object({ data: destinationSchema });
export const destinationListSchema = z.object({ data: z.array(destinationSchema), total_count: z.int() });

const MAX_LIMIT = 1000;

/** The query of `GET /admin/v1/destinations/deliveries`. */
export const broadcastDeliveriesQuerySchema = z.object({
  /** Default: both. `failed`: no further attempts are made. */
  state: z.enum(['waiting', 'failed']).optional(),
  destination_id: z.string().optional(),
  limit: wholeNumber(1, MAX_LIMIT).default(100),
});

const broadcastDeliverySchema = z.object({
  id: z.string(),
  destination_id: z.string(),
  generation_ids: z.array(z.string()),
  state: z.enum(['waiting', 'failed']),
  attempts: z.int(),
  /** In a few words, without addresses. */
  last_result: z.string().nullable(),
  /** Null when there will be none. */
  next_attempt_at: z.string().nullable(),
  created_at: z.string(),
});
export type BroadcastDeliveryBody = z.infer<typeof broadcastDeliverySchema>;

export const broadcastDeliveryResponseSchema = z.object({ data: broadcastDeliverySchema });

const sendingSchema = z.object({
  /** What has not been delivered yet. */
  queued: z.int(),
  last_delivered_at: z.string().nullable(),
  last_failed_at: z.string().nullable(),
  /** In a few words, without addresses. */
  last_failure: z.string().nullable(),
});

export const broadcastDeliveryListSchema = z.object({
  data: z.array(broadcastDeliverySchema),
  total_count: z.int(),
  /** How destinations that are on have done since this process began. */
  destinations: z.array(
    z.object({
      destination_id: z.string(),
      /** Generations that have not been delivered yet, without failed ones. */
      queued: z.int(),
      last_delivered_at: z.string().nullable(),
      last_failed_at: z.string().nullable(),
      last_failure: z.string().nullable(),
      /** The same of the audit log, whose records wait; null where it is not sent there. */
      audit: sendingSchema.nullable(),
      /** The same of the metrics of the process that responds; null where they are not sent there. Nothing waits. */
      metrics: sendingSchema.nullable(),
    }),
  ),
});
export type BroadcastDeliveryList = z.infer<typeof broadcastDeliveryListSchema>;

export const destinationTestSchema = z.object({
  data: z.object({
    success: z.boolean(),
    /** In a few words, without addresses. */
    result: z.string(),
    duration_ms: z.int(),
  }),
});
export type DestinationTest = z.infer<typeof destinationTestSchema>;
