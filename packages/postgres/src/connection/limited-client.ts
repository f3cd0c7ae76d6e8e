import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Pool, PoolClient } from 'pg';

import { codeOf, isConnectionFailure, toStoreError } from './database-error.ts';

const READ_ONLY = '25006';
/** So often, a connection is given up because it takes no writes. */
const RENEW_EVERY_MS = 1000;

/**
 * A pool for kysely, of which each statement ends within a time, and which never hands out a connection again that was
 * lost or has given no sign of life. One that takes no writes is given up from time to time, as a new one may lead to the
 * server that has taken over. Errors that pass are 503s.
 */
export function limitPool(pool: Pool, limitMs: number): PostgresPool {
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();
  let renewedAt = Number.NEGATIVE_INFINITY;
  const isUnusableAfter = (error: unknown): boolean => {
    if (codeOf(error) !== READ_ONLY) return isConnectionFailure(error);
    if (performance.now() - renewedAt < RENEW_EVERY_MS) return false;
    renewedAt = performance.now();
    return true;
  };
  return {
    options: {},
    async connect() {
      const client = await connect(pool);
      let limited = clients.get(client);
      if (limited === undefined) clients.set(client, (limited = limitClient(client, limitMs, isUnusableAfter)));
      return limited;
    },
    // The pool ends with its connection, not with one of its users.
    end: () => Promise.resolve(),
  };
}

/** A connection of the pool; its failure is a 503. */
export async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toStoreError(error);
  }
}

function limitClient(
  client: PoolClient,
  limitMs: number,
  isUnusableAfter: (error: unknown) => boolean,
): PostgresPoolClient {
  /** Why it cannot be used again. */
  let failure: unknown;
  const query = async (text: string, values: readonly unknown[]): Promise<PostgresQueryResult<never>> => {
    // What follows, a rollback for example, would wait as long again.
    if (failure !== undefined) throw failure;
    try {
      const limited = { text, values: [...values], query_timeout: limitMs };
      return (await client.query<never>(limited)) as unknown as PostgresQueryResult<never>;
    } catch (error) {
      const thrown = toStoreError(error);
      if (isUnusableAfter(error)) failure = thrown;
      throw thrown;
    }
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(failure !== undefined || destroy === true),
  };
}
