/** Generations that one attempt did not bring to their destination. */
export interface BroadcastDelivery {
  readonly kind: 'delivery';
  readonly id: string;
  readonly destinationId: string;
  readonly generationIds: readonly string[];
  /** `failed`: no further attempts, unless it is sent again on request. */
  readonly state: 'waiting' | 'failed';
  readonly attempts: number;
  /** Milliseconds since the epoch, as `createdAt`. */
  readonly nextAttemptAt: number;
  /** In a few words, without addresses. */
  readonly lastResult: string | null;
  readonly createdAt: number;
}

/** How far a destination has got: what was recorded after this generation is still to be sent. */
interface BroadcastProgress {
  readonly kind: 'progress';
  /** The destination's. */
  readonly id: string;
  readonly through: string;
}

/**
 * A stored row of broadcasting. For a working destination that is its progress alone, every few seconds: the
 * generations themselves are in the store already.
 */
export type BroadcastRow = BroadcastDelivery | BroadcastProgress;
