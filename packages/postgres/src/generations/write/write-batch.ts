import type { PoolClient, QueryResult } from 'pg';

import { toColumnId } from '../../connection/column-text.ts';
import type { DatabaseConnection } from '../../connection/connection.ts';
import type { Days } from '../retention/days.ts';
import type { ServerWatch } from '../server-watch.ts';
import { UnfitRecordError } from './batch-error.ts';
import { GIVEN_TYPES, toAddStatement, toReplaceStatement } from './incoming-rows.ts';
import type { PendingRecord } from './pending-record.ts';
import { putRow } from './put-row.ts';
import { createRowArrays, type RowArrays } from './row-arrays.ts';

export interface WriteParts {
  readonly connection: Pick<DatabaseConnection, 'useClient'>;
  readonly days: Days;
  readonly server: Pick<ServerWatch, 'meet' | 'note'>;
  /** Inserts that keep further sums, from the rows of `INCOMING`. */
  readonly rollups: readonly string[];
}

const NONE: ReadonlySet<string> = new Set();
/** For a batch as a whole. */
const LIMIT_MS = 8000;

/** Ids of a batch of which nothing was written or counted. */
export interface LeftOut {
  /** Were there before. */
  readonly known: ReadonlySet<string>;
  /** Belong to a day that retention has dropped. */
  readonly late: ReadonlySet<string>;
}

/** The server, in the first row, or what was left out. */
interface AddedRow {
  readonly token: string | null;
  readonly id: string | null;
  readonly is_late: boolean;
}

/** Writes records with their contents and all sums, in one statement. No id may come twice. */
export async function writeBatch(
  { connection, days, server, rollups }: WriteParts,
  records: readonly PendingRecord[],
): Promise<LeftOut> {
  const rows = toRows(records);
  const values = rows.end();
  await days.prepare(new Set(records.map(({ day }) => day)));
  const add = (): Promise<QueryResult<AddedRow>> =>
    connection.useClient(LIMIT_MS, (client) => client.query(toAddStatement(rollups), [...values]));
  let found = await add();
  if (typeof found.rows[0]?.token !== 'string') {
    await server.meet();
    found = await add();
  }
  // A connection that failed may still be sending them.
  rows.release();
  const token = found.rows[0]?.token;
  if (typeof token !== 'string') throw new Error('timeout: the database changes its server again and again');
  server.note(token);
  return {
    known: idsIn(found.rows, false, records),
    late: idsIn(found.rows, true, records),
  };
}

function toRows(records: readonly PendingRecord[]): RowArrays {
  const rows = createRowArrays(GIVEN_TYPES);
  try {
    for (const record of records) putRow(rows, record);
  } catch (error) {
    throw new UnfitRecordError(error);
  }
  return rows;
}

/** Of these records, those whose ids a statement has returned. */
function idsIn(found: readonly AddedRow[], isLate: boolean, records: readonly PendingRecord[]): ReadonlySet<string> {
  const columnIds = new Set(
    found.filter(({ token, is_late }) => token === null && is_late === isLate).map(({ id }) => id),
  );
  if (columnIds.size === 0) return NONE;
  return new Set(records.flatMap(({ id }) => (columnIds.has(toColumnId(id)) ? [id] : [])));
}

/** Puts a record in the place of the version that the database has. False when there is none. */
export async function replaceRecord({ connection, rollups }: WriteParts, record: PendingRecord): Promise<boolean> {
  const id = toColumnId(record.id);
  return connection.useClient(LIMIT_MS, (client) =>
    inTransaction(client, async () => {
      const found = await client.query<{ day: string }>(
        'select day from gateway.generations where id = $1 for update',
        [id],
      );
      const [row] = found.rows;
      if (row === undefined) return false;
      // Its day is that of its first version, for ever.
      const rows = toRows([{ ...record, day: row.day, content: null }]);
      await client.query(toReplaceStatement(rollups), [...rows.end()]);
      return true;
    }),
  );
}

async function inTransaction<Result>(client: PoolClient, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection that is lost has ended its transaction.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
