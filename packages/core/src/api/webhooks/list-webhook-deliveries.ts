import { operation } from '../../http/operation.ts';
import { pageVideoJobs } from '../../videos/video-job.ts';
import { toWebhookDelivery } from '../../videos/video-outbox.ts';
import { webhookDeliveriesQuerySchema, webhookDeliveryListSchema } from '../../wire/videos.ts';
import type { WebhookParts } from './webhook-parts.ts';

/** `GET /admin/v1/webhooks/deliveries`: what became of announcements, the last ordered job first. */
export const listWebhookDeliveries = operation<WebhookParts>()({
  query: webhookDeliveriesQuerySchema,
  response: webhookDeliveryListSchema,
  async run({ parts, query: { state, limit } }) {
    const { jobs, totalCount } = await pageVideoJobs(parts.store.videoJobs, { announcement: state ?? 'any', limit });
    return { data: jobs.flatMap((job) => toWebhookDelivery(job) ?? []), total_count: totalCount };
  },
});
