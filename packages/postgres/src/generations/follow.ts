import type { FollowedGenerations } from '@model-gateway/core';
import { sql } from 'kysely';

import type { DatabaseConnection } from '../connection/connection.ts';
import { type RecordRow, toRecord } from './reader.ts';
import type { ServerWatch } from './server-watch.ts';

type Follow = (place: string | null, limit: number) => Promise<FollowedGenerations>;

interface FollowParts extends Pick<DatabaseConnection, 'database'> {
  readonly server: Pick<ServerWatch, 'meet'>;
}

interface Followed extends RecordRow {
  readonly id: string;
  readonly written_in: string;
}

interface Server {
  readonly token: string;
  readonly first_place: string;
  /** All transactions with a place before it are over. */
  readonly oldest: string;
}

/** After which transaction and generation is read, in the numbers of the present server. */
interface Start {
  readonly writtenIn: string;
  readonly id: string;
}

/**
 * Creates the reader. A place is a server, a transaction and an id: all that other transactions of before have written is
 * visible then, so nothing appears there later. A long transaction anywhere in the server, if it writes, holds up what
 * comes after its beginning until it ends.
 */
export function createFollow({ database, server }: FollowParts): Follow {
  const readServer = async (): Promise<Server | undefined> => {
    const { rows } = await sql<Server>`
      select token, first_place::text as first_place,
        (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + lead)::text as oldest
      from (select * from gateway.servers order by number desc limit 1) as latest
      where started_at = pg_postmaster_start_time()`.execute(database);
    return rows[0];
  };
  const findServer = async (): Promise<Server> => {
    const found = await readServer();
    if (found !== undefined) return found;
    await server.meet();
    const met = await readServer();
    if (met === undefined) throw new Error('timeout: the database changes its server again and again');
    return met;
  };
  /** What a former server gave out and has lost, the present one gives out again: there it begins before that. */
  const toStart = async (known: Place, present: Server): Promise<Start> => {
    if (known.token === present.token) return known;
    const { rows } = await sql<{ first_place: string | null }>`
      select min(first_place)::text as first_place from gateway.servers
      where number > (select number from gateway.servers where token::text = ${known.token})`.execute(database);
    // A server that is not known any more was met after the time to which the database has gone back.
    const next = rows[0]?.first_place ?? undefined;
    if (next === undefined) return { writtenIn: present.first_place, id: '' };
    return BigInt(known.writtenIn) < BigInt(next) ? known : { writtenIn: next, id: '' };
  };
  return async (place, limit) => {
    const present = await findServer();
    const known = place === null ? undefined : readPlace(place);
    if (known === undefined) return { records: [], place: `${present.token}:${present.oldest}-` };
    const start = await toStart(known, present);
    // The order names the table, because the column of the result with the same name is a text.
    const { rows } = await sql<Followed>`
      select id, written_in::text as written_in, record from gateway.generations
      where (written_in, id) > (${start.writtenIn}::xid8, ${start.id}) and written_in < ${present.oldest}::xid8
      order by generations.written_in, generations.id limit ${limit}`.execute(database);
    const last = rows.at(-1);
    const { writtenIn, id } = last === undefined ? start : { writtenIn: last.written_in, id: last.id };
    return { records: rows.map(toRecord), place: `${present.token}:${writtenIn}-${id}` };
  };
}

interface Place extends Start {
  readonly token: string;
}

function readPlace(place: string): Place | undefined {
  const [, token, writtenIn, id] = /^([\da-f-]{36}):(\d{1,19})-(.*)$/s.exec(place) ?? [];
  return token === undefined || writtenIn === undefined || id === undefined ? undefined : { token, writtenIn, id };
}
