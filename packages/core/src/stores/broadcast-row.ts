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

/** How far a destination has got where several processes share a store, and which of them sends to it. */
export interface BroadcastFeed {
  readonly kind: 'feed';
  /** The destination's. */
  readonly id: string;
  /** The `updated_at` that the destination had when it began: what a later one switches off is another. */
  readonly since: string;
  /** What comes after it, by `GenerationRepository.follow`, is still to be sent. */
  readonly place: string;
  /** Null while no process owns it. */
  readonly lease: {
    readonly ownerId: string;
    /** Rises with every change of owner. */
    readonly token: number;
    /** Milliseconds since the epoch. */
    readonly untilMs: number;
  } | null;
  /** Rises whenever a delivery is to be sent again, so that the owner reads the deliveries anew. */
  readonly resends: number;
  /** For those who look at it from another process; each is as `QueueStatus` has it. */
  readonly status: {
    readonly queued: number;
    readonly lastDeliveredAt: number | null;
    readonly lastFailure: { readonly at: number; readonly result: string } | null;
  };
}

/**
 * A stored row of broadcasting. For a working destination that is its progress alone, every few seconds: the
 * generations themselves are in the store already.
 */
export type BroadcastRow = BroadcastDelivery | BroadcastProgress | BroadcastFeed;
