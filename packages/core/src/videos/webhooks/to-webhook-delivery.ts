import type { VideoJob } from '../../stores/video-jobs.ts';
import type { WebhookDelivery } from '../../wire/videos.ts';

/** A webhook in the form of the management API; undefined for a job without one, or one that has not ended. */
export function toWebhookDelivery(job: VideoJob): WebhookDelivery | undefined {
  const { delivery } = job;
  if (delivery === null || delivery.body === null) return undefined;
  return {
    job_id: job.id,
    event: `video.generation.${job.status}`,
    url: delivery.url,
    state: delivery.state,
    attempts: delivery.attempts,
    last_result: delivery.lastResult,
    next_attempt_at: delivery.state === 'waiting' ? new Date(delivery.nextAttemptAt).toISOString() : null,
    created_at: new Date(job.updatedAt).toISOString(),
  };
}
