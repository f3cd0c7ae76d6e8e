import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';
import type { PoolClient } from 'pg';

/** What reads need of the connections of this process. */
export interface ReadConnection {
  useClient<Result>(limitMs: number, work: (client: PoolClient) => Promise<Result>): Promise<Result>;
}

/** Runs one query and returns its rows. Throws a `SlowQueryError` at the limit of its snapshot. */
export type Read = <Row>(query: RawBuilder<Row>) => Promise<Row[]>;

/** Runs queries that all see the same state of the database. */
export type Snapshot = <Result>(limitMs: number, work: (read: Read) => Promise<Result>) => Promise<Result>;

/** A query took longer than it may. */
export class SlowQueryError extends Error {
  override readonly name = 'SlowQueryError';
}

/** Compiles only. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const QUERY_CANCELED = '57014';
/** The server has ended a statement before this process stops waiting. */
const PATIENCE_MS = 2000;

/** The part of the time that is over after which the server is told how much is left: to tell it takes a round trip. */
const TOLD_AFTER = 0.1;

/** Creates snapshots. The limit holds for all queries of one together, from when its connection is there. */
export function createSnapshot(connection: ReadConnection, monotonicNow: () => number): Snapshot {
  return async (limitMs, work) => {
    const done = await connection.useClient(limitMs + PATIENCE_MS, async (client) => {
      const until = monotonicNow() + limitMs;
      let toldMs = limitMs;
      const read: Read = async (query) => {
        const leftMs = until - monotonicNow();
        if (leftMs <= 0) throw new SlowQueryError('The queries before took the time');
        if (leftMs < toldMs * (1 - TOLD_AFTER)) {
          await runWithin(client, `set local statement_timeout = ${Math.ceil(leftMs)}`);
          toldMs = leftMs;
        }
        const { sql, parameters } = query.compile(compiler);
        return runWithin(client, sql, parameters);
      };
      // To compile a query takes longer than nearly all of these do.
      await client.query(
        'begin isolation level repeatable read read only; set local jit = off; ' +
          `set local work_mem = '32MB'; set local statement_timeout = ${Math.max(1, Math.ceil(limitMs))}`,
      );
      let isOver = false;
      try {
        const result = await work(read);
        isOver = true;
        await client.query('commit');
        return { result };
      } catch (error) {
        // Outside of the connection, which would take it for a failure of the database.
        if (error instanceof SlowQueryError) return { error };
        throw error;
      } finally {
        if (!isOver) await client.query('rollback').catch(() => undefined);
      }
    });
    if ('error' in done) throw done.error;
    return done.result;
  };
}

async function runWithin<Row>(client: PoolClient, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  try {
    return (await client.query(text, [...parameters])).rows as Row[];
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === QUERY_CANCELED)) throw error;
    throw new SlowQueryError('A query took longer than it may', { cause: error });
  }
}
