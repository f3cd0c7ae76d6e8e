import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { toWebhookDelivery } from '../../videos/to-webhook-delivery.ts';

/**
 * `POST /admin/v1/webhooks/deliveries/{jobId}/resend`: sends an announcement anew, whatever became of it before, with
 * the same id and body; receivers know by the id that it is the same.
 */
export async function resendWebhook({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const id = params['jobId'] ?? '';
  const { platform, store, videos } = runtime;
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
  }));
  if (renewed === undefined) throw new GatewayError('not_found', `There is no video job ${id.slice(0, 100)}`);
  videos.runner.announce(renewed);
  return toJsonResponse(202, { data: toWebhookDelivery(renewed) });
}
