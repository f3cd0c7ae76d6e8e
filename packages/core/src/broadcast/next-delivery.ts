import type { DeliveryOutcome } from '../webhooks/deliver-webhook.ts';
import { nextDeliveryDelayMs } from '../webhooks/delivery-schedule.ts';
import type { BroadcastDelivery } from '../stores/broadcast-row.ts';

export interface FirstDelivery {
  readonly id: string;
  readonly destinationId: string;
  readonly generationIds: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A delivery that has not been tried. */
export function createDelivery({ now, ...delivery }: FirstDelivery): BroadcastDelivery {
  const never = { state: 'waiting', attempts: 0, lastResult: null } as const;
  return { kind: 'delivery', ...delivery, ...never, nextAttemptAt: now, createdAt: now };
}

/** Returns the delivery after a failed attempt: waiting for the next one, or failed. `random` is 0 to 1. */
export function afterFailure(
  delivery: BroadcastDelivery,
  outcome: Extract<DeliveryOutcome, { readonly isDelivered: false }>,
  { now, random }: { readonly now: number; readonly random: number },
): BroadcastDelivery {
  const attempts = delivery.attempts + 1;
  const delayMs = outcome.isFinal ? null : nextDeliveryDelayMs({ attempts, ...outcome }, random);
  return {
    ...delivery,
    attempts,
    lastResult: outcome.result,
    state: delayMs === null ? 'failed' : 'waiting',
    nextAttemptAt: now + (delayMs ?? 0),
  };
}
