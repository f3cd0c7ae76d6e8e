import type { Awaitable } from '../foundation/awaitable.ts';
import type { Engine } from '../foundation/host.ts';
import type { ByokKeyRecord } from '../wire/byok.ts';
import type { Destination } from '../wire/destinations.ts';
import type { Guardrail } from '../wire/guardrails.ts';
import type { Member } from '../wire/members.ts';
import type { GroupRecord } from '../wire/scim-groups.ts';
import type { StoredSettings } from '../wire/settings.ts';
import type { AuditRepository } from './audit.ts';
import type { BatchRepository } from './batches.ts';
import type { FileRepository } from './files.ts';
import type { GenerationRecord, GenerationRepository, RunningCall } from './generations.ts';
import type { RetentionChanges } from './kept-days.ts';
import type { PresetRepository } from './presets.ts';
import type { PromptRepository } from './prompts.ts';
import type { RerunRepository } from './reruns.ts';
import type { BroadcastRepository, DeliveryLog, GuardrailHitsRepository, TableRepository } from './rows.ts';
import type {
  AssignmentRecord,
  KeyRecord,
  ModelRecord,
  ProviderRecord,
  Tables,
  WorkspaceRecord,
} from './table-schemas.ts';
import type { VideoJobRepository } from './video-jobs.ts';

export type {
  BroadcastDeliveryPage,
  BroadcastDeliveryQuery,
  BroadcastRepository,
  DeliveryAttempt,
  DeliveryLog,
  GuardrailDaysQuery,
  GuardrailHitsRepository,
  JobOwner,
} from './rows.ts';
export type {
  AssignmentRecord,
  KeyRecord,
  Membership,
  ModelRecord,
  ProviderRecord,
  WorkspaceRecord,
} from './table-schemas.ts';
export type {
  ActivitySum,
  AttemptFacts,
  GenerationCondition,
  GenerationFacets,
  GenerationFilter,
  GenerationHistogram,
  HistogramFigures,
  HistogramPart,
  SessionPlace,
  SessionSum,
  SortedPlace,
  SortedQuery,
} from './generation-queries.ts';
export type {
  FollowedGenerations,
  GenerationPage,
  GenerationQuery,
  GenerationRecord,
  GenerationRepository,
  RunningCall,
  RunningFigures,
  ScannedGeneration,
  SortedPage,
  SpendingSum,
  Spent,
  SpentQuery,
  StoredContent,
} from './generations.ts';
export type { Repository, TableRepository } from './rows.ts';

export type { VideoJobPage, VideoJobQuery, VideoJobRepository, WorkingJobsQuery } from './video-jobs.ts';

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
  /** Keys that workspaces bring for providers. */
  readonly byokKeys: TableRepository<ByokKeyRecord>;
  /** Groups of people, as the company's directory has sent them, with what they give. */
  readonly scimGroups: TableRepository<GroupRecord>;
  readonly settings: SettingsRepository;
  /** Change often; otherwise like the other tables. */
  readonly videoJobs: VideoJobRepository;
  /** Deliveries that are waiting for destinations, or have failed. Changes often, like video jobs. */
  readonly broadcasts: BroadcastRepository;
  /** How often guardrails acted, a row a day and guardrail. Changes every few seconds while they do. */
  readonly guardrailHits: GuardrailHitsRepository;
  /** Each with all its versions, a row of its own: together their texts may be large. */
  readonly prompts: PromptRepository;
  /** Each with all its versions, like prompts. */
  readonly presets: PresetRepository;
  /** Reruns and their items, which change with every call that they make. */
  readonly reruns: RerunRepository;
  /** What is known of stored files, without their contents. */
  readonly files: FileRepository;
  /** Batches and the results of their lines, until these are in files. */
  readonly batches: BatchRepository;
  readonly deliveries: DeliveryLog;
  /** The log of changes; absent where there is none, and then nothing is recorded. */
  readonly audit?: AuditRepository | undefined;
  readonly generations: GenerationRepository;
  /** Messages between processes at the same store; absent if one process is alone. */
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
   * never rejects. A client that has written at one process thus reads it at another at once. Absent where one process is alone.
   */
  catchUpTables?(): Promise<void>;
  /** Whether new calls can be served, and if not, why, for operators. Absent where that is always so. */
  readiness?(): StoreReadiness;
  /**
   * What it keeps its rows in. During an outage of it the store may be ready all the same: calls go on with what is in
   * memory, while lists and changes fail.
   */
  readonly engine?: Engine | undefined;
  /** Figures for metrics, at once and without its engine: those of an engine are of a moment ago. Absent: none. */
  figures?(): StoreFigures;
  /** The state of retention by age; absent where there is none. */
  readonly retention?: RetentionState | undefined;
  /** Writes pending data and closes files and connections. No other method may be called after it. */
  close(): Promise<void>;
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

/** A budget as all instances name it. Its limit is no part of it: that comes with each call. */
export interface SlicedBudget {
  readonly kind: 'account' | 'key' | 'member' | 'workspace';
  /** Whose it is; empty for the account. */
  readonly spenderId: string;
  /** The first day that counts, `2026-03-01` in UTC; null for all. */
  readonly since: string | null;
  /** Whether calls that the caller pays to the provider count, too. */
  readonly includesByok: boolean;
}

/** The amount of a budget that belongs to this instance. Billionths of a dollar, as everything here. */
export interface BudgetSlice {
  readonly budget: SlicedBudget;
  readonly nanoUsd: number;
}

export interface SliceRequest {
  readonly budget: SlicedBudget;
  readonly limitNanoUsd: number;
  /** What this instance has used or goes on holding: it stays in the slice, whether it fits into the limit or not. */
  readonly keepNanoUsd: number;
  /** The least amount beyond it that is of use. */
  readonly needNanoUsd: number;
  /** The amount beyond it that is asked for: at least the need. */
  readonly wantNanoUsd: number;
  /** Whether the other instances are asked for what they do not need, where there is too little. */
  readonly recalls: boolean;
}

/** What became of a request. */
export interface SliceGrant {
  /** What is kept and what was granted: the slice from now on. */
  readonly sliceNanoUsd: number;
  /** What all instances have spent, according to the store. */
  readonly spentNanoUsd: number;
  /** The slices of the other instances, and what open video jobs and submissions of batches hold. */
  readonly heldElsewhereNanoUsd: number;
  /** What was left of the limit beside all of this and what is kept; below zero where there is too little. */
  readonly availableNanoUsd: number;
  /** How many instances were asked for what they do not need. */
  readonly recalledFrom: number;
}

/**
 * Divides budgets among the instances at a store. At any time what is spent and the slices of all living instances
 * together are at most the limit, so that an instance may spend its slice without asking. Every method rejects while the
 * store is away. A write that comes after a later one of this instance has no effect.
 */
export interface BudgetSlices {
  /** What happens to calls with budgets while the store is away: `spool` lets them pass up to a bound. */
  readonly whenDown: 'refuse' | 'spool';
  /** How long the slices of this instance stay its own after a renewal has begun. */
  readonly lifeMs: number;
  /** Renews all slices of this instance. False where others have been given them meanwhile: then it has none. */
  renew(): Promise<boolean>;
  /** Asks for more of a budget. Resolves with null where the slices of this instance are no longer its own. */
  take(request: SliceRequest): Promise<SliceGrant | null>;
  /**
   * Makes slices as large as this: smaller to return what is free, larger only for what was spent beyond them. False
   * where the slices of this instance are no longer its own.
   */
  put(slices: readonly BudgetSlice[]): Promise<boolean>;
  /** Like `put` for one, and tells it to the instances that have asked for what this one does not need. */
  giveBack(slice: BudgetSlice): Promise<boolean>;
  /** Calls back when another instance asks for what this one does not need of a budget; the returned function ends that. */
  onRecall(listener: (budget: SlicedBudget) => void): () => void;
  /** Calls back after another instance has given back what it did not need; the returned function ends that. */
  onGivenBack(listener: (budget: SlicedBudget, instanceId: string) => void): () => void;
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
  /** Changes how long is kept, by the stored settings; absent where nothing but the host decides that. */
  readonly changes?: RetentionChanges | undefined;
}

/** Settings of the account that were set through the API, not by configuration. Durable like a `Repository`. */
export interface SettingsRepository {
  /** Synchronous, and the same object until a change: every request reads it. A shared store keeps a copy. */
  get(): StoredSettings;
  update(change: (settings: StoredSettings) => StoredSettings): Promise<StoredSettings>;
}

/**
 * Small texts that every process at a store sees, until they expire: claims, sessions, one-time tokens. Each method
 * rejects while the store is away.
 */
export interface SharedEntries {
  get(id: string): Promise<string | undefined>;
  /** Puts it in the place of what is there. */
  put(id: string, value: string, ttlMs: number): Promise<void>;
  /** Puts it unless there is one already. Resolves with that one; undefined when this one was put. */
  claim(id: string, value: string, ttlMs: number): Promise<string | undefined>;
  /** Lets it live this long from now on, if it is still this one; false if it has expired, or another is there. */
  renew(id: string, value: string, ttlMs: number): Promise<boolean>;
  /**
   * Removes it; only if it is this one, where a value is given. Resolves with what was removed: of several processes that
   * do it at once, one gets it.
   */
  take(id: string, value?: string): Promise<string | undefined>;
}

/** Figures of a store for metrics. What it does not know at present is absent. */
export interface StoreFigures {
  /** Records that are acknowledged and not in the database yet. */
  readonly waitingRecords?: number | undefined;
  /** Size of the journal that holds them. */
  readonly journalBytes?: number | undefined;
  /** Size at which the journal accepts no more contents. */
  readonly journalLimitBytes?: number | undefined;
  /** Transactions since the oldest row was frozen: of the whole database, and of the tables of the gateway. */
  readonly transactionAges?: { readonly database: number; readonly tables: number } | undefined;
  /** The age at which a table has to be frozen. */
  readonly freezeMaxAge?: number | undefined;
}

/** A generation as JSON texts, the form in which journal and database take it. */
export interface JournaledRecord {
  readonly id: string;
  readonly record: string;
  readonly content: string | null;
}

/** A change of a record that is in the journal only. */
export interface JournaledChange {
  readonly id: string;
  /** Replaces the record. */
  readonly record?: GenerationRecord | undefined;
  readonly isContentDeleted?: true | undefined;
}

/** A segment with records that are to be settled again. */
export interface JournaledSegment {
  readonly segment: number;
  readonly records: number;
}

/**
 * What was acknowledged and may not be in a database yet, on a disk of this machine: a store in a database asks for it.
 * In segments: one is over as soon as all its records are settled, and removed some time later.
 */
export interface RecordJournal {
  /** On the disk, in segments of which something is not settled. */
  readonly bytes: number;
  /** Segments that an earlier process has left, oldest first. Each counts as one record that is not settled. */
  readonly recovered: readonly number[];
  /** The calls that an earlier process has noted as under way. */
  readonly interrupted: readonly RunningCall[];
  /** Resolves with the segment once the record survives the death of this process. */
  append(record: JournaledRecord): Promise<number>;
  /** Changes a record that was appended, as durably. It is forgotten with `settleChange`. */
  change(change: JournaledChange): Promise<void>;
  settleChange(id: string): Promise<void>;
  /** Records of a segment are in the database, or will never be. */
  settle(segment: number, records: number): void;
  /** Makes unsettled again what was settled, as far as it is there: the database may have lost it. */
  recall(): readonly JournaledSegment[];
  /** Removes segments that were over before a time of the monotonic clock, in milliseconds. */
  release(beforeMs: number): void;
  /** Ends the segment if it is still written to. */
  end(segment: number): Promise<void>;
  /** Reads all records of an ended segment from the disk, with their changes, in pieces that fit in memory. */
  read(segment: number): AsyncIterable<readonly JournaledRecord[]>;
  /** Keeps a record for people to look at, that the database refuses. */
  setAside(record: JournaledRecord, reason: string): Promise<void>;
  /** As `GenerationRepository.noteRunning`. */
  noteRunning(calls: readonly RunningCall[]): Promise<void>;
  /** What is not settled stays for the next opening. A second call does nothing more than the first. */
  close(): Promise<void>;
}
