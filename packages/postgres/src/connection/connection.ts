import { setImmediate } from 'node:timers/promises';

import type { Logger, SharedChannel } from '@model-gateway/core';
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely';
import { Client, type ClientConfig, Pool, type PoolClient, types } from 'pg';

import type { Database } from '../database.ts';
import {
  codeOf,
  type DatabaseAddress,
  isConnectionFailure,
  isTimeout,
  toConnectionString,
  toDatabaseAddress,
  toStoreError,
  toUnavailableError,
} from './errors.ts';
import { createChannelNotifications, createListener, type Notifications } from './notifications.ts';
import { createSemaphore } from './semaphore.ts';

/** How a database is reached. */
export interface ConnectionOptions {
  /** `postgres://USER:PASSWORD@HOST:5432/DATABASE`. */
  readonly url: string;
  /** What messages call the URL: where it is set. Default: `url`. */
  readonly urlName?: string | undefined;
  /** Connections of this process; with `listen` one more listens to notifications. Default: 10. */
  readonly maxConnections?: number | undefined;
  /** Shown by `pg_stat_activity`. Default: `model-gateway`. */
  readonly applicationName?: string | undefined;
  /** For a connection to be made or to become free. Default: 3 seconds. */
  readonly connectTimeoutMs?: number | undefined;
  /** For one statement. Default: 5 seconds. */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * How processes hear of each other's changes: by `LISTEN`, which takes a connection to the database itself, by a
   * channel of another engine, or by looking every half second. Default: `listen`.
   */
  readonly notifications?: 'listen' | 'poll' | SharedChannel | undefined;
  readonly logger?: Logger | undefined;
}

/** The connections of this process to a database. None is made before it is needed. */
export interface DatabaseConnection {
  readonly address: DatabaseAddress;
  /** Statements on the tables of the gateway, each within the usual time. Errors that pass are 503s. */
  readonly database: Kysely<Database>;
  /**
   * The same with another limit a statement. The server has the usual limit too: `set local statement_timeout` raises
   * it for a transaction.
   */
  databaseWithin(limitMs: number): Kysely<Database>;
  /**
   * Does work on one connection of the pool, for what is not a statement of kysely. A connection that the work leaves
   * lost, or that takes longer than the limit for all of it, is not used again. Errors that pass are 503s.
   */
  useClient<Result>(limitMs: number, work: (client: PoolClient) => Promise<Result>): Promise<Result>;
  /**
   * The same for lists and charts, which together get half of the connections: what calls wait for, budgets above all,
   * does not wait for them.
   */
  useReader<Result>(limitMs: number, work: (client: PoolClient) => Promise<Result>): Promise<Result>;
  readonly notifications: Notifications;
  /** Ends all connections, at once where the server does not respond. */
  close(): Promise<void>;
}

/** The SQL schema that holds everything of the gateway, so that a database can be shared. */
export const SCHEMA = 'gateway';

const DEFAULT_MAX_CONNECTIONS = 10;
const DEFAULT_CONNECT_TIMEOUT_MS = 3000;
const DEFAULT_STATEMENT_TIMEOUT_MS = 5000;
/** The server has ended a statement before this process stops waiting, so that the connection stays usable. */
const REPLY_SLACK_MS = 1000;
const IDLE_MS = 60_000;
/** What a server gathers for a connection goes with it. */
const LIFETIME_SECONDS = 60 * 60;
const CLOSE_LIMIT_MS = 3000;

const INT8_OID = 20;
const DATE_OID = 1082;
/** Sums of nano-dollars fit a number up to 9 million dollars. Days are texts, without a time zone. */
const parsers = { getTypeParser: toParser } as unknown as typeof types;

function toParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8_OID) return Number;
  if (oid === DATE_OID) return String;
  return types.getTypeParser(oid, format);
}

/** Throws a `DatabaseUrlError` for a URL that is not one. */
export function createDatabaseConnection(options: ConnectionOptions): DatabaseConnection {
  const { url, logger, applicationName = 'model-gateway', notifications: by = 'listen' } = options;
  const statementTimeoutMs = options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS;
  const connectTimeoutMs = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
  const maxConnections = options.maxConnections ?? DEFAULT_MAX_CONNECTIONS;
  const address = toDatabaseAddress(url, options.urlName);
  const shared = {
    connectionString: toConnectionString(url),
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    types: parsers,
  };
  const pool = new Pool({
    ...shared,
    Client: TidyClient as unknown as typeof Client,
    max: maxConnections,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    allowExitOnIdle: true,
  });
  // A connection that is lost, in use or not, says so by an event, which would end the process. The
  // statement fails too, where there is one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const notifications =
    by === 'listen'
      ? createListener({ config: shared, address, logger })
      : createChannelNotifications(by === 'poll' ? undefined : by);
  const inReaderTurn = createSemaphore(Math.max(1, Math.floor(maxConnections / 2)), connectTimeoutMs);
  const databaseWithin = (limitMs: number): Kysely<Database> =>
    new Kysely<Database>({ dialect: new PostgresDialect({ pool: limitPool(pool, limitMs) }) }).withSchema(SCHEMA);

  return {
    address,
    database: databaseWithin(statementTimeoutMs + REPLY_SLACK_MS),
    databaseWithin,
    useClient: (limitMs, work) => useClient(pool, limitMs, work),
    async useReader(limitMs, work) {
      try {
        return await inReaderTurn(() => useClient(pool, limitMs, work));
      } catch (error) {
        throw toStoreError(error);
      }
    },
    notifications,
    async close() {
      await notifications.close();
      await Promise.race([pool.end(), unrefDelay(CLOSE_LIMIT_MS)]);
    },
  };
}

/**
 * A client that closes a connection which it could not finish to make. `pg` leaves it open where the server asks for a
 * password and there is none, and the server waits for a minute.
 */
function TidyClient(config: ClientConfig): Client {
  const client = new Client(config);
  const connect = client.connect.bind(client) as (ready: (error: Error | null) => void) => void;
  client.connect = ((ready: (error: Error | null) => void) =>
    connect((error) => {
      if (error !== null && error !== undefined) client.end().catch(() => undefined);
      ready(error);
    })) as Client['connect'];
  return client;
}

async function useClient<Result>(
  pool: Pool,
  limitMs: number,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await takeClient(pool);
  let failure: Error | undefined;
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    client.release(failure);
  };
  const timer = setTimeout(() => {
    failure = new Error(`timeout: the database did not respond within ${limitMs} ms`);
    // Ends the connection, and with it the statement under way.
    release();
  }, limitMs);
  try {
    return await work(client);
  } catch (error) {
    if (failure === undefined && isConnectionFailure(error) && error instanceof Error) failure = error;
    throw toStoreError(failure ?? error);
  } finally {
    clearTimeout(timer);
    release();
  }
}

export const unrefDelay = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

const READ_ONLY_CODE = '25006';
/** So often, a connection is given up because it takes no writes. */
const RENEW_EVERY_MS = 1000;

/**
 * A pool for kysely, of which each statement ends within a time, and which never hands out a connection again that was
 * lost or has given no sign of life. One that takes no writes is given up from time to time, as a new one may lead to the
 * server that has taken over. Errors that pass are 503s.
 */
function limitPool(pool: Pool, limitMs: number): PostgresPool {
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();
  let renewedAt = Number.NEGATIVE_INFINITY;
  const isUnusableAfter = (error: unknown): boolean => {
    if (codeOf(error) !== READ_ONLY_CODE) return isConnectionFailure(error);
    if (performance.now() - renewedAt < RENEW_EVERY_MS) return false;
    renewedAt = performance.now();
    return true;
  };
  return {
    options: {},
    async connect() {
      const client = await takeClient(pool);
      let limited = clients.get(client);
      if (limited === undefined) clients.set(client, (limited = limitClient(client, limitMs, isUnusableAfter)));
      return limited;
    },
    // The pool ends with its connection, not with one of its users.
    end: () => Promise.resolve(),
  };
}

/** A connection of the pool; its failure is a 503. */
async function takeClient(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toUnavailableError(error);
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

const MAX_TRIES = 5;
const LONG_LIMIT_MS = 10 * 60 * 1000;

/**
 * Does work in a transaction, and again when it certainly has not happened and may succeed: after a deadlock, a
 * serialization failure, where the connection was lost before it began, and once after one was lost before the commit;
 * but not after a time limit. So the work may be called more than once, and does nothing but by the transaction.
 */
export async function runTransaction<Result>(
  database: Kysely<Database>,
  work: (transaction: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  let lost = 0;
  for (let tries = 1; ; tries += 1) {
    let step: 'begin' | 'work' | 'commit' = 'begin';
    const isAgainAfter = (error: unknown): boolean => {
      if (!isConnectionFailure(error)) return codeOf(error).startsWith('40');
      if (step === 'work') lost += 1;
      return lost <= 1 && step !== 'commit' && !isTimeout(error);
    };
    try {
      return await database.transaction().execute(async (transaction) => {
        step = 'work';
        const result = await work(transaction);
        step = 'commit';
        return result;
      });
    } catch (error) {
      if (tries === MAX_TRIES || !isAgainAfter(error)) throw error;
      // Where a server ends one connection, it ends all: the pool reads first which others of it are lost.
      await setImmediate();
    }
  }
}

/** Runs statements that no call waits for, in a transaction; each may take minutes. Returns what the last has changed. */
export async function runInBackground(
  { databaseWithin }: Pick<DatabaseConnection, 'databaseWithin'>,
  ...statements: readonly RawBuilder<unknown>[]
): Promise<bigint> {
  return databaseWithin(LONG_LIMIT_MS)
    .transaction()
    .execute(async (transaction) => {
      await sql.raw(`set local statement_timeout = ${LONG_LIMIT_MS}`).execute(transaction);
      let changed = 0n;
      for (const statement of statements) changed = (await statement.execute(transaction)).numAffectedRows ?? 0n;
      return changed;
    });
}
