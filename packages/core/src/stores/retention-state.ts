/** By which time a store drops what is old. */
export interface RetentionState {
  /** Milliseconds since the epoch; behind the system clock while that is held to be wrong. */
  now(): number;
  /** Whether dropping waits, because the system clock is ahead of the data by more than a day. */
  isHeld(): boolean;
  /**
   * How many generations came again, since the process began, after their day was dropped; they are not stored, nor
   * counted a second time. Absent where none can.
   */
  countLate?(): number;
}
