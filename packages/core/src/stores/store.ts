export type { AssignmentRepository } from './assignment-repository.ts';
export type { BroadcastDeliveryPage, BroadcastDeliveryQuery, BroadcastRepository } from './broadcast-repository.ts';
export type { DeliveryAttempt, DeliveryLog } from './delivery-log.ts';
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
export type { GenerationRecord, StoredContent } from './generation-record.ts';
export type {
  FollowedGenerations,
  GenerationPage,
  GenerationQuery,
  GenerationRepository,
  ScannedGeneration,
  SortedPage,
} from './generation-repository.ts';
export type { GuardrailDaysQuery, GuardrailHitsRepository } from './guardrail-hits-repository.ts';
export type { Repository, TableRepository } from './repository.ts';
export type { RetentionState } from './retention-state.ts';
export type { RunningCall, RunningFigures } from './running-call.ts';
export type { SettingsRepository } from './settings-repository.ts';
export type { SpendingSum, Spent, SpentQuery } from './spending.ts';
export type { AssignmentRecord, KeyRecord, ModelRecord, ProviderRecord, WorkspaceRecord } from './table-rows.ts';
export type { VideoJobPage, VideoJobQuery, VideoJobRepository, WorkingJobsQuery } from './video-job-repository.ts';
import type { Engine } from '../foundation/engine.ts';
import type { Destination } from '../wire/destinations.ts';
import type { Guardrail } from '../wire/guardrails.ts';
import type { Member } from '../wire/keys.ts';
import type { AssignmentRepository } from './assignment-repository.ts';
import type { BroadcastRepository } from './broadcast-repository.ts';
import type { BudgetSlices } from './budget-slices.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { GenerationRepository } from './generation-repository.ts';
import type { GuardrailHitsRepository } from './guardrail-hits-repository.ts';
import type { Tables } from './kit/tables.ts';
import type { TableRepository } from './repository.ts';
import type { RetentionState } from './retention-state.ts';
import type { SettingsRepository } from './settings-repository.ts';
import type { SharedEntries } from './shared-entries.ts';
import type { StoreFigures } from './store-figures.ts';
import type { KeyRecord, ModelRecord, ProviderRecord, WorkspaceRecord } from './table-rows.ts';
import type { VideoJobRepository } from './video-job-repository.ts';

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
  /** Figures for metrics, at once and without its engine: those of an engine are of a moment ago. Absent: none. */
  figures?(): StoreFigures;
  /** The state of retention by age; absent where there is none. */
  readonly retention?: RetentionState | undefined;
  /** Writes pending data and closes files and connections. No other method may be called after it. */
  close(): Promise<void>;
}
