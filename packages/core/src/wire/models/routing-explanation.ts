import { z } from 'zod';

import { modelEndpointSchema } from './model.ts';

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
  /** Whether it can continue a completion that has broken off elsewhere. */
  takes_prefill: z.boolean(),
  health: healthFields.extend({ standing: z.enum(['steady', 'half-open', 'unstable', 'resting', 'failing', 'open']) }),
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
  /** Names of providers in the request that nobody has, and no gateway upstream gets. */
  unknown_providers: z.array(z.string()),
  /** Included ones by rank, then the excluded. */
  endpoints: z.array(endpointExplanationSchema),
});
export type RoutingExplanation = z.infer<typeof routingExplanationSchema>;
