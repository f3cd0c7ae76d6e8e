import type { GenerationStatus } from '../wire/generations/generation-status.ts';

/** Whose activity is asked for, and since when. */
export interface ActivityQuery {
  /** The first day that counts, by the day a generation began in UTC: `2026-03-01`. */
  readonly since: string;
  /** Default: everybody's. */
  readonly principalIds?: ReadonlySet<string> | undefined;
}

/** What the generations of one day have in common and add up to. Money in billionths of a dollar. */
export interface ActivitySum {
  readonly date: string;
  readonly model: string;
  /** Null for calls that no provider was asked for. */
  readonly providerName: string | null;
  /** Of the endpoint that was asked last; empty where none was. */
  readonly endpointId: string;
  /** Empty for none. */
  readonly workspaceId: string;
  readonly requests: number;
  readonly creditsNanoUsd: number;
  /** Paid to providers directly, not to the account. */
  readonly byokNanoUsd: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

/**
 * How many generations each value would leave. A value is counted under all other parts of the filter but its own kind,
 * so that the counts of statuses, say, stay apart while one status is chosen.
 */
export interface GenerationFacets {
  /** What the whole filter chooses. */
  readonly total: number;
  readonly statuses: ReadonlyMap<GenerationStatus, number>;
  readonly models: ReadonlyMap<string, number>;
  /** Calls that no provider was asked for are in none. */
  readonly providerNames: ReadonlyMap<string, number>;
  readonly principalIds: ReadonlyMap<string, number>;
}

/** What generations are chosen by; every member that is given has to hold. */
export interface GenerationFilter {
  /** Began at this moment or later, in Unix milliseconds. */
  readonly createdFromMs?: number | undefined;
  /** Began before this moment. */
  readonly createdBeforeMs?: number | undefined;
  readonly models?: ReadonlySet<string> | undefined;
  /** By name, as records have it. */
  readonly providerNames?: ReadonlySet<string> | undefined;
  readonly principalIds?: ReadonlySet<string> | undefined;
  readonly sessionId?: string | undefined;
  readonly statuses?: ReadonlySet<GenerationStatus> | undefined;
  readonly minCostNanoUsd?: number | undefined;
  /** Included. */
  readonly maxCostNanoUsd?: number | undefined;
}

/** A span of time with what began in it. */
export interface HistogramBucket {
  readonly startMs: number;
  requests: number;
  failed: number;
  cancelled: number;
  costNanoUsd: number;
}

/** Equal spans side by side. */
export interface HistogramQuery {
  readonly filter: GenerationFilter;
  readonly startMs: number;
  readonly bucketMs: number;
  readonly buckets: number;
}
