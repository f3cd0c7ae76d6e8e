import { z } from 'zod';

import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { parseWith } from '../../foundation/parse-with.ts';
import { toWebhookDelivery } from '../../videos/to-webhook-delivery.ts';

const MAX_LIMIT = 1000;

/** The query of `GET /admin/v1/webhooks/deliveries`. */
export const webhookDeliveriesQuerySchema = z.object({
  /** Default: all. `failed` are those that nobody tries any more. */
  state: z.enum(['waiting', 'delivered', 'failed']).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(100),
});

/** `GET /admin/v1/webhooks/deliveries`: what became of announcements, newest first. */
export async function listWebhookDeliveries({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const query = Object.fromEntries(new URLSearchParams(request.query));
  const { state, limit } = parseWith(webhookDeliveriesQuerySchema, query);
  const jobs = await runtime.store.videoJobs.list();
  const deliveries = jobs
    .toReversed()
    .flatMap((job) => toWebhookDelivery(job) ?? [])
    .filter((delivery) => state === undefined || delivery.state === state);
  return toJsonResponse(200, { data: deliveries.slice(0, limit), total_count: deliveries.length });
}
