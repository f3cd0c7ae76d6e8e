import type { Awaitable } from '../foundation/awaitable.ts';
import type { CallTimeline, Generation, GenerationContent, StreamTimeline } from '../wire/generation.ts';
import type { KeptResponse } from '../wire/kept-response.ts';
import type { StoredRequest } from '../wire/stored-request.ts';
import type {
  ActivityQuery,
  ActivitySum,
  AttemptFacts,
  GenerationFacets,
  GenerationFacts,
  GenerationFilter,
  GenerationHistogram,
  HistogramQuery,
  ScanQuery,
  SessionPage,
  SessionQuery,
  SortedPlace,
  SortedQuery,
} from './generation-queries.ts';

export interface GenerationQuery {
  readonly limit: number;
  /** Begins with what is older than this record. */
  readonly before?: string | undefined;
  readonly filter?: GenerationFilter | undefined;
}

export interface GenerationPage {
  readonly records: readonly GenerationRecord[];
  /**
   * The id of the oldest record that was checked. Pass as `before` for the next, older page; null at the end. With a
   * filter, a page may end before it is full, or even empty, because the number of checked records is limited.
   */
  readonly next: string | null;
}

export interface SortedPage {
  readonly records: readonly GenerationRecord[];
  /** Pass as `after` for the next page; null at the end. */
  readonly next: SortedPlace | null;
  /**
   * Where the time was over before all of the filter's span was looked at: the moment from which on everything is in.
   * Absent otherwise.
   */
  readonly searchedFromMs?: number | undefined;
}

export interface FollowedGenerations {
  readonly records: readonly GenerationRecord[];
  /** The place after the last of them. */
  readonly place: string;
}

export interface GenerationRepository {
  /**
   * Resolves once the record (and its content, where given) would survive a crash of this process; the last byte of a
   * response waits for it. Both can be read from then on. An existing id is refused with an error. A long text of the
   * content may wait on disk, and is read when its member is read; `toContentJson` gives it piece by piece.
   */
  append(record: GenerationRecord, content: StoredContent | null): Promise<void>;
  /**
   * Notes the calls under way, in place of those noted before. When the process ends without another note, the next
   * opening of the store appends those of them that were not appended, as interrupted. Survives the death of the process.
   * Absent where nothing outlives it.
   */
  noteRunning?(calls: readonly RunningCall[]): Promise<void>;
  /**
   * Calls back with the ids of appended generations once `spent` includes them in every process; the returned function
   * ends that. Absent where an append does so itself.
   */
  onCounted?(listener: (ids: readonly string[]) => void): () => void;
  /**
   * Why a call that began now could not be recorded, in a sentence for its caller; null while it could. Costs next to
   * nothing, as every call asks. Absent where that is always so.
   */
  findNoRoom?(): string | null;
  /** Replaces earlier versions of a record, as durably as `append`. False when the id is unknown. */
  update(record: GenerationRecord): Promise<boolean>;
  /**
   * Replaces a record by what `change` makes of its last version, which no process changes meanwhile; as durably as
   * `append`. False when the id is unknown. Absent where one process is alone, in which changes take turns.
   */
  change?(id: string, change: (record: GenerationRecord) => GenerationRecord): Promise<boolean>;
  get(id: string): Awaitable<GenerationRecord | undefined>;
  /**
   * What `get` did not find, after waiting a moment for another process that has appended it but not handed it over yet.
   * Absent where one process is alone.
   */
  getLate?(id: string): Promise<GenerationRecord | undefined>;
  /** Undefined when the id is unknown, or nothing was stored, or it was deleted. */
  getContent(id: string): Awaitable<StoredContent | undefined>;
  /**
   * `toPreview` of the content, at little cost however long it is. Undefined when there is no content, and where it
   * would take too long to read.
   */
  getPreview(id: string): Awaitable<string | undefined>;
  /** The content cannot be read from the moment it resolves. False when there was none. */
  deleteContent(id: string): Promise<boolean>;
  /** Newest first. Costs the same however many there are. */
  page(query: GenerationQuery): Awaitable<GenerationPage>;
  /**
   * A page in another order, at one look at each generation that the span of the filter may contain. Unknown values come
   * last in either order, and equal ones newest first. The places of pages stay exact while generations are added: none
   * is shown twice, or left out that was there. Yields to the event loop between steps.
   */
  sorted(query: SortedQuery): Awaitable<SortedPage>;
  /**
   * A page of sessions with the sums of all their calls, at one look at each generation. A session that gets a call
   * meanwhile moves to the front. Yields to the event loop between steps.
   */
  sessions(query: SessionQuery): Awaitable<SessionPage>;
  /**
   * Adds up by time, and by the values of a split, what a filter chooses, at a cost by that time. Yields to the event
   * loop between steps.
   */
  histogram(query: HistogramQuery): Awaitable<GenerationHistogram>;
  /** Shows all that began within a span to `look`, in any order, at one look at each. Yields to the event loop between steps. */
  scan(query: ScanQuery, look: (generation: ScannedGeneration) => void): Promise<void>;
  /** Counts by status, model, provider and principal what a filter chooses. Costs the same as `histogram`. */
  facets(filter: GenerationFilter): Awaitable<GenerationFacets>;
  /** Adds up by day, model, provider, endpoint and workspace. Yields to the event loop between steps. */
  activity(query: ActivityQuery): Awaitable<readonly ActivitySum[]>;
  /**
   * Generations after a place, oldest first, in an order in which nothing ever appears before a place that was given
   * out, even if another process appends it. Without a place none: the present end. Absent where one process is alone.
   */
  follow?(place: string | null, limit: number): Promise<FollowedGenerations>;
  /**
   * The moment from which on all that began are there, in Unix milliseconds: retention has dropped others before it.
   * Undefined, or absent, where nothing was dropped.
   */
  completeFromMs?(): Awaitable<number | undefined>;
  /** About how many there are. */
  count(): Awaitable<number>;
  /** Sum of `costNanoUsd` over all records of one principal, those removed by retention included. */
  spentNanoUsd(principalId: string): Awaitable<number>;
  /**
   * Like `usage`, for a part of the time, for other spenders than a principal, and by the paying party. Called during
   * every call with a budget.
   */
  spent(query: SpentQuery): Awaitable<Spent>;
  /**
   * Everything that was spent, on generations that are gone as well, but for what was carried from one source. For moving
   * into another store.
   */
  listSpending(exceptFrom?: string): Awaitable<Iterable<SpendingSum>>;
  /**
   * Counts what was spent at another store, in the place of what was carried from that source before: all of it, or after
   * a failure nothing. For moving.
   */
  carrySpending(source: string, sums: Iterable<SpendingSum>): Promise<void>;
}

/** A generation as a scan shows it. Its parts are read where they are asked for. */
export interface ScannedGeneration {
  readFacts(): GenerationFacts;
  /** In order. */
  readAttempts(): readonly AttemptFacts[];
  readRecord(): GenerationRecord;
}

/** A generation with what the wire does not show. */
export interface GenerationRecord {
  readonly generation: Generation;
  /** `Principal.id` of the caller; only that principal and management may read the generation. */
  readonly principalId: string;
  /** The member it counts for, where the caller had one. */
  readonly userId?: string | undefined;
  /**
   * Exact cost in billionths of a dollar, whoever pays it; 0 when unknown (see `generation.cost_known`). With the caller's
   * own key the provider's bill and the fee, which is `generation.byok_fee`.
   */
  readonly costNanoUsd: number;
}

/** The request and the completion, with the parts that the API does not show. */
export interface StoredContent extends GenerationContent {
  /** The whole request; absent in contents of former versions, and where there was none. */
  readonly request?: StoredRequest | undefined;
  /** What gives back a stored response (`POST /responses`); absent for other calls, and where it was not to be stored. */
  response?: KeptResponse | undefined;
  /** Times at which the text arrived; absent for an unstreamed completion. */
  readonly timeline?: StreamTimeline | undefined;
  /** Times of everything else; absent in contents of former versions, and for videos. */
  readonly callTimeline?: CallTimeline | undefined;
  /** Former name of `callTimeline`; read only. */
  readonly course?: CallTimeline | undefined;
}

/** The timeline of a call in its stored content, under its name or its former one. */
export const callTimelineOf = (content: StoredContent | undefined): CallTimeline | undefined =>
  content?.callTimeline ?? content?.course;

/** What a call under way has used so far. */
export interface RunningFigures {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costUsd: number;
  readonly costNanoUsd: number;
  /** The part of it that is a fee for the use of the caller's own key; absent for calls with another. */
  readonly feeNanoUsd?: number | undefined;
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

/** Sums of nano-dollars. */
export interface Spent {
  readonly creditsNanoUsd: number;
  /** Paid to providers directly, not by the account. */
  readonly byokNanoUsd: number;
}

/** What one spender spent on a day, or, with the day `''`, before the days that are counted separately. */
export interface SpendingSum extends Spent {
  readonly kind: 'account' | 'key' | 'member' | 'workspace';
  /** `''` for the account, which everything counts for. */
  readonly id: string;
  readonly day: string;
}

/** The spender of a query: all, unless one of the first three is given. */
export interface SpentQuery {
  readonly principalId?: string | undefined;
  readonly userId?: string | undefined;
  readonly workspaceId?: string | undefined;
  /** The first day that counts, by the day a generation began in UTC: `2026-03-01`, at most 31 days ago. Default: ever. */
  readonly since?: string | undefined;
}
