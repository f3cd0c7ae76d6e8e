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

/** Creates snapshots. The limit holds for each query of one. */
export function createSnapshot(connection: ReadConnection): Snapshot {
  return async (limitMs, work) => {
    const done = await connection.useClient(limitMs * 4 + PATIENCE_MS, async (client) => {
      // To compile a query takes longer than nearly all of these do.
      await client.query(
        'begin isolation level repeatable read read only; set local jit = off; ' +
          `set local work_mem = '32MB'; set local statement_timeout = ${Math.max(1, Math.ceil(limitMs))}`,
      );
      let isOver = false;
      try {
        const result = await work((query) => readRows(client, query));
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

async function readRows<Row>(client: PoolClient, query: RawBuilder<Row>): Promise<Row[]> {
  const { sql, parameters } = query.compile(compiler);
  try {
    return (await client.query(sql, [...parameters])).rows as Row[];
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === QUERY_CANCELED)) throw error;
    throw new SlowQueryError('A query took longer than it may', { cause: error });
  }
}
