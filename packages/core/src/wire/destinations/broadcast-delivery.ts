import { z } from 'zod';

import { wholeNumber } from '../page-query.ts';

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
