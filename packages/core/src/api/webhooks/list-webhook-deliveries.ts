import { operation } from '../../http/operation.ts';
import { toWebhookDelivery } from '../../videos/webhooks/to-webhook-delivery.ts';
import { webhookDeliveriesQuerySchema, webhookDeliveryListSchema } from '../../wire/videos/webhook-delivery.ts';
import type { WebhookParts } from './webhook-parts.ts';

/** `GET /admin/v1/webhooks/deliveries`: what became of announcements, newest first. */
export const listWebhookDeliveries = operation<WebhookParts>()({
  query: webhookDeliveriesQuerySchema,
  response: webhookDeliveryListSchema,
  async run({ parts, query: { state, limit } }) {
    const jobs = await parts.store.videoJobs.list();
    const deliveries = jobs
      .toReversed()
      .flatMap((job) => toWebhookDelivery(job) ?? [])
      .filter((delivery) => state === undefined || delivery.state === state);
    return { data: deliveries.slice(0, limit), total_count: deliveries.length };
  },
});
