import { z } from 'zod';

/** A price as text or number: public documentation shows both. */
const priceSchema = z.union([z.number(), z.string().regex(/^\d+(\.\d+)?$/, 'must be a decimal number')]);

const cutoff = z.number().nullish();
const percentilesSchema = z.union([z.number(), z.object({ p50: cutoff, p75: cutoff, p90: cutoff, p99: cutoff })], {
  error: 'must be a number, or an object with numbers for p50, p75, p90 and p99',
});

const quantizationSchema = z.enum([
  'int4',
  'int8',
  'fp4',
  'mxfp4',
  'nvfp4',
  'fp6',
  'fp8',
  'mxfp8',
  'fp16',
  'bf16',
  'fp32',
  'unknown',
]);

const SORT_KEYS = ['price', 'throughput', 'latency', 'exacto'] as const;
export const sortKeySchema = z.enum(SORT_KEYS);
const sortSchema = z.union(
  [sortKeySchema, z.object({ by: sortKeySchema.nullish(), partition: z.enum(['model', 'none']).nullish() })],
  { error: `must be one of ${SORT_KEYS.join(', ')}, or { by, partition }` },
);

/** The most that an endpoint may charge: USD a million tokens, for a request, an image and a piece of audio each. */
export const maxPriceSchema = z
  .object({
    prompt: priceSchema,
    completion: priceSchema,
    request: priceSchema,
    image: priceSchema,
    audio: priceSchema,
  })
  .partial();

/**
 * The caller's routing preferences (wire.md 8.1). Closed: a misspelt preference without effect could send data to a
 * provider that the caller meant to exclude.
 */
export const providerPreferencesSchema = z.strictObject({
  order: z.array(z.string()).nullish(),
  only: z.array(z.string()).nullish(),
  ignore: z.array(z.string()).nullish(),
  allow_fallbacks: z.boolean().nullish(),
  require_parameters: z.boolean().nullish(),
  data_collection: z.enum(['allow', 'deny']).nullish(),
  zdr: z.boolean().nullish(),
  enforce_distillable_text: z.boolean().nullish(),
  quantizations: z.array(quantizationSchema).nullish(),
  sort: sortSchema.nullish(),
  max_price: maxPriceSchema.nullish(),
  preferred_min_throughput: percentilesSchema.nullish(),
  preferred_max_latency: percentilesSchema.nullish(),
  /** The gateway's own: a stream that breaks off goes on at another endpoint of its model (docs/routing.md). */
  continue_broken_streams: z.boolean().nullish(),
  /** The gateway's own: it may go on at another model of the request. */
  continue_with_other_models: z.boolean().nullish(),
  /** The gateway's own: a stream is sent when it is whole, and a break before that begins anew elsewhere. */
  hold_stream: z.boolean().nullish(),
  /** The gateway's own: whether another model is asked after a refusal by moderation. */
  fallback_on_refusal: z.boolean().nullish(),
});

export type ProviderPreferences = z.infer<typeof providerPreferencesSchema>;

/** The effect of a stage on a call (wire.md 12). Never contents. */
export const pipelineStageSchema = z.object({
  type: z.enum(['guardrail', 'plugin', 'server_tools', 'response_healing', 'context_compression', 'cache_marks']),
  name: z.string(),
  summary: z.string().optional(),
  guardrail_id: z.string().optional(),
  /** Whom the guardrail was put on. */
  guardrail_scope: z.enum(['api-key', 'member', 'workspace']).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type PipelineStage = z.infer<typeof pipelineStageSchema>;
export type GuardrailScope = NonNullable<PipelineStage['guardrail_scope']>;

/** The effect of one guardrail. */
export interface GuardrailStage extends PipelineStage {
  readonly type: 'guardrail';
  readonly name: 'content-filter' | 'regex_pi_detection';
  readonly guardrail_id: string;
  readonly guardrail_scope: GuardrailScope;
  readonly data: {
    readonly action: 'blocked' | 'redacted' | 'flagged';
    readonly engines: readonly string[];
    readonly flagged?: boolean;
    readonly detected?: boolean;
    readonly matched_entity_types?: readonly string[];
    readonly patterns?: readonly string[];
  };
}

/**
 * Why an endpoint is asked once more in a call: it named a short wait, which is over, it failed in a passing way, or it
 * refused one of the keys that the gateway has for it.
 */
export const AGAIN_REASONS = ['waited', 'failed', 'other_key'] as const;
export type AgainReason = (typeof AGAIN_REASONS)[number];

const endpointSchema = { provider: z.string(), model: z.string() };

/** The routing of a request, for callers that request it by a header (wire.md 12). */
const routingMetadataSchema = z.object({
  requested: z.string(),
  strategy: z.string(),
  region: z.string().nullable(),
  summary: z.string(),
  /** The number of the attempt that succeeded, or of the last. */
  attempt: z.int(),
  is_byok: z.boolean(),
  endpoints: z.object({
    total: z.int(),
    available: z.array(z.object({ ...endpointSchema, selected: z.boolean() })),
  }),
  /**
   * Absent when no endpoint was called. `broke_off_after`: the characters of text after which an endpoint broke off, and
   * the next was asked to continue. `again`: the same endpoint once more, after the wait that it named, at once, or with
   * another key. `key`: the name of that key, where the provider has several.
   */
  attempts: z
    .array(
      z.object({
        ...endpointSchema,
        status: z.int(),
        broke_off_after: z.int().optional(),
        again: z.enum(AGAIN_REASONS).optional(),
        key: z.string().optional(),
      }),
    )
    .optional(),
  /** Names of providers in the request that no provider has, and no gateway upstream gets; absent without any. */
  unknown_providers: z.array(z.string()).optional(),
  /** The rule of the account that chose the model, and the model that was asked for; absent without any. */
  routing_rule: z.string().optional(),
  requested_model: z.string().optional(),
  /** Milliseconds. */
  generation_time: z.number().optional(),
  /** The other effects on the request. */
  pipeline: z.array(pipelineStageSchema).optional(),
});
export type RoutingMetadata = z.infer<typeof routingMetadataSchema>;

/** Members of a response: the same value under two names, each only when its header requests it. */
export const routingMembersSchema = z.object({
  service_metadata: routingMetadataSchema.optional(),
  openrouter_metadata: routingMetadataSchema.optional(),
});
export type RoutingMembers = z.infer<typeof routingMembersSchema>;

/** What decided the order of the endpoints: `order` or a sort of the request, the session, or the price alone. */
const ORDER_REASONS = ['order', 'price', 'throughput', 'latency', 'exacto', 'session', 'balanced'] as const;
export type OrderReason = (typeof ORDER_REASONS)[number];

/**
 * Why an endpoint of the plan was passed over: it would have refused the request as the one before did, the budget of
 * retries was used up, as many endpoints as are allowed had failed, or a refusal by moderation is to be final.
 */
const SKIP_REASONS = ['same_refusal', 'retry_budget', 'attempt_limit', 'final_refusal'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

const candidateSchema = z.object({
  /** Slug, with the tag where there is one. */
  provider: z.string(),
  provider_name: z.string(),
  model: z.string(),
  /** The field that excludes it; absent when included, as the guardrail whose field that is. */
  rule: z.string().optional(),
  guardrail_id: z.string().optional(),
  /** Absent for `steady`, which most are. */
  state: z.enum(['half-open', 'unstable', 'resting', 'open']).optional(),
  /** Former name of `state`; the only one in records of former versions. */
  standing: z.enum(['half-open', 'unstable', 'resting', 'open']).optional(),
  /** Why it was passed over although its turn had come; absent for the others. */
  skipped: z.enum(SKIP_REASONS).optional(),
});

/** How one call was routed, as it was at that time. The gateway's own. */
export const routingDecisionSchema = z.object({
  requested: z.string(),
  strategy: z.string(),
  /** Absent where there was nothing to put in order. */
  ordered_by: z.enum(ORDER_REASONS).optional(),
  /** Included ones by rank, then the excluded; at most 50. */
  candidates: z.array(candidateSchema),
  /** How many more there were; absent for none. */
  more: z.int().optional(),
});
export type RoutingDecision = z.infer<typeof routingDecisionSchema>;
export type RoutingCandidate = RoutingDecision['candidates'][number];
