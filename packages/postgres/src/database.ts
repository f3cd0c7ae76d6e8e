import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** The tables of the SQL schema `gateway`. Each part of the store declares its own. */
export interface Database extends SharedTables, RowTables {}

/** What the tables of rows have in common. */
interface StoredRow {
  readonly id: string;
  /** Rises with each new row. */
  readonly position: Generated<number>;
  /** JSON. */
  readonly row: string;
  /** From when on it gets old, in milliseconds since the epoch; null for what is kept for ever. */
  readonly ages_from_ms: number | null;
}

/** A video job, with columns for what others look for. */
interface VideoJobRow extends StoredRow {
  readonly principal_id: string;
  readonly user_id: string | null;
  readonly workspace_id: string | null;
  readonly created_at_ms: number;
  readonly has_ended: boolean;
  /** Still to be looked at: it has not ended, or its webhook waits, or its videos are still to be fetched. */
  readonly is_working: boolean;
  readonly is_byok: boolean;
  /** What it holds of budgets while it is open. */
  readonly reserved_nano: number;
  /** The part of it that the account pays where `is_byok`. */
  readonly reserved_fee_nano: number;
  readonly generation_id: string;
  readonly idempotency_key: string | null;
  readonly lease_owner: string | null;
  readonly lease_until_ms: number | null;
  readonly status: GeneratedAlways<string>;
  /** The state of the announcement of its end; null while there is none. */
  readonly announcement: GeneratedAlways<string | null>;
}

/** Rows that change often. */
export interface RowTables {
  readonly video_jobs: VideoJobRow;
  readonly broadcasts: StoredRow & {
    /** Null for what is of a destination itself. */
    readonly destination_id: string | null;
    /** State of a delivery. */
    readonly state: GeneratedAlways<string | null>;
  };
  readonly guardrail_hits: StoredRow;
  readonly prompts: StoredRow & {
    /** JSON of what lists show. */
    readonly head: string;
  };
  readonly presets: StoredRow & {
    readonly workspace_id: string;
    /** JSON of what lists show. */
    readonly head: string;
  };
  readonly reruns: StoredRow & {
    /** The rerun that it belongs to; its own id, if it is one. */
    readonly rerun_id: string;
    readonly is_rerun: boolean;
  };
  readonly batches: StoredRow & {
    /** The batch that it belongs to; its own id, if it is one. */
    readonly batch_id: string;
    readonly is_batch: boolean;
    /** Whose budgets hold what a line that is with a provider may cost. */
    readonly payer_id: string | null;
    readonly user_id: string | null;
    readonly workspace_id: string | null;
    readonly held_credits_nano: number;
    readonly held_any_nano: number;
  };
  readonly files: StoredRow & { readonly workspace_id: string };
  readonly file_contents: {
    readonly name: string;
    /** Null until the content is whole. */
    readonly bytes: ColumnType<string | null, undefined, number>;
    readonly saved_at: ColumnType<Date, undefined, Date>;
  };
  readonly file_chunks: {
    readonly content_name: string;
    readonly number: number;
    readonly data: Buffer;
  };
  readonly deliveries: {
    readonly position: Generated<number>;
    readonly row: string;
    readonly generation_ids: readonly string[];
    readonly sent_at_ms: number;
  };
  /** Only grows; what may be deleted, the table says itself. */
  readonly audit: {
    readonly sequence: number;
    readonly at_ms: number;
    readonly action: string;
    readonly outcome: string;
    readonly workspace_id: string | null;
    /** JSON. */
    readonly row: string;
  };
  readonly entries: {
    readonly id: string;
    /** JSON of the text. */
    readonly value: string;
    readonly expires_at: Date;
  };
}

/** The tables that every process has in memory, as one table of rows. */
interface SharedTables {
  /** One row. A change of a table locks it, and raises it. */
  readonly table_version: { readonly version: number };
  readonly table_rows: {
    readonly table_name: string;
    readonly id: string;
    /** Rows of a table are in this order. */
    readonly position: number;
    /** JSON; null once the row is removed. */
    readonly row: string | null;
    /** The version that wrote it. */
    readonly version: number;
  };
}
