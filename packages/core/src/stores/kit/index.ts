/*
 * What a store outside of this repository is made of, `@model-gateway/core/store-kit`. docs/extending/store.md makes one
 * with it. The contract itself, and the records of every table, are types of the main path.
 */
export { createTurns, createTurnsOf, type InTurn } from '../../foundation/queues.ts';
export { createMemoryStore } from '../memory-store.ts';
export { EMPTY_TABLES } from '../rows.ts';
export type {
  DeliveryAttempt,
  DeliveryLog,
  GenerationRecord,
  GenerationRepository,
  Repository,
  SpendingSum,
  Store,
  StoredContent,
} from '../store.ts';
export type { Tables } from '../table-schemas.ts';
export { createActivityBook, createFacetCount, createHistogram, type HistogramCount } from './aggregates.ts';
export { chainRecords, toAnchorEntry, toAuditPage } from './audit-chain.ts';
export {
  type AttemptSource,
  type FactSource,
  isInReach,
  matchesFilter,
  toAttemptFacts,
  toGenerationFacts,
} from './filters.ts';
export { createMemoryAudit } from './memory-audit.ts';
export { toInterruptedRecord, toPreview } from './records.ts';
export {
  createDeliveryBook,
  createRowRepository,
  createTableRepositories,
  type RowChange,
  type TableSource,
} from './repositories.ts';
export { createFirstGenerations, createSessionBook, type FirstGenerations, type SessionBook } from './sessions.ts';
export { createSpendingBook, type SpendingBook, type SpendingEntry, toSpending } from './spending.ts';
