import { z } from 'zod';

/** What decided the order of the endpoints: `order` or a sort of the request, the session, or the price alone. */
export const ORDER_REASONS = ['order', 'price', 'throughput', 'latency', 'exacto', 'session', 'balanced'] as const;
export type OrderReason = (typeof ORDER_REASONS)[number];

/**
 * Why an endpoint of the plan was passed over: it would have refused the request as the one before did, the budget of
 * retries was used up, or as many endpoints as are allowed had failed.
 */
export const SKIP_REASONS = ['same_refusal', 'retry_budget', 'attempt_limit'] as const;
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
