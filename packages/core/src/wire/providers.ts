import { z } from 'zod';

const count = z.int();
const milliseconds = z.number().nullable();

/** Why an attempt at a provider failed. */
const FAILURE_KINDS = [
  'rate_limited',
  /** It refused the gateway's key or account. */
  'key_refused',
  /** It does not serve the model. */
  'not_found',
  'timeout',
  /** No response. */
  'connection',
  /** Overload, a 5xx, and what made no sense. */
  'server_error',
  /** After the first output. */
  'broke_off',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** Figures of attempts at a provider or an endpoint. */
const figuresSchema = z.object({
  /** All attempts. */
  calls: count,
  ok: count,
  /** The sum of `failures`. */
  failed: count,
  /** Without what did not occur. */
  failures: z.partialRecord(z.enum(FAILURE_KINDS), count),
  /** Mistakes of callers, moderation included: they say nothing of the provider. */
  refused: count,
  /** Callers who left before the first output. */
  abandoned: count,
  /** Per cent of calls that did not fail; limits of the rate, `refused` and `abandoned` count neither way. Null without calls. */
  uptime: z.number().nullable(),
  /** Milliseconds to the first output: of a response in one piece to its end. */
  latency_p50: milliseconds,
  latency_p95: milliseconds,
  /** Measured on streams alone. */
  first_token_p50: milliseconds,
  first_token_p95: milliseconds,
  /** USD, of the calls that it was asked for last. */
  cost: z.number(),
  /** How often the circuit opened, by its rule for these calls. */
  openings: count,
});
export type ProviderHistoryFigures = z.infer<typeof figuresSchema>;

const bucketSchema = figuresSchema.extend({ start: z.string() });
export type ProviderHistoryBucket = z.infer<typeof bucketSchema>;

const lastErrorSchema = z.object({
  /** When its call began. */
  at: z.string(),
  generation_id: z.string(),
  model: z.string(),
  kind: z.enum(FAILURE_KINDS),
  code: count,
  error_type: z.string(),
  /** Upstream's HTTP status; null when there was no response. */
  status: count.nullable(),
  /** Null where contents are not stored. */
  message: z.string().nullable(),
});
export type ProviderLastError = z.infer<typeof lastErrorSchema>;

const historySchema = z.object({
  totals: figuresSchema,
  /** When the latest call within the span was made. */
  last_called_at: z.string().nullable(),
  /** How that ended: null where that says nothing of the provider. */
  last_call_failed: z.boolean().nullable(),
  last_error: lastErrorSchema.nullable(),
});

const namedHistorySchema = historySchema.extend({
  slug: z.string(),
  name: z.string(),
  /** As many as fit into the span, those without calls too. */
  buckets: z.array(bucketSchema),
});

const INTERVALS = ['minute', 'hour', 'day'] as const;

const spanSchema = z.object({ from: z.string(), to: z.string(), interval: z.enum(INTERVALS) });

/** `GET /admin/v1/providers/history`. */
export const providerHistoryListSchema = spanSchema.extend({ data: z.array(namedHistorySchema) });
export type ProviderHistoryList = z.infer<typeof providerHistoryListSchema>;

/** `GET /admin/v1/providers/{slug}/history`. */
export const providerHistorySchema = spanSchema.extend({
  data: namedHistorySchema.extend({
    /** The values with the most calls first. */
    endpoints: z.array(
      historySchema.extend({
        /** Null for calls of which no endpoint was recorded. */
        endpoint_id: z.string().nullable(),
        model: z.string(),
      }),
    ),
  }),
});
export type ProviderHistory = z.infer<typeof providerHistorySchema>;

const moment = z.iso
  .datetime({ offset: true, error: 'must be a time, e.g. 2026-03-01T00:00:00Z' })
  .transform((text) => Date.parse(text));

/** The query of both. The span is widened to whole intervals, in UTC; by default it is the last 24 hours. */
export const providerHistoryQuerySchema = z.strictObject({
  from: moment.optional(),
  to: moment.optional(),
  interval: z.enum(INTERVALS, `must be one of ${INTERVALS.join(', ')}`).default('hour'),
});
export type ProviderHistoryQuery = z.infer<typeof providerHistoryQuerySchema>;

/**
 * `ready`: gets its share of the calls. `failing`: its circuit is open, so that others come first. `resting`: the
 * provider has refused it for a time. `busy`: as many calls are under way as it may have. `disabled`: the provider does
 * not know it, or it has no credit left. `off`: the operator has disabled it.
 */
export const KEY_STATES = ['ready', 'failing', 'resting', 'busy', 'disabled', 'off'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** One of several keys of a provider, as this process knows it. Never the key. */
const keyStateSchema = z.object({
  name: z.string(),
  /** The beginning of its SHA-256. */
  fingerprint: z.string(),
  weight: z.number(),
  limits: z.object({
    requests_per_minute: count.nullable(),
    tokens_per_minute: count.nullable(),
    calls_under_way: count.nullable(),
  }),
  state: z.enum(KEY_STATES),
  /** Until when it rests; null unless it does. */
  rests_until: z.string().nullable(),
  /** The status by which the provider refused it, and when; null unless it is disabled. */
  disabled: z.object({ status: count, at: z.string() }).nullable(),
  under_way: count,
  /** Since the process began; so are the others below. */
  calls: count,
  failed: count,
  tokens: count,
  /** USD. */
  cost: z.number(),
  last_error: z.object({ at: z.string(), status: count.nullable(), code: z.string(), message: z.string() }).nullable(),
});
export type ProviderKeyState = z.infer<typeof keyStateSchema>;

export const providerKeyResponseSchema = z.object({ data: keyStateSchema });

export const providerStateListSchema = z.object({
  data: z.array(
    z.object({
      slug: z.string(),
      name: z.string(),
      /** Null where the host does not report it. */
      host: z.string().nullable(),
      has_key: z.boolean().nullable(),
      byok: z.boolean(),
      discovers_models: z.boolean(),
      models: count,
      /**
       * The models of its list that are not served: beyond the limit of 20,000, with names of more than 256 characters, or
       * with names that cannot stand in an address. Null for none.
       */
      models_left_out: z.object({ surplus: count, long_names: count, unfit_names: count }).nullable(),
      health: z.object({
        /** `down` when every endpoint that was called before is `open`, `half_open` or `failing`. */
        status: z.enum(['unknown', 'ok', 'degraded', 'down']),
        endpoints: z.object({
          steady: count,
          unstable: count,
          resting: count,
          /** The last call failed, and none of the last half hour succeeded. */
          failing: count,
          half_open: count,
          open: count,
          unused: count,
        }),
      }),
      can_test: z.boolean(),
      /** Its keys where it has several; empty for others. */
      keys: z.array(keyStateSchema),
    }),
  ),
});

export type ProviderStateList = z.infer<typeof providerStateListSchema>;

/** `GET /admin/v1/models`. */
export const modelProvidersSchema = z.object({
  data: z.array(z.object({ id: z.string(), /** Slugs, each once. */ providers: z.array(z.string()) })),
});
export type ModelProviders = z.infer<typeof modelProvidersSchema>;

/** Whether the findings of a test are sent as they come. */
export const streamsFindings = z
  .boolean()
  .default(false)
  .describe('Lines of JSON: `{ "finding": … }` for each layer as it comes, and last the whole response');

/** The body of `POST /admin/v1/providers/{slug}/test`. Closed. */
export const providerTestRequestSchema = z.strictObject({
  /** Makes one call of a few tokens, too. */
  call: z.boolean().default(false),
  stream: streamsFindings,
});

/** What was found of one layer between the gateway and a provider. */
export const layerFindingSchema = z.object({
  layer: z.string(),
  status: z.enum(['ok', 'warning', 'failed', 'skipped']),
  detail: z.string(),
  advice: z.string().optional(),
  /** How long it took; absent where nothing was waited for. */
  duration_ms: z.int().optional(),
});
export type LayerFinding = z.infer<typeof layerFindingSchema>;

/** The line of a streamed test that tells of one layer. */
export const findingLineSchema = z.object({ finding: layerFindingSchema });

export const providerTestResultSchema = z.object({
  data: z.object({ slug: z.string(), ok: z.boolean(), findings: z.array(layerFindingSchema) }),
});
export type ProviderTestResult = z.infer<typeof providerTestResultSchema>;
