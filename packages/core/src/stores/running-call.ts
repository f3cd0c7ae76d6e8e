import type { GenerationRecord } from './generation-record.ts';

/** What a call under way has used so far. */
export interface RunningFigures {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costUsd: number;
  readonly costNanoUsd: number;
  /** False when a price is missing. */
  readonly costKnown: boolean;
  readonly durationMs: number;
}

/** A call under way, as it is recorded if its process ends before the call does. */
export interface RunningCall {
  /** What is known of it but for the figures; the same object for as long as that does not change. */
  readonly record: GenerationRecord;
  readonly figures: RunningFigures;
}
