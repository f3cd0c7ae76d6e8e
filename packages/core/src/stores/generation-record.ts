import type { CallCourse, Generation, GenerationContent, StreamTimeline } from '../wire/generation.ts';

/** A generation with what the wire does not show. */
export interface GenerationRecord {
  readonly generation: Generation;
  /** `Principal.id` of the caller; only that principal and management may read the generation. */
  readonly principalId: string;
  /** The member it counts for, where the caller had one. */
  readonly userId?: string | undefined;
  /** Exact cost in billionths of a dollar; 0 when unknown (see `generation.cost_known`). */
  readonly costNanoUsd: number;
}

/** The request and the completion, with the parts that the API does not show. */
export interface StoredContent extends GenerationContent {
  /** Times at which the text arrived; absent for an unstreamed completion. */
  readonly timeline?: StreamTimeline | undefined;
  /** Times of everything else; absent in contents of former versions, and for videos. */
  readonly course?: CallCourse | undefined;
}
