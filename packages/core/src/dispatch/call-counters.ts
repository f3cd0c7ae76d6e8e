/** How calls have ended since the start, for metrics. */
export interface CallCounters {
  completed: number;
  failed: number;
  cancelled: number;
  /** Generations that could not be written down; above zero and rising means the store is in trouble. */
  recordFailures: number;
}

export function createCallCounters(): CallCounters {
  return { completed: 0, failed: 0, cancelled: 0, recordFailures: 0 };
}
