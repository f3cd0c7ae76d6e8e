import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { createDueQueue } from '../stores/due-queue.ts';
import { type VideoDelivery, type VideoJob, type VideoLease, timelineOf } from '../stores/video-jobs.ts';
import { deliverWebhook, nextDeliveryDelayMs, remainingDelayMs, type WebhookOptions } from '../webhooks/webhooks.ts';
import type { VideoAnnouncement, WebhookDelivery } from '../wire/videos.ts';
import { sinceOrder, toResult, withAnnouncement } from './video-job.ts';
import { leaseUntil, type OwnedJobs } from './video-lease.ts';

interface VideoOutboxOptions {
  readonly jobs: OwnedJobs;
  readonly platform: Platform;
  readonly logger: Logger;
  /** 0 to 1. */
  readonly random: () => number;
  readonly webhooks: WebhookOptions;
}

const keepUntil = (lease: VideoLease, untilMs: number): VideoLease => ({
  ...lease,
  untilMs: Math.max(lease.untilMs, untilMs),
});

/** Announces the end of jobs. */
interface VideoOutbox {
  /** Delivers a job's announcement when it is due, unless that is planned already. */
  add(job: VideoJob): void;
  /** Delivers it when it is due now, in place of an earlier schedule. */
  renew(job: VideoJob): void;
  /** Work under way continues; the store has the rest. */
  stop(): void;
}

/** A receiver that does not respond delays no more than this many, and no other receiver. */
const MAX_AT_ONCE_PER_HOST = 4;
const RETRY_STORE_MS = 2000;

/** Creates the outbox: one timer for all, at most a few attempts at a time for one host. */
export function createVideoOutbox({ jobs, platform, logger, random, webhooks }: VideoOutboxOptions): VideoOutbox {
  const hosts = new Map<string, { active: number; readonly waiting: string[] }>();
  const hostOf = new Map<string, string>();
  /** The stored times that the queue's times were made from: they tell whether another process has tried since. */
  const plannedFor = new Map<string, number>();
  /** Under way, or held up by others to the same host. */
  const busy = new Set<string>();

  const run = (id: string): void => {
    if (busy.has(id)) return;
    busy.add(id);
    begin(id);
  };
  const begin = (id: string): void => {
    const name = hostOf.get(id) ?? '';
    const host = hosts.get(name) ?? { active: 0, waiting: [] };
    hosts.set(name, host);
    if (host.active >= MAX_AT_ONCE_PER_HOST) return void host.waiting.push(id);
    host.active += 1;
    attempt(id)
      .catch((error: unknown) => {
        logger.error('a webhook could not be processed', { job: id, reason: String(error) });
        queue.schedule(id, RETRY_STORE_MS);
      })
      .finally(() => {
        host.active -= 1;
        busy.delete(id);
        const next = host.waiting.shift();
        if (next !== undefined) begin(next);
        else if (host.active === 0) hosts.delete(name);
      });
  };
  const queue = createDueQueue({ platform, spacingMs: 0, run });
  /** Returns the wait. */
  const plan = (id: string, nextAttemptAt: number): number => {
    plannedFor.set(id, nextAttemptAt);
    return remainingDelayMs(nextAttemptAt, platform.now());
  };
  const forget = (id: string): void => {
    hostOf.delete(id);
    plannedFor.delete(id);
  };

  const attempt = async (id: string): Promise<void> => {
    const job = await jobs.take(id);
    if (job === undefined) return;
    if ('againMs' in job) return queue.schedule(id, job.againMs);
    const { delivery } = job;
    if (delivery === null || delivery.state !== 'waiting' || delivery.body === null) return forget(id);
    if (plannedFor.get(id) !== delivery.nextAttemptAt) {
      const waitMs = plan(id, delivery.nextAttemptAt);
      if (waitMs > 0) return queue.schedule(id, waitMs);
    }
    const message = { id: `${job.id}-${job.status}`, body: delivery.body };
    const sentAt = platform.now();
    const startedAt = platform.monotonicNow();
    const outcome = await deliverWebhook(delivery.url, message, webhooks, platform);
    const attempts = delivery.attempts + 1;
    const isOver = outcome.isDelivered || outcome.isFinal;
    const delayMs = isOver ? null : nextDeliveryDelayMs({ attempts, ...outcome }, random());
    const next: VideoDelivery = {
      ...delivery,
      attempts,
      lastResult: outcome.result,
      state: outcome.isDelivered ? 'delivered' : delayMs === null ? 'failed' : 'waiting',
      nextAttemptAt: platform.now() + (delayMs ?? 0),
    };
    if (next.state === 'failed') logger.warn('a webhook was not delivered', { job: job.id, result: outcome.result });
    const announcement: VideoAnnouncement = {
      at_ms: sinceOrder(job, sentAt),
      took_ms: Math.round(platform.monotonicNow() - startedAt),
      result: outcome.result,
      has_arrived: outcome.isDelivered,
    };
    await jobs.update(job, (latest) => ({
      ...latest,
      delivery: next,
      timeline: withAnnouncement(timelineOf(latest), announcement),
      // Until the next attempt no other process has to look at it.
      ...(latest.lease != null && { lease: keepUntil(latest.lease, leaseUntil(platform.now(), delayMs ?? 0)) }),
    }));
    if (delayMs === null) return forget(id);
    plannedFor.set(id, next.nextAttemptAt);
    queue.schedule(id, delayMs);
  };

  const renew = ({ id, delivery }: VideoJob): void => {
    if (delivery?.state !== 'waiting' || delivery.body === null) return;
    hostOf.set(id, URL.parse(delivery.url)?.host ?? '');
    queue.schedule(id, plan(id, delivery.nextAttemptAt));
  };

  return {
    add(job) {
      if (!busy.has(job.id) && !queue.has(job.id)) renew(job);
    },
    renew,
    stop: () => queue.stop(),
  };
}

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

/** The body of the message that announces the end of a job (wire.md 15.6), as the text that is signed and sent. */
export function toWebhookBody(job: VideoJob, url: string, at: number): string {
  const { generation_id: _, ...result } = toResult(job, url);
  return JSON.stringify({
    type: `video.generation.${job.status}`,
    created_at: new Date(at).toISOString(),
    data: { id: job.id, status: job.status, generation_id: job.generationId, model: job.modelId, ...result },
  });
}
