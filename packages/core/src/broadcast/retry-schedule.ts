import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { createUuid } from '../foundation/random-id.ts';
import type { BroadcastDelivery } from '../stores/rows.ts';
import type { BroadcastRepository } from '../stores/store.ts';
import { type DeliveryOutcome, nextDeliveryDelayMs, remainingDelayMs } from '../webhooks/webhooks.ts';
import type { Destination } from '../wire/destinations.ts';
import { listDeliveriesOf } from './list-deliveries-of.ts';

interface WaitingDelivery {
  readonly delivery: BroadcastDelivery;
  /** Time on the monotonic clock. */
  readonly dueAt: number;
}

/** Deliveries of one destination that wait for another attempt, by id. */
export type RetrySchedule = Map<string, WaitingDelivery>;

export interface RetryContext {
  readonly destination: Destination;
  readonly retries: RetrySchedule;
  readonly rows: BroadcastRepository;
  readonly platform: Platform;
  readonly logger: Logger;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Limit of failed deliveries for one destination; beyond it the oldest are dropped. */
const MAX_FAILED = 200;

/** A delivery that has not been tried. */
export function createDelivery(ids: readonly string[], { destination, platform }: RetryContext): BroadcastDelivery {
  const now = platform.now();
  const what = { id: createUuid(platform), destinationId: destination.id, generationIds: ids };
  const never = { state: 'waiting', attempts: 0, lastResult: null } as const;
  return { kind: 'delivery', ...what, ...never, nextAttemptAt: now, createdAt: now };
}

/** Returns the delivery after a failed attempt: waiting for the next one, or failed. */
export function afterFailure(
  delivery: BroadcastDelivery,
  outcome: Extract<DeliveryOutcome, { readonly isDelivered: false }>,
  { platform, random }: RetryContext,
): BroadcastDelivery {
  const attempts = delivery.attempts + 1;
  const delayMs = outcome.isFinal ? null : nextDeliveryDelayMs({ attempts, ...outcome }, random());
  const state = delayMs === null ? 'failed' : 'waiting';
  return { ...delivery, attempts, lastResult: outcome.result, state, nextAttemptAt: platform.now() + (delayMs ?? 0) };
}

/** Schedules a stored delivery. */
export function schedule(
  delivery: BroadcastDelivery,
  { retries, platform }: Pick<RetryContext, 'retries' | 'platform'>,
): void {
  const delayMs = remainingDelayMs(delivery.nextAttemptAt, platform.now());
  retries.set(delivery.id, { delivery, dueAt: platform.monotonicNow() + delayMs });
}

/** Stores a delivery, and schedules its next attempt unless it has failed. */
export async function saveDelivery(delivery: BroadcastDelivery, context: RetryContext): Promise<void> {
  const { destination, retries, rows, logger } = context;
  await rows.update(delivery.id, () => delivery, delivery);
  if (delivery.state === 'waiting') return schedule(delivery, context);
  retries.delete(delivery.id);
  const { type, id } = destination;
  logger.warn('generations were not delivered', {
    destination: id,
    type,
    result: delivery.lastResult,
    row: delivery.id,
  });
  await dropOldest(context);
}

async function dropOldest({ destination, rows, logger }: RetryContext): Promise<void> {
  const failed = (await listDeliveriesOf(destination.id, rows)).filter(({ state }) => state === 'failed');
  for (const { id } of failed.slice(0, Math.max(failed.length - MAX_FAILED, 0))) {
    await rows.remove(id);
    logger.warn('an undelivered broadcast was dropped, there are too many', { destination: destination.id, row: id });
  }
}

/** Moves the next attempt of every delivery to the time that `toTime` returns for its current one. */
export function reschedule(retries: RetrySchedule, toTime: (at: number) => number): void {
  for (const [id, { delivery, dueAt }] of retries) retries.set(id, { delivery, dueAt: toTime(dueAt) });
}
