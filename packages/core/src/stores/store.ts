export type { AssignmentRecord, KeyRecord, ModelRecord, ProviderRecord, WorkspaceRecord } from './table-rows.ts';
export type {
  ActivityQuery,
  ActivitySum,
  AttemptFacts,
  GenerationCondition,
  GenerationFacets,
  GenerationFacts,
  GenerationFilter,
  GenerationHistogram,
  HistogramFigures,
  HistogramPart,
  HistogramQuery,
  SessionPage,
  SessionPlace,
  SessionQuery,
  SessionSum,
  ScanQuery,
  SortedPlace,
  SortedQuery,
} from './generation-queries.ts';
import type { Awaitable } from '../foundation/async/awaitable.ts';
import type { Engine } from '../foundation/engine.ts';
import type { Destination } from '../wire/destinations/destination.ts';
import type { CallCourse } from '../wire/generations/call-course.ts';
import type { Generation, GenerationContent } from '../wire/generations/generation.ts';
import type { StreamTimeline } from '../wire/generations/stream-timeline.ts';
import type { Guardrail } from '../wire/management/guardrail.ts';
import type { Member } from '../wire/management/member.ts';
import type { SettingsChange } from '../wire/management/settings.ts';
import type { BroadcastDelivery, BroadcastRow } from './broadcast-row.ts';
import type { BudgetSlices } from './budget-slices.ts';
import type {
  ActivityQuery,
  ActivitySum,
  AttemptFacts,
  GenerationFacets,
  GenerationFacts,
  GenerationFilter,
  GenerationHistogram,
  HistogramQuery,
  SessionPage,
  SessionQuery,
  ScanQuery,
  SortedPlace,
  SortedQuery,
} from './generation-queries.ts';
import type { GuardrailHitsRow } from './guardrail-hits-row.ts';
import type { Tables } from './kit/tables.ts';
import type { SharedEntries } from './shared-entries.ts';
import type { AssignmentRecord, KeyRecord, ModelRecord, ProviderRecord, WorkspaceRecord } from './table-rows.ts';
import type { VideoDelivery, VideoJob } from './video-job.ts';

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

/** Rows that change seldom, by id. What a promise has resolved for is durable, and every later `get` shows it. */
export interface Repository<Row> {
  get(id: string): Awaitable<Row | undefined>;
  /** Oldest first; a changed row keeps its position. */
  list(): Awaitable<readonly Row[]>;
  /** Rejects when the id exists. */
  insert(row: Row): Promise<void>;
  /**
   * Replaces a row by the result of `change`, one change of a row at a time. It may be called more than once; its
   * exception rejects and changes nothing. Resolves with the new row; undefined without a row and an `initial` one.
   */
  update(id: string, change: (row: Row) => Row, initial?: Row): Promise<Row | undefined>;
  /** False when there is no such row. */
  remove(id: string): Promise<boolean>;
}

/** Rows of which a change may depend on the others: it sees all that are there when it is made, by whichever process. */
export interface TableRepository<Row> extends Repository<Row> {
  /** `check` refuses the row by throwing. It may be called more than once. */
  insert(row: Row, check?: (rows: readonly Row[]) => void): Promise<void>;
  update(id: string, change: (row: Row, rows: readonly Row[]) => Row, initial?: Row): Promise<Row | undefined>;
}

/** Video jobs. The narrower questions are absent where one process is alone, and asks them of the whole list. */
export interface VideoJobRepository extends Repository<VideoJob> {
  /** Those with work left (`hasWork`), oldest first; of these, where it is given, those without a lease that lasts longer. */
  listWorking?(query: WorkingJobsQuery): Awaitable<readonly VideoJob[]>;
  /** The newest that a principal has ordered with this `Idempotency-Key`. */
  findByIdempotencyKey?(principalId: string, key: string): Awaitable<VideoJob | undefined>;
  /** The newest first. */
  listNewest?(limit: number): Awaitable<readonly VideoJob[]>;
  /** Of those that a query chooses, the last that were ordered, and how many there are in all. Reads no others. */
  page?(query: VideoJobQuery): Awaitable<VideoJobPage>;
  /** Those that were ordered within a span, in any order. */
  listOrdered?(span: OrderedSpan): Awaitable<readonly VideoJob[]>;
}

export interface VideoJobQuery {
  readonly status?: VideoJob['status'] | undefined;
  /** Those whose end is or was to be announced (`announcementOf`): all of them, or those in one state. */
  readonly announcement?: 'any' | VideoDelivery['state'] | undefined;
  readonly limit: number;
}

export interface VideoJobPage {
  /** The last ordered first; of those ordered at the same time, the last stored. */
  readonly jobs: readonly VideoJob[];
  readonly totalCount: number;
}

/** Milliseconds since the epoch, both ends included. */
export interface OrderedSpan {
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface WorkingJobsQuery {
  /** Milliseconds since the epoch. */
  readonly freeAtMs?: number | undefined;
  readonly limit: number;
}

/** What is left to broadcast. The narrower question is absent where one process is alone, and asks it of the whole list. */
export interface BroadcastRepository extends Repository<BroadcastRow> {
  /** The deliveries to a destination, oldest first. */
  listOf?(destinationId: string): Awaitable<readonly BroadcastDelivery[]>;
}

/** What guardrails did. The narrower question is absent where one process is alone, and asks it of the whole list. */
export interface GuardrailHitsRepository extends Repository<GuardrailHitsRow> {
  /** Oldest first. */
  listDays?(query: GuardrailDaysQuery): Awaitable<readonly GuardrailHitsRow[]>;
}

/** Days as rows have them, both ends included. */
export interface GuardrailDaysQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Default: all. */
  readonly guardrailId?: string | undefined;
}

/** The guardrail of a key, or of a member: at most one each. Durable like a `Repository`. */
export interface AssignmentRepository {
  /** Finds by the key's hash or the member's id. */
  get(subjectId: string): Awaitable<AssignmentRecord | undefined>;
  /** Oldest first. */
  list(): Awaitable<readonly AssignmentRecord[]>;
  /**
   * Puts all of them in the place of what their subjects had before. Those whose guardrail is gone are left out.
   * Resolves with how many were put.
   */
  assign(assignments: readonly AssignmentRecord[]): Promise<number>;
  /** Removes what of these subjects belongs to this guardrail; resolves with how many that were. */
  unassign(guardrailId: string, subjectIds: readonly string[]): Promise<number>;
}

/** Settings of the account that were set through the API, not by configuration. Durable like a `Repository`. */
export interface SettingsRepository {
  /** Synchronous, and the same object until a change: every request reads it. A shared store keeps a copy. */
  get(): SettingsChange;
  update(change: (settings: SettingsChange) => SettingsChange): Promise<SettingsChange>;
}

/** Sums of nano-dollars. */
export interface Spent {
  readonly creditsNanoUsd: number;
  /** Paid to providers directly, not to the account. */
  readonly byokNanoUsd: number;
}

/** What one spender spent on a day, or, with the day `''`, before the days that are told apart. */
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

export interface GenerationRepository {
  /**
   * Resolves once the record (and its content, where given) would survive a crash of this process; the last byte of a
   * response waits for it. Both can be read from then on. An existing id is refused with an error.
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
  /** Replaces earlier versions of a record, as durably as `append`. False when the id is unknown. */
  update(record: GenerationRecord): Promise<boolean>;
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
   * Those that come after a place, oldest first, in an order in which nothing ever appears before a place that was given
   * out, whichever process appends it. Without a place none: the present end. Absent where one process is alone.
   */
  follow?(place: string | null, limit: number): Promise<FollowedGenerations>;
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

/** One attempt to bring generations to a destination. */
export interface DeliveryAttempt {
  readonly destinationId: string;
  readonly generationIds: readonly string[];
  /** When its request began, in milliseconds since the epoch. */
  readonly sentAt: number;
  readonly tookMs: number;
  readonly hasArrived: boolean;
  /** In a few words, without addresses. */
  readonly result: string;
}

/** What became of deliveries, for people who look at a call. Bounded, and dropped with the generations of their day. */
export interface DeliveryLog {
  /** Survives the death of this process once it resolves. No call waits for it. */
  append(attempt: DeliveryAttempt): Promise<void>;
  /** Those of a generation that began at this time, oldest first. */
  of(generationId: string, createdAtMs: number): Awaitable<readonly DeliveryAttempt[]>;
}

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

/** Whether a store can serve. */
export type StoreReadiness = { readonly isReady: true } | { readonly isReady: false; readonly reason: string };

/**
 * Everything the gateway remembers. Small repositories, so that a new store is a handful of short functions;
 * `@model-gateway/core/testing` has the facts every one of them must meet.
 */
export interface Store {
  /** True where other processes use the same store at the same time. */
  readonly isShared?: boolean | undefined;
  /** Keys by hash. The removal of a key removes its assignment. */
  readonly keys: TableRepository<KeyRecord>;
  /** The removal of a member removes its assignment. */
  readonly members: TableRepository<Member>;
  /** The removal of a guardrail removes its assignments. */
  readonly guardrails: TableRepository<Guardrail>;
  readonly keyAssignments: AssignmentRepository;
  readonly memberAssignments: AssignmentRepository;
  readonly workspaces: TableRepository<WorkspaceRecord>;
  readonly destinations: TableRepository<Destination>;
  /** Providers that were set up through the API, by slug. */
  readonly providers: TableRepository<ProviderRecord>;
  /** Models that were set up through the API. */
  readonly models: TableRepository<ModelRecord>;
  readonly settings: SettingsRepository;
  /** Change often; otherwise like the other tables. */
  readonly videoJobs: VideoJobRepository;
  /** Deliveries that are waiting for destinations, or have failed. Changes often, like video jobs. */
  readonly broadcasts: BroadcastRepository;
  /** How often guardrails acted, a row a day and guardrail. Changes every few seconds while they do. */
  readonly guardrailHits: GuardrailHitsRepository;
  readonly deliveries: DeliveryLog;
  readonly generations: GenerationRepository;
  /** What processes at the same store tell each other; absent where one process is alone. */
  readonly entries?: SharedEntries | undefined;
  /** Divides budgets among the processes at the same store; absent where one process is alone. */
  readonly budgetSlices?: BudgetSlices | undefined;
  /**
   * Calls back after tables have changed, here or in another process, with their names; the returned function ends
   * that. Absent where one process is alone.
   */
  onTablesChanged?(listener: (tables: ReadonlySet<keyof Tables>) => void): () => void;
  /**
   * Resolves when the tables show what other processes had changed before the call; never later than after a second, and
   * never rejects. Whoever has written at one process thus reads it at another at once. Absent where one process is alone.
   */
  catchUpTables?(): Promise<void>;
  /** Whether new calls can be served, and if not, why, for operators. Absent where that is always so. */
  readiness?(): StoreReadiness;
  /**
   * What it keeps its rows in. During an outage of it the store may be ready all the same: calls go on with what is in
   * memory, while lists and changes fail.
   */
  readonly engine?: Engine | undefined;
  /** The state of retention by age; absent where there is none. */
  readonly retention?: RetentionState | undefined;
  /** Writes pending data and closes files and connections. No other method may be called after it. */
  close(): Promise<void>;
}
