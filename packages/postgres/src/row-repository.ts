import {
  type BatchRow,
  type BroadcastRow,
  type GuardrailHitsRow,
  hasEnded,
  hasWork,
  heldBySubmission,
  type Repository,
  type RerunRow,
  type StoredFile,
  type StoredPreset,
  type StoredPrompt,
  toPromptHead,
  type VideoJob,
} from '@model-gateway/core';
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely';

import { toColumnId } from './connection/column-text.ts';
import { runTransaction } from './connection/connection.ts';
import { codeOf } from './connection/errors.ts';
import type { Database, RowTables } from './database.ts';

type RowTable = 'video_jobs' | 'broadcasts' | 'guardrail_hits' | 'prompts' | 'presets' | 'reruns' | 'files' | 'batches';

interface RowRepositoryOptions<Row> {
  readonly database: Kysely<Database>;
  readonly table: RowTable;
  readonly toColumns: (row: Row) => Readonly<Record<string, unknown>>;
  /** What has aged since before this time is not listed. */
  readonly oldestMs: () => number;
}

const UNIQUE_VIOLATION = '23505';

/** Rows in a table of their own, each of which is read and written by itself. */
export function createRowRepository<Row extends { readonly id: string }>(
  options: RowRepositoryOptions<Row>,
): Repository<Row> {
  const { database, toColumns, oldestMs } = options;
  // The tables have these columns in common, which their types say one by one.
  const table = options.table as 'guardrail_hits';
  const parse = (row: string): Row => JSON.parse(row) as Row;
  const toValues = (row: Row) => ({ row: JSON.stringify(row), ...(toColumns(row) as { ages_from_ms: number | null }) });
  const insert = (on: Kysely<Database>, row: Row) =>
    on.insertInto(table).values({ id: toColumnId(row.id), ...toValues(row) });

  const changeThere = async (
    transaction: Transaction<Database>,
    id: string,
    change: (row: Row) => Row,
  ): Promise<Row | undefined> => {
    const held = transaction.selectFrom(table).select('row').where('id', '=', toColumnId(id)).forUpdate();
    const present = await held.executeTakeFirst();
    if (present === undefined) return undefined;
    const changed = change(parse(present.row));
    const values = toValues(changed);
    if (values.row !== present.row) {
      await transaction.updateTable(table).set(values).where('id', '=', toColumnId(id)).execute();
    }
    return changed;
  };

  return {
    async get(id) {
      const found = await database.selectFrom(table).select('row').where('id', '=', toColumnId(id)).executeTakeFirst();
      return found && parse(found.row);
    },
    async list() {
      const found = await database
        .selectFrom(table)
        .select('row')
        .where(sql<boolean>`(ages_from_ms is null or ages_from_ms > ${oldestMs()})`)
        .orderBy('position')
        .execute();
      return found.map(({ row }) => parse(row));
    },
    async insert(row) {
      try {
        await insert(database, row).execute();
      } catch (error) {
        if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
        throw new Error(`A row with the id ${row.id} exists`, { cause: error });
      }
    },
    update: (id, change, initial) =>
      runTransaction(database, async (transaction) => {
        for (;;) {
          const changed = await changeThere(transaction, id, change);
          if (changed !== undefined || initial === undefined) return changed;
          const first = change(initial);
          const { numInsertedOrUpdatedRows: put = 0n } = await insert(transaction, first)
            .onConflict((conflict) => conflict.column('id').doNothing())
            .executeTakeFirstOrThrow();
          if (put > 0n) return first;
          // Another process has put one meanwhile.
        }
      }),
    async remove(id) {
      const { numDeletedRows } = await database
        .deleteFrom(table)
        .where('id', '=', toColumnId(id))
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
  };
}

/** The columns of a row beside its id and its JSON. */
type ColumnsOf<Table extends RowTable> = Omit<Insertable<RowTables[Table]>, 'id' | 'position' | 'row'>;

const DAY_MS = 24 * 60 * 60 * 1000;

const toOptionalId = (id: string | null | undefined): string | null => (id == null ? null : toColumnId(id));

export function toVideoJobColumns(job: VideoJob): ColumnsOf<'video_jobs'> {
  return {
    ages_from_ms: hasWork(job) ? null : toWholeMs(job.updatedAt),
    principal_id: toColumnId(job.principalId),
    user_id: toOptionalId(job.userId),
    workspace_id: toOptionalId(job.workspaceId),
    created_at_ms: toWholeMs(job.createdAt),
    has_ended: hasEnded(job),
    is_working: hasWork(job),
    is_byok: job.isByok,
    reserved_nano: job.reservedNanoUsd,
    reserved_fee_nano: job.reservedFeeNanoUsd ?? 0,
    generation_id: toColumnId(job.generationId),
    idempotency_key: toOptionalId(job.idempotency?.key),
    lease_owner: toOptionalId(job.lease?.ownerId),
    lease_until_ms: job.lease == null ? null : toWholeMs(job.lease.untilMs),
  };
}

export function toBroadcastColumns(row: BroadcastRow): ColumnsOf<'broadcasts'> {
  return row.kind !== 'delivery'
    ? { ages_from_ms: null, destination_id: null }
    : { ages_from_ms: toWholeMs(row.createdAt), destination_id: toColumnId(row.destinationId) };
}

export function toGuardrailHitColumns({ day }: Pick<GuardrailHitsRow, 'day'>): { readonly ages_from_ms: number } {
  return { ages_from_ms: Date.parse(day) + DAY_MS };
}

/** Prompts do not age. */
export function toPromptColumns(prompt: StoredPrompt): ColumnsOf<'prompts'> {
  return { ages_from_ms: null, head: JSON.stringify(toPromptHead(prompt)) };
}

/** Presets do not age either. */
export function toPresetColumns({ workspaceId, preset }: StoredPreset): ColumnsOf<'presets'> {
  return { ages_from_ms: null, workspace_id: toColumnId(workspaceId), head: JSON.stringify(preset) };
}

/** Reruns do not age: they are deleted by hand. */
export function toRerunColumns(row: RerunRow): ColumnsOf<'reruns'> {
  const isRerun = row.kind === 'rerun';
  return { ages_from_ms: null, rerun_id: toColumnId(isRerun ? row.id : row.rerunId), is_rerun: isRerun };
}

/** Batches do not age; their results go when they have ended. */
export function toBatchColumns(row: BatchRow): ColumnsOf<'batches'> {
  const isBatch = row.kind === 'batch';
  const submission = row.kind === 'submission' ? row : undefined;
  const held = submission && heldBySubmission(submission);
  return {
    ages_from_ms: null,
    batch_id: toColumnId(isBatch ? row.id : row.batchId),
    is_batch: isBatch,
    payer_id: toOptionalId(submission?.payer.principalId),
    user_id: toOptionalId(submission?.payer.userId),
    workspace_id: toOptionalId(submission?.payer.workspaceId),
    held_credits_nano: toSummable(held?.creditsNanoUsd ?? 0),
    held_any_nano: toSummable(held?.anyNanoUsd ?? 0),
  };
}

/** What several rows add up to must fit into a column. */
const toSummable = (nanoUsd: number): number => Math.min(nanoUsd, Number.MAX_SAFE_INTEGER);

/** Files expire by themselves. */
export function toFileColumns(file: StoredFile): ColumnsOf<'files'> {
  return { ages_from_ms: null, workspace_id: toColumnId(file.workspaceId) };
}

const toWholeMs = (timeMs: number): number => Math.floor(timeMs);
