import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import type { Store } from '../stores/store.ts';
import { pageVideoJobs } from '../videos/video-job.ts';
import { toWebhookDelivery } from '../videos/video-outbox.ts';
import type { VideoRunner } from '../videos/video-runner.ts';
import { findCallbackUrlProblem, type WebhookOptions } from '../webhooks/webhooks.ts';
import { refuseField } from '../wire/fields.ts';
import {
  webhookDeliveriesQuerySchema,
  webhookDeliveryListSchema,
  webhookDeliveryResponseSchema,
} from '../wire/videos.ts';

export interface WebhookParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly store: Pick<Store, 'videoJobs'>;
  readonly videos: { readonly runner: Pick<VideoRunner, 'announce'> };
}

/**
 * Throws `invalid_request` for an address that can receive no webhooks; none is fine. Without options the gateway sends
 * none.
 */
export function refuseCallbackUrl(
  field: string,
  url: string | null | undefined,
  webhooks: WebhookOptions | undefined,
): void {
  if (url == null) return;
  const problem =
    webhooks === undefined ? 'cannot be used: this gateway sends no webhooks' : findCallbackUrlProblem(url, webhooks);
  if (problem !== undefined) throw refuseField(field, problem);
}

/** `GET /admin/v1/webhooks/deliveries`: what became of announcements, the last ordered job first. */
export const listWebhookDeliveries = operation<WebhookParts>()({
  query: webhookDeliveriesQuerySchema,
  response: webhookDeliveryListSchema,
  async run({ parts, query: { state, limit } }) {
    const { jobs, totalCount } = await pageVideoJobs(parts.store.videoJobs, { announcement: state ?? 'any', limit });
    return { data: jobs.flatMap((job) => toWebhookDelivery(job) ?? []), total_count: totalCount };
  },
});

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
      throw new GatewayError('not_found', `There is no webhook of a video job ${id.slice(0, 100)}`);
    }
    const renewed = await store.videoJobs.update(id, (latest) => ({
      ...latest,
      delivery: latest.delivery && {
        ...latest.delivery,
        state: 'waiting',
        attempts: 0,
        nextAttemptAt: platform.now(),
      },
      // A delivery that waits for its next try is no longer tried.
      ...(latest.lease != null && { lease: { ...latest.lease, untilMs: 0 } }),
    }));
    const delivery = renewed && toWebhookDelivery(renewed);
    if (renewed === undefined || delivery === undefined)
      throw new GatewayError('not_found', `There is no video job ${id.slice(0, 100)}`);
    videos.runner.announce(renewed);
    return { data: delivery };
  },
});
