import { setTimeout as delay } from 'node:timers/promises';

import type { Logger } from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import {
  type ConnectionOptions,
  createDatabaseConnection,
  type DatabaseConnection,
  SCHEMA,
} from '../connection/connection.ts';
import {
  codeOf,
  describeDatabaseError,
  FormerSchemaError,
  NewerSchemaError,
  UnusableDatabaseError,
} from '../connection/errors.ts';
import type { Database } from '../database.ts';
import { BATCH_HOLDS, BUDGET_SLICES, VIDEO_FEES } from './budget-slices.ts';
import { CONTENT_BLOCKS } from './content-blocks.ts';
import { GENERATIONS } from './generations.ts';
import { buildIndexes } from './indexes.ts';
import { OWN_KEY_FEES, SUMS } from './sums.ts';
import { AUDIT, BATCHES, FILES, PRESETS, RERUNS, TABLES } from './tables.ts';

/**
 * Every change of the schema in its order, by name, with its statements; indexes of what may be large are apart
 * (`INDEXES`). They go forward only, and what has been released is never changed: add one at the end.
 */
const MIGRATIONS: readonly (readonly [name: string, statements: readonly string[]])[] = [
  ['0001-all', [...TABLES, ...GENERATIONS, ...SUMS, ...BUDGET_SLICES]],
  ['0002-content-blocks', CONTENT_BLOCKS],
  ['0003-reruns', RERUNS],
  ['0004-files', FILES],
  ['0005-batches', BATCHES],
  ['0006-batch-holds', BATCH_HOLDS],
  ['0007-presets', PRESETS],
  ['0008-audit', AUDIT],
  ['0009-own-key-fees', OWN_KEY_FEES],
  ['0010-video-fees', VIDEO_FEES],
];

/** The first ones of the versions before the first release, whose tables are others. */
const FORMER = ['0001-tables', '0001-schema'];

/** A migration may have to rewrite a large table. */
const LIMIT_MS = 60 * 60 * 1000;
/** Any number that no other use of the database takes for a lock. */
const LOCK = 7_036_874_417;
/** Calls wait behind a statement that waits for a lock of their table. */
const LOCK_LIMIT = '500ms';
const LOCK_PAUSE_MS = 2000;
/** About a minute. */
const TRIES_BEFORE_NEXT_WARNING = 24;
const LOCK_NOT_AVAILABLE = '55P03';

/** Who hears that a migration waits, and what ends that. */
interface MigratingOptions {
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings the schema to this version, each migration in a transaction of its own. Several processes may do it at once.
 * Resolves with the names of those that this call has applied. Throws a `NewerSchemaError` where a newer version has
 * been before, a `FormerSchemaError` where one before the first release has. Rejects when the signal ends it.
 */
export async function migrate(
  connection: Pick<DatabaseConnection, 'database' | 'databaseWithin'>,
  options: MigratingOptions = {},
): Promise<readonly string[]> {
  if ((await findPendingMigrations(connection)).length === 0) return [];
  const longer = connection.databaseWithin(LIMIT_MS);
  const applied: string[] = [];
  for (const [name, statements] of MIGRATIONS) {
    options.signal?.throwIfAborted();
    if (await applyInTime(name, () => applyOnce(longer, name, statements), options)) applied.push(name);
  }
  return applied;
}

/** The names of the migrations that are still to be applied. Throws as `migrate` does. */
export async function findPendingMigrations({
  database,
}: Pick<DatabaseConnection, 'database'>): Promise<readonly string[]> {
  const present = await readApplied(database);
  return MIGRATIONS.map(([name]) => name).filter((name) => !present.has(name));
}

/** Applies a migration as soon as nobody has what it changes: a backup, for example, may have it for hours. */
export async function applyInTime(
  name: string,
  apply: () => Promise<boolean>,
  { logger, signal }: MigratingOptions,
  pause = (ms: number): Promise<void> => delay(ms, undefined, { signal }),
): Promise<boolean> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await apply();
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (tries % TRIES_BEFORE_NEXT_WARNING === 0)
        logger?.warn('A migration waits for a lock that another session has; is a backup running?', {
          migration: name,
        });
      await pause(LOCK_PAUSE_MS);
    }
  }
}

async function applyOnce(database: Kysely<Database>, name: string, statements: readonly string[]): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = 0`.execute(transaction);
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
    await sql.raw(`set local lock_timeout = '${LOCK_LIMIT}'`).execute(transaction);
    const present = await readApplied(transaction);
    if (present.has(name)) return false;
    if (present.size === 0) await createSchema(transaction);
    for (const statement of statements) await sql.raw(statement).execute(transaction);
    await sql`insert into gateway.migrations (name) values (${name})`.execute(transaction);
    return true;
  });
}

async function readApplied(database: Kysely<Database>): Promise<ReadonlySet<string>> {
  // By the tables of the catalog: `to_regclass` may still say what was so when the transaction began.
  const { rows: tables } = await sql`
    select 1 from pg_catalog.pg_tables where schemaname = ${SCHEMA} and tablename = 'migrations'`.execute(database);
  if (tables.length === 0) return new Set();
  const { rows } = await sql<{ name: string }>`select name from gateway.migrations order by name`.execute(database);
  const present = new Set(rows.map(({ name }) => name));
  if (FORMER.some((name) => present.has(name))) throw new FormerSchemaError();
  const known = new Set(MIGRATIONS.map(([name]) => name));
  const unknown = [...present].filter((name) => !known.has(name));
  if (unknown.length > 0) throw new NewerSchemaError(unknown);
  return present;
}

/** The owner of the schema need not own the database. */
async function createSchema(database: Kysely<Database>): Promise<void> {
  const { rows } = await sql`select 1 from pg_catalog.pg_namespace where nspname = ${SCHEMA}`.execute(database);
  if (rows.length === 0) await sql`create schema gateway`.execute(database);
  await sql`create table if not exists gateway.migrations (
    name text collate "C" primary key,
    applied_at timestamptz not null default now()
  )`.execute(database);
}

/**
 * Brings a database to the schema of this version and builds its indexes, while calls are recorded; several processes
 * may do it at once. Resolves with the names of the migrations that this call has applied. Rejects with an `UnusableDatabaseError`, or a `DatabaseUrlError`.
 */
export async function migrateDatabase(options: ConnectionOptions): Promise<readonly string[]> {
  const connection = createDatabaseConnection({ ...options, maxConnections: 1 });
  try {
    const applied = await migrate(connection, options);
    await buildIndexes(connection);
    return applied;
  } catch (error) {
    const { message, isPermanent } = describeDatabaseError(error, connection.address);
    throw new UnusableDatabaseError(message, { isPermanent, cause: error });
  } finally {
    await connection.close();
  }
}
