import type { FollowedGenerations } from '@model-gateway/core';
import { sql } from 'kysely';

import type { DatabaseConnection } from '../../connection/database-connection.ts';
import { type RecordRow, toRecord } from './generation-row.ts';

type Follow = (place: string | null, limit: number) => Promise<FollowedGenerations>;

interface Followed extends RecordRow {
  readonly id: string;
  readonly written_in: string;
}

interface Transactions {
  /** All transactions before it are over. */
  readonly oldest: string;
  /** None has begun yet from it on. */
  readonly next: string;
}

/**
 * Creates the reader. A place is a transaction and an id: all that other transactions of before have written is visible
 * then, so nothing appears there later. A long transaction anywhere in the server, if it writes, holds up what comes
 * after its beginning until it ends.
 */
export function createFollow({ database }: Pick<DatabaseConnection, 'database'>): Follow {
  const readTransactions = async (): Promise<Transactions> => {
    const { rows } = await sql<Transactions>`
      select pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
             pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(database);
    return rows[0] ?? { oldest: '0', next: '0' };
  };
  return async (place, limit) => {
    const { oldest, next } = await readTransactions();
    const known = place === null ? undefined : readPlace(place);
    // A place of another server, from which this database was copied, means nothing here.
    if (known === undefined || BigInt(known.writtenIn) > BigInt(next)) return { records: [], place: `${oldest}-` };
    // The order names the table, because the column of the result with the same name is a text.
    const { rows } = await sql<Followed>`
      select id, written_in::text as written_in, record from gateway.generations
      where (written_in, id) > (${known.writtenIn}::xid8, ${known.id}) and written_in < ${oldest}::xid8
      order by generations.written_in, generations.id limit ${limit}`.execute(database);
    const last = rows.at(-1);
    return {
      records: rows.map(toRecord),
      place: last === undefined ? (place ?? '') : `${last.written_in}-${last.id}`,
    };
  };
}

function readPlace(place: string): { readonly writtenIn: string; readonly id: string } | undefined {
  const [, writtenIn, id] = /^(\d{1,19})-(.*)$/s.exec(place) ?? [];
  return writtenIn === undefined || id === undefined ? undefined : { writtenIn, id };
}
