import type { Repository } from '@model-gateway/core';
import { type Kysely, sql, type Transaction } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import { runTransaction } from '../connection/connection.ts';
import { codeOf } from '../connection/errors.ts';
import type { Database } from '../database.ts';

export interface RowRepositoryOptions<Row> {
  readonly database: Kysely<Database>;
  readonly table: 'video_jobs' | 'broadcasts' | 'guardrail_hits';
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
