import type { GenerationField, GenerationSort, SortOrder } from '../wire/generation-fields.ts';
import type { GenerationSplit } from '../wire/generation-list.ts';
import type { GenerationStatus } from '../wire/statuses.ts';

/** The principals and the first day of an activity. */
export interface ActivityQuery {
  /** The first day that counts, by the day a generation began in UTC: `2026-03-01`. */
  readonly since: string;
  /** Default: all principals. */
  readonly principalIds?: ReadonlySet<string> | undefined;
}

/** The common properties and the sums of one day's generations. Money in billionths of a dollar. */
export interface ActivitySum {
  readonly date: string;
  readonly model: string;
  /** Null for calls without a provider. */
  readonly providerName: string | null;
  /** Id of the endpoint that was called last; empty without any. */
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
 * The number of generations for each value. A value is counted under all parts of the filter except its own kind, so
 * that the counts of other statuses, for example, remain visible while one status is selected.
 */
export interface GenerationFacets {
  /** Number of generations that the filter matches. */
  readonly total: number;
  readonly statuses: ReadonlyMap<GenerationStatus, number>;
  readonly models: ReadonlyMap<string, number>;
  /** Counts by provider; calls without a provider are in none. */
  readonly providerNames: ReadonlyMap<string, number>;
  readonly principalIds: ReadonlyMap<string, number>;
  /**
   * Where the time was over before all of the filter's span was looked at: the moment from which on everything is in.
   * Absent otherwise.
   */
  readonly searchedFromMs?: number | undefined;
}

/** The facts about a record that filters and histograms use: small enough to be in memory for every generation. */
export interface GenerationFacts {
  readonly createdAtMs: number;
  readonly model: string;
  readonly providerName: string | null;
  readonly sessionId: string | null;
  readonly status: GenerationStatus;
  readonly principalId: string;
  readonly userId: string | null;
  readonly app: string | null;
  readonly costNanoUsd: number;
  readonly isCostKnown: boolean;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Prompt tokens that came from the provider's cache; null where it does not tell. */
  readonly cachedTokens: number | null;
  /** What that has saved, below 0 where writing to the cache cost more than reading saved; 0 where nothing is known. */
  readonly cacheSavedNanoUsd: number;
  /** Null for what had no first token: whole responses, and calls that failed before. */
  readonly firstTokenMs: number | null;
  readonly durationMs: number | null;
  readonly tokensPerSecond: number | null;
  readonly attempts: number;
  /** Until the response began, streamed or not. */
  readonly latencyMs: number | null;
  readonly isStreamed: boolean;
  readonly finishReason: string | null;
  readonly userAgent: string | null;
  readonly externalUser: string | null;
  /** Types and codes of what attempts failed with. */
  readonly errors: readonly string[];
}

/** One provider's part in a generation. */
export interface AttemptFacts {
  readonly providerName: string | null;
  readonly endpointId: string | null;
  readonly model: string;
  /** Upstream's HTTP status; null when there was no response. */
  readonly status: number | null;
  /** Until its first output, or its failure. */
  readonly latencyMs: number | null;
  /** The gateway's status and type for the failure; null without one. */
  readonly errorCode: number | null;
  readonly errorType: string | null;
}

/** One condition on a field of a record. */
export interface GenerationCondition {
  readonly field: GenerationField;
  /** `:` is met by any of the values, the others compare with the only one. */
  readonly sign: ':' | '>' | '>=' | '<' | '<=';
  /**
   * In the unit of the record: USD, milliseconds, counts. Texts are in lower case, as case does not matter, and `*` in
   * them stands for any characters.
   */
  readonly values: readonly (string | number | boolean)[];
  /** Met by everything that does not meet the rest, what is not known included. */
  readonly isNegated: boolean;
}

/** Generations that someone may see: those that count for a member, and all of some workspaces. */
export interface GenerationReach {
  /** Null for no member. */
  readonly userId: string | null;
  readonly workspaceIds: ReadonlySet<string>;
}

/** A filter on generations; all given members have to match. */
export interface GenerationFilter {
  /** Began at this moment or later, in Unix milliseconds. */
  readonly createdFromMs?: number | undefined;
  /** Began before this moment. */
  readonly createdBeforeMs?: number | undefined;
  readonly models?: ReadonlySet<string> | undefined;
  /** Provider names, as in records; empty for calls without a provider. */
  readonly providerNames?: ReadonlySet<string> | undefined;
  readonly principalIds?: ReadonlySet<string> | undefined;
  /** Members; empty for calls without one. */
  readonly userIds?: ReadonlySet<string> | undefined;
  /** As `appOf` names them; empty for calls without one. */
  readonly apps?: ReadonlySet<string> | undefined;
  /** Empty for calls without a session. */
  readonly sessionId?: string | undefined;
  readonly statuses?: ReadonlySet<GenerationStatus> | undefined;
  readonly minCostNanoUsd?: number | undefined;
  /** Included. */
  readonly maxCostNanoUsd?: number | undefined;
  readonly conditions?: readonly GenerationCondition[] | undefined;
  /** Default: all. */
  readonly reach?: GenerationReach | undefined;
}

/** Figures of some generations. */
export interface HistogramFigures {
  readonly requests: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly interrupted: number;
  readonly costNanoUsd: number;
  /** Milliseconds to the first token of streams, in the middle and of 95 in 100; null without such a stream. */
  readonly firstTokenP50Ms: number | null;
  readonly firstTokenP95Ms: number | null;
  /** The median; null if no generation has a value. */
  readonly tokensPerSecondP50: number | null;
  /** Milliseconds that whole calls took which ended well, of 50, 95 and 99 in 100; null without such a call. */
  readonly durationP50Ms: number | null;
  readonly durationP95Ms: number | null;
  readonly durationP99Ms: number | null;
  /** Attempts beyond the first of each call. */
  readonly retries: number;
  /** Prompt tokens of calls whose providers tell how many of them came from a cache, and those that did. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly cacheSavedNanoUsd: number;
}

/** A span of time with what began in it. */
export interface HistogramBucket extends HistogramFigures {
  readonly startMs: number;
}

/** Equal spans side by side. */
export interface HistogramQuery {
  readonly filter: GenerationFilter;
  readonly startMs: number;
  readonly bucketMs: number;
  readonly buckets: number;
  readonly split?: HistogramSplit | undefined;
}

/** Divides each bucket by the values of a field of generations. */
export interface HistogramSplit {
  readonly by: GenerationSplit;
  /** Values with the most requests, or the highest cost, come first. */
  readonly rank: 'requests' | 'cost';
  /** Number of values that are distinguished. */
  readonly limit: number;
}

export interface GenerationHistogram {
  readonly total: HistogramFigures;
  readonly buckets: readonly HistogramBucket[];
  /** The first values by rank; empty without a split. */
  readonly parts: readonly HistogramPart[];
  /** All other values together; null without any. */
  readonly rest: (Omit<HistogramPart, 'value'> & { readonly values: number }) | null;
  /**
   * Where the time was over before all of the filter's span was looked at: the moment from which on everything is in.
   * Absent otherwise.
   */
  readonly searchedFromMs?: number | undefined;
}

/** The generations of one value of a split. */
export interface HistogramPart {
  /** Null for generations without a value. */
  readonly value: string | null;
  readonly total: HistogramFigures;
  /** One for each bucket. */
  readonly buckets: readonly HistogramFigures[];
}

/** What generations are sorted by: nano-dollars, milliseconds, counts and names; null where it is not known. */
export type SortValue = number | string | null;

/** A place in a sorted list: that of the last generation of a page, which may have been removed since. */
export interface SortedPlace {
  readonly value: SortValue;
  readonly createdAtMs: number;
  readonly id: string;
}

export interface SortedQuery {
  readonly limit: number;
  readonly sort: GenerationSort;
  readonly order: SortOrder;
  /** Begins with what comes after this place. */
  readonly after?: SortedPlace | undefined;
  readonly filter?: GenerationFilter | undefined;
}

/** Calls that a client has marked as belonging together, by the latest call of each; the filter chooses calls. */
export interface SessionQuery {
  readonly limit: number;
  /** Begins with what comes after this place. */
  readonly after?: SessionPlace | undefined;
  /** Adds up the calls of this workspace alone, because others may use the same names. Default: those of all. */
  readonly workspaceId?: string | undefined;
  /** Leaves the sessions of which at least one call matches. */
  readonly filter?: GenerationFilter | undefined;
}

/** A place in the list of sessions: that of the last one of a page. */
export interface SessionPlace {
  /** Beginning of its latest call. */
  readonly lastAtMs: number;
  readonly sessionId: string;
}

/** All calls of one session, added up. */
export interface SessionSum extends SessionPlace {
  /** Id of its first call; of several that began at once, the smallest. */
  readonly firstId: string;
  readonly firstAtMs: number;
  /** End of the call that ended last. */
  readonly endMs: number;
  readonly requests: number;
  /** Number of calls that the filter matches. */
  readonly matching: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly interrupted: number;
  readonly costNanoUsd: number;
  /** Whether the cost of every call is known. */
  readonly isCostKnown: boolean;
  /** The values with the most calls first. */
  readonly models: readonly string[];
  /** In their order as texts. */
  readonly principalIds: readonly string[];
}

export interface SessionPage {
  /** The one with the latest call first. */
  readonly sessions: readonly SessionSum[];
  /** Pass as `after` for the next page; null at the end. A page with a filter may end before it is full. */
  readonly next: SessionPlace | null;
  /**
   * Where the time was over before all of the filter's span was looked at: the moment from which on everything is in.
   * Absent otherwise.
   */
  readonly searchedFromMs?: number | undefined;
}

/** What began from a moment on, and before another one, in Unix milliseconds. */
export interface ScanQuery {
  readonly fromMs: number;
  readonly toMs: number;
  /** Default: all. */
  readonly reach?: GenerationReach | undefined;
}
