import { finished } from 'node:stream/promises';

import type { PoolClient, QueryResult } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

import { toColumnId } from '../../connection/column-text.ts';
import type { DatabaseConnection } from '../../connection/database-connection.ts';
import type { Days } from '../retention/days.ts';
import { UnfitRecordError } from './batch-error.ts';
import { type CopyBuffer, createCopyBuffer } from './copy-buffer.ts';
import {
  ADD_CONTENTS,
  ADD_INCOMING,
  ADD_SPENDING,
  BEGIN_INCOMING,
  COPY_INCOMING,
  REMOVE_LATE,
  REPLACE_BY_INCOMING,
} from './incoming-rows.ts';
import type { PendingRecord } from './pending-record.ts';
import { putRow } from './put-row.ts';

export interface WriteParts {
  readonly connection: Pick<DatabaseConnection, 'useClient'>;
  readonly days: Days;
  /** Statements that keep further sums, from the rows of `INCOMING`. */
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

/** Writes records with their contents and all sums, in one transaction. No id may come twice. */
export async function writeBatch(
  { connection, days, rollups }: WriteParts,
  records: readonly PendingRecord[],
): Promise<LeftOut> {
  const rows = createCopyBuffer();
  putRows(rows, records);
  const bytes = rows.end();
  await days.prepare(new Set(records.map(({ day }) => day)));
  const leftOut = await connection.useClient(LIMIT_MS, (client) =>
    inTransaction(client, async () => {
      await client.query(BEGIN_INCOMING);
      await copy(client, bytes);
      const statements = [REMOVE_LATE, ADD_INCOMING, ADD_CONTENTS, ...rollups, ADD_SPENDING, 'commit'];
      const [late, known] = await runAll(client, statements);
      return { known: idsIn(known, records), late: idsIn(late, records) };
    }),
  );
  // A connection that failed may still be sending them.
  rows.release();
  return leftOut;
}

function putRows(rows: CopyBuffer, records: readonly PendingRecord[]): void {
  try {
    for (const record of records) putRow(rows, record);
  } catch (error) {
    throw new UnfitRecordError(error);
  }
}

/** Of these records, those whose ids a statement has returned. */
function idsIn(result: QueryResult | undefined, records: readonly PendingRecord[]): ReadonlySet<string> {
  const found = (result?.rows ?? []) as readonly { readonly id: string }[];
  if (found.length === 0) return NONE;
  const columnIds = new Set(found.map(({ id }) => id));
  return new Set(records.flatMap(({ id }) => (columnIds.has(toColumnId(id)) ? [id] : [])));
}

/** Puts a record in the place of the version that the database has. False when there is none. */
export async function replaceRecord({ connection, rollups }: WriteParts, record: PendingRecord): Promise<boolean> {
  const rows = createCopyBuffer();
  const id = toColumnId(record.id);
  return connection.useClient(LIMIT_MS, (client) =>
    inTransaction(client, async () => {
      await client.query(BEGIN_INCOMING);
      const found = await client.query<{ day: string }>(
        'select day from gateway.generations where id = $1 for update',
        [id],
      );
      const [row] = found.rows;
      if (row === undefined) {
        await client.query('commit');
        return false;
      }
      // Its day is that of its first version, for ever.
      putRows(rows, [{ ...record, day: row.day, content: null }]);
      await copy(client, rows.end());
      await runAll(client, [REPLACE_BY_INCOMING, ...rollups, ADD_SPENDING, 'commit']);
      return true;
    }),
  );
}

async function inTransaction<Result>(client: PoolClient, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // A connection that is lost has ended its transaction.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function copy(client: PoolClient, bytes: Buffer): Promise<void> {
  const stream = client.query(copyFrom(COPY_INCOMING));
  stream.end(bytes);
  await finished(stream);
}

/** Sends statements in one message: they have no parameters. */
async function runAll(client: PoolClient, statements: readonly string[]): Promise<readonly QueryResult[]> {
  return (await client.query(statements.join(';\n'))) as unknown as readonly QueryResult[];
}
