import type { Awaitable } from '../foundation/awaitable.ts';
import type { GuardrailEffect } from '../wire/values.ts';
import type { KeyRecord, Tables } from './table-schemas.ts';

/**
 * The principal that a job makes its calls as. A stored key is read again when the job goes on, as its limits may have
 * changed; of another caller, which is known by no row, everything that bounds its calls is kept here.
 */
export interface JobOwner {
  readonly id: string;
  readonly name: string;
  readonly userId?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly isKey: boolean;
  /** USD. */
  readonly limitUsd?: number | undefined;
  readonly limitReset?: KeyRecord['limitReset'] | undefined;
  readonly includeByokInLimit?: boolean | undefined;
  readonly externalUser?: string | undefined;
  readonly allowedModels?: readonly string[] | undefined;
  readonly guardrailId?: string | undefined;
  /** The member was in the directory, and the workspace in the store, so that the job ends without them. */
  readonly ofMember?: true | undefined;
  readonly ofWorkspace?: true | undefined;
}

/** What is left to broadcast. The narrower questions are absent where one process is alone, and asks them of the whole list. */
export interface BroadcastRepository extends Repository<BroadcastRow> {
  /** The deliveries to a destination, oldest first. */
  listOf?(destinationId: string): Awaitable<readonly BroadcastDelivery[]>;
  /** The last stored deliveries that a query selects, and how many it selects in all. Reads no others. */
  page?(query: BroadcastDeliveryQuery): Awaitable<BroadcastDeliveryPage>;
}

export interface BroadcastDeliveryQuery {
  readonly destinationId?: string | undefined;
  readonly state?: BroadcastDelivery['state'] | undefined;
  readonly limit: number;
}

export interface BroadcastDeliveryPage {
  /** The last stored first. */
  readonly deliveries: readonly BroadcastDelivery[];
  readonly totalCount: number;
}

/** Generations that one attempt did not bring to their destination. */
export interface BroadcastDelivery {
  readonly kind: 'delivery';
  readonly id: string;
  readonly destinationId: string;
  readonly generationIds: readonly string[];
  /** `failed`: no further attempts, unless it is sent again on request. */
  readonly state: 'waiting' | 'failed';
  readonly attempts: number;
  /** Milliseconds since the epoch, as `createdAt`. */
  readonly nextAttemptAt: number;
  /** In a few words, without addresses. */
  readonly lastResult: string | null;
  readonly createdAt: number;
}

/** How far a destination has got: what was recorded after this generation is still to be sent. */
interface BroadcastProgress {
  readonly kind: 'progress';
  /** The destination's. */
  readonly id: string;
  readonly through: string;
}

/** How far a destination has got where several processes share a store, and which of them sends to it. */
export interface BroadcastFeed {
  readonly kind: 'feed';
  /** The destination's. */
  readonly id: string;
  /** The `updated_at` that the destination had when it began: what a later one switches off is another. */
  readonly since: string;
  /** What comes after it, by `GenerationRepository.follow`, is still to be sent. */
  readonly place: string;
  /** Null while no process owns it. */
  readonly lease: {
    readonly ownerId: string;
    /** Rises with every change of owner. */
    readonly token: number;
    /** Milliseconds since the epoch. */
    readonly untilMs: number;
  } | null;
  /** Rises whenever a delivery is to be sent again, so that the owner reads the deliveries again. */
  readonly resends: number;
  /** For those who look at it from another process; each is as `QueueStatus` has it. */
  readonly status: {
    readonly queued: number;
    readonly lastDeliveredAt: number | null;
    readonly lastFailure: { readonly at: number; readonly result: string } | null;
  };
}

/**
 * A stored row of broadcasting. For a working destination that is its progress alone, every few seconds: the
 * generations themselves are in the store already.
 */
export type BroadcastRow = BroadcastDelivery | BroadcastProgress | BroadcastFeed;

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
  /** Deliveries of a generation that began at this time, oldest first. */
  of(generationId: string, createdAtMs: number): Awaitable<readonly DeliveryAttempt[]>;
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

/** A call that a guardrail refused before any endpoint was asked, so that there is no generation of it. */
export interface GuardrailRefusal {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly effect: GuardrailEffect;
  /** The label of the filter, or the field of the guardrail. */
  readonly rule: string;
  readonly principalId: string | null;
  /** As the caller wrote it. */
  readonly model: string | null;
}

/** How often one guardrail acted on one day. */
export interface GuardrailHitsRow {
  /** The guardrail's id and the day. */
  readonly id: string;
  readonly guardrailId: string;
  /** In UTC: `2026-03-01`. */
  readonly day: string;
  /** Counts by the hour of the day, `0` to `23`, and by effect. What is absent is 0. */
  readonly hours: Readonly<Record<string, Readonly<Partial<Record<GuardrailEffect, number>>>>>;
  /** The latest, newest first; not all of them. */
  readonly refusals: readonly GuardrailRefusal[];
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

/** Rows of which a change may depend on the others: it sees all that are there when it is made, by any process. */
export interface TableRepository<Row> extends Repository<Row> {
  /** `check` refuses the row by throwing. It may be called more than once. */
  insert(row: Row, check?: (rows: readonly Row[]) => void): Promise<void>;
  update(id: string, change: (row: Row, rows: readonly Row[]) => Row, initial?: Row): Promise<Row | undefined>;
}

/** Before anything is stored. */
export const EMPTY_TABLES: Tables = {
  keys: [],
  members: [],
  guardrails: [],
  keyAssignments: [],
  memberAssignments: [],
  workspaces: [],
  destinations: [],
  providers: [],
  models: [],
  byokKeys: [],
  scimGroups: [],
  settings: {},
};
