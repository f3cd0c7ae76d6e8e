import { z } from 'zod';

import { wholeNumber } from '../page-query.ts';

const MAX_LIMIT = 1000;
const stateSchema = z.enum(['waiting', 'delivered', 'failed']);

/** The query of `GET /admin/v1/webhooks/deliveries`. */
export const webhookDeliveriesQuerySchema = z.object({
  /** Default: all. `failed`: no further attempts are made. */
  state: stateSchema.optional(),
  limit: wholeNumber(1, MAX_LIMIT).default(100),
});

/** An announcement as management sees it. */
const webhookDeliverySchema = z.object({
  job_id: z.string(),
  event: z.string(),
  url: z.string(),
  state: stateSchema,
  attempts: z.int(),
  /** In a few words, without addresses. */
  last_result: z.string().nullable(),
  /** Null when there will be none. */
  next_attempt_at: z.string().nullable(),
  created_at: z.string(),
});
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const webhookDeliveryResponseSchema = z.object({ data: webhookDeliverySchema });
export const webhookDeliveryListSchema = z.object({ data: z.array(webhookDeliverySchema), total_count: z.int() });
