import { GatewayError } from '../../foundation/errors.ts';
import { operation } from '../../http/operation.ts';
import { toWebhookDelivery } from '../../videos/video-outbox.ts';
import { webhookDeliveryResponseSchema } from '../../wire/videos.ts';
import type { WebhookParts } from './webhook-parts.ts';

/**
 * `POST /admin/v1/webhooks/deliveries/{jobId}/resend`: sends a webhook again, whatever the result of earlier attempts,
 * with the same id and body. Receivers recognise the repetition by the id.
 */
export const resendWebhook = operation<WebhookParts>()({
  params: ['jobId'],
  response: webhookDeliveryResponseSchema,
  status: 202,
  async run({ params: { jobId: id }, parts: { platform, store, videos } }) {
    const job = await store.videoJobs.get(id);
    if (job === undefined || job.delivery?.body == null) {
      throw new GatewayError('not_found', `There is no announcement of a video job ${id.slice(0, 100)}`);
    }
    const renewed = await store.videoJobs.update(id, (latest) => ({
      ...latest,
      delivery: latest.delivery && {
        ...latest.delivery,
        state: 'waiting',
        attempts: 0,
        nextAttemptAt: platform.now(),
      },
      // Whoever waits to try it again is no longer asked to.
      ...(latest.lease != null && { lease: { ...latest.lease, untilMs: 0 } }),
    }));
    const delivery = renewed && toWebhookDelivery(renewed);
    if (renewed === undefined || delivery === undefined)
      throw new GatewayError('not_found', `There is no video job ${id.slice(0, 100)}`);
    videos.runner.announce(renewed);
    return { data: delivery };
  },
});
