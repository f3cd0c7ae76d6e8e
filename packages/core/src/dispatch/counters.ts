export interface Counters {
  requests: number;
  /** Answers by HTTP status. */
  readonly statuses: Map<number, number>;
  completed: number;
  failed: number;
  cancelled: number;
  /** Generations that could not be written down; above zero and rising means the store is in trouble. */
  recordFailures: number;
}
