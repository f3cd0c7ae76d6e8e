import type { Logger, SharedChannel } from '@model-gateway/core';
import { Kysely, PostgresDialect } from 'kysely';
import { Client, type ClientConfig, Pool, type PoolClient, types } from 'pg';

import type { Database } from '../database.ts';
import { createChannelNotifications } from './channel-notifications.ts';
import { type DatabaseAddress, toConnectionString, toDatabaseAddress } from './database-address.ts';
import { isConnectionFailure, toStoreError } from './database-error.ts';
import { connect, limitPool } from './limited-client.ts';
import { createListener } from './listener.ts';
import type { Notifications } from './notifications.ts';
import { createTurns } from './turns.ts';

/** How a database is reached. */
export interface ConnectionOptions {
  /** `postgres://USER:PASSWORD@HOST:5432/DATABASE`. */
  readonly url: string;
  /** What messages call the URL: where it is set. Default: `url`. */
  readonly urlName?: string | undefined;
  /** Of this process; with `listen` one more listens to notifications. Default: 10. */
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
const PATIENCE_MS = 1000;
const IDLE_MS = 60_000;
/** What a server gathers for a connection goes with it. */
const LIFETIME_SECONDS = 60 * 60;
const CLOSE_LIMIT_MS = 3000;

const INT8 = 20;
const DATE = 1082;
/** Sums of nano-dollars fit a number up to 9 million dollars. Days are texts, without a time zone. */
const parsers = { getTypeParser: toParser } as unknown as typeof types;

function toParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8) return Number;
  if (oid === DATE) return String;
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
  // A connection that is lost while nobody or somebody uses it says so by an event, which would end the process. The
  // statement fails too, where there is one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const notifications =
    by === 'listen'
      ? createListener({ config: shared, address, logger })
      : createChannelNotifications(by === 'poll' ? undefined : by);
  const inReaderTurn = createTurns(Math.max(1, Math.floor(maxConnections / 2)), connectTimeoutMs);
  const databaseWithin = (limitMs: number): Kysely<Database> =>
    new Kysely<Database>({ dialect: new PostgresDialect({ pool: limitPool(pool, limitMs) }) }).withSchema(SCHEMA);

  return {
    address,
    database: databaseWithin(statementTimeoutMs + PATIENCE_MS),
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
  const client = await connect(pool);
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

const unrefDelay = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
