/** When a call passed each step before it was admitted, on the monotonic clock. */
export interface CallMarks {
  readonly receivedAt: number;
  /** The request was read and checked. */
  readonly readAt: number;
  readonly guardedAt: number;
  readonly plannedAt: number;
}
