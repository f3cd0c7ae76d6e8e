import { z } from 'zod';

import { pipelineStageSchema } from './pipeline-stage.ts';

const endpointSchema = { provider: z.string(), model: z.string() };

/** The routing of a request, for callers that request it by a header (wire.md 12). */
export const routingMetadataSchema = z.object({
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
   * the next was asked to continue.
   */
  attempts: z.array(z.object({ ...endpointSchema, status: z.int(), broke_off_after: z.int().optional() })).optional(),
  /** Names of providers in the request that nobody has, and no gateway upstream gets; absent without any. */
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
