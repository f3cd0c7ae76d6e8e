import { z } from 'zod';

import { modelEndpointSchema } from './models.ts';
import { KEY_STATES } from './providers.ts';

const healthFields = modelEndpointSchema.pick({
  status: true,
  uptime_last_5m: true,
  uptime_last_30m: true,
  uptime_last_1d: true,
  latency_last_30m: true,
  throughput_last_30m: true,
});

/** The response of `POST /admin/v1/explain` for one endpoint. */
const endpointExplanationSchema = z.object({
  /** Slug, with the tag where there is one. */
  provider: z.string(),
  provider_name: z.string(),
  model: z.string(),
  /** The provider's own name of the model. */
  provider_model: z.string(),
  /** The caller's own key, by its name; absent where the gateway's is used. */
  key: z.string().optional(),
  included: z.boolean(),
  /** 1 is called first. Null when excluded. */
  rank: z.int().nullable(),
  /** The field that excludes it; null when included. */
  rule: z.string().nullable(),
  /** The guardrail whose field that is. */
  guardrail_id: z.string().nullable(),
  /** USD a token; `compared` is the blend that decides the order. Null when not known. */
  price: z.object({
    prompt: z.string().nullable(),
    completion: z.string().nullable(),
    compared: z.number().nullable(),
  }),
  /** Where its provider has several keys: which one the call would be sent with, and why. */
  keys: z
    .array(
      z.object({
        name: z.string(),
        weight: z.number(),
        state: z.enum(KEY_STATES),
        chosen: z.boolean(),
        /** Why it is chosen: no other is usable, the session or user leads to it, it was drawn, or all are disabled. */
        reason: z.enum(['only', 'sticky', 'weight', 'last_resort']).optional(),
      }),
    )
    .optional(),
  /** Whether it can continue a completion that has broken off elsewhere. */
  takes_prefill: z.boolean(),
  health: healthFields.extend({
    state: z.enum(['steady', 'half-open', 'unstable', 'resting', 'failing', 'open']),
    /** Former name of `state`. */
    standing: z.enum(['steady', 'half-open', 'unstable', 'resting', 'failing', 'open']),
  }),
});
export type EndpointExplanation = z.infer<typeof endpointExplanationSchema>;

/** One rule of the account, in the order in which they are tried. */
const ruleExplanationSchema = z.object({
  name: z.string(),
  model: z.string(),
  /** `not_reached`: another rule before it is applied. */
  outcome: z.enum(['applied', 'not_met', 'unknown_model', 'not_reached']),
  /** The first condition that does not hold, where one does not. */
  condition: z.string().nullable(),
});

/** How a chat request would be routed now. */
export const routingExplanationSchema = z.object({
  requested: z.string(),
  strategy: z.string(),
  /** The rule that chooses the model, and the model that the request names; absent without any. */
  routing_rule: z.string().optional(),
  requested_model: z.string().optional(),
  /** All rules; absent without any. */
  rules: z.array(ruleExplanationSchema).optional(),
  region: z.string().nullable(),
  models: z.array(z.string()),
  /** Names of providers in the request that no provider has, and no gateway upstream gets. */
  unknown_providers: z.array(z.string()),
  /** Included ones by rank, then the excluded. */
  endpoints: z.array(endpointExplanationSchema),
  /** What would happen after a failure: what the request says, else the settings. */
  failover: z
    .object({
      wait_for_retry_after_ms: z.int(),
      retries_at_endpoint: z.int(),
      /** In milliseconds, while another endpoint is left; absent where the limits of every call hold. */
      limits_before_fallback: z
        .object({
          headers_ms: z.number().optional(),
          first_token_ms: z.number().optional(),
          idle_ms: z.number().optional(),
          non_stream_ms: z.number().optional(),
        })
        .optional(),
      fallback_on_refusal: z.boolean(),
      continue_broken_streams: z.boolean(),
      continue_with_other_models: z.boolean(),
      hold_stream: z.boolean(),
    })
    .optional(),
});
export type RoutingExplanation = z.infer<typeof routingExplanationSchema>;
