import type { Awaitable } from '../foundation/async/awaitable.ts';

/** One attempt to bring generations to a destination. */
export interface DeliveryAttempt {
  readonly destinationId: string;
  readonly generationIds: readonly string[];
  /** When its request began, in milliseconds since the epoch. */
  readonly sentAt: number;
  readonly tookMs: number;
  readonly hasArrived: boolean;
  /** In a few words, without addresses. */
  readonly result: string;
}

/** What became of deliveries, for people who look at a call. Bounded, and dropped with the generations of their day. */
export interface DeliveryLog {
  /** Survives the death of this process once it resolves. No call waits for it. */
  append(attempt: DeliveryAttempt): Promise<void>;
  /** Those of a generation that began at this time, oldest first. */
  of(generationId: string, createdAtMs: number): Awaitable<readonly DeliveryAttempt[]>;
}
