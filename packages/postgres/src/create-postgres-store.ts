import {
  createTableRepositories,
  type FileStorage,
  type KeptDays,
  type Logger,
  type Store,
  type StoreReadiness,
  toAuditDays,
  toKeptDays,
} from '@model-gateway/core';
import { sql } from 'kysely';

import { openAudit } from './audit.ts';
import { type BudgetSlicesOptions, openBudgetSlices } from './budgets.ts';
import { type ConnectionOptions, createDatabaseConnection, type DatabaseConnection } from './connection/connection.ts';
import { describeDatabaseError, UnusableDatabaseError } from './connection/errors.ts';
import { createDatabaseFileStorage } from './file-storage.ts';
import { DEFAULT_JOURNAL_BYTES } from './generations/append.ts';
import { createGenerationSums, type GenerationsOptions, openGenerations } from './generations/generations.ts';
import { createJudgedClock } from './judged-clock.ts';
import { openRows } from './rows.ts';
import { buildIndexes } from './schema/indexes.ts';
import { findPendingMigrations, migrate } from './schema/migrate.ts';
import { createStoreFigures } from './store-figures.ts';
import type { StorePart, StorePartOptions } from './store-part.ts';
import { openTables } from './tables.ts';

/** Where a store in PostgreSQL is, and how much it keeps. */
export interface PostgresStoreOptions extends ConnectionOptions, GenerationsOptions {
  /** Whether a start brings the schema to this version. Default: true; else it waits for `migrateDatabase`. */
  readonly migrates?: boolean | undefined;
  /** Whole days that generations are kept; `Infinity`: nothing is dropped. Default: 30. */
  readonly retentionDays?: number | undefined;
  /** Whole days that records of the audit log are kept; `Infinity`: for ever. Default: 365. */
  readonly auditRetentionDays?: number | undefined;
  /** Milliseconds since the epoch. Default: the system clock. */
  readonly now?: (() => number) | undefined;
  /** How instances share budgets. */
  readonly budgets?: BudgetSlicesOptions | undefined;
}

/** A store that many processes share. */
export interface PostgresStore extends Store {
  /** Reads by what other stores know what was moved to them from here. It moves with the database. */
  readId(): Promise<string>;
  /** Contents of files, which all processes share. */
  readonly fileStorage: FileStorage;
}

const DEFAULT_RETENTION_DAYS = 30;
const DEFAULT_AUDIT_RETENTION_DAYS = 365;

/**
 * Opens the store in a PostgreSQL database, which any number of processes may use at once. Resolves while the database
 * is away too: `readiness` says why it is not ready, and it gets ready by itself; until then each method fails with a
 * 503. Rejects with one clear sentence where trying again cannot help: a URL that is not one, a password that is
 * refused, a database that does not exist, a schema of a newer version. The caller closes it.
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { logger, migrates = true, now = Date.now, retentionDays = DEFAULT_RETENTION_DAYS } = options;
  const connection = createDatabaseConnection(options);
  const { host, database } = connection.address;
  const tables = openTables({ connection, logger });
  const keptDays = (): KeptDays => toKeptDays(tables.source.read().settings, retentionDays);
  const { auditRetentionDays: configuredDays = DEFAULT_AUDIT_RETENTION_DAYS } = options;
  const auditDays = (): number => toAuditDays(tables.source.read().settings, configuredDays);
  const dropsByAge = (): boolean => Number.isFinite(Math.min(keptDays().days, auditDays()));
  const clock = createJudgedClock({ connection, logger, now, dropsByAge });
  const shared: StorePartOptions = { connection, logger, now, clock, keptDays };
  const rows = openRows(shared);
  const sums = createGenerationSums(shared);
  const generations = openGenerations(shared, options, sums);
  const budgets = openBudgetSlices(shared, options.budgets ?? {});
  const audit = openAudit({ ...shared, configuredDays, auditDays });
  const parts: readonly StorePart[] = [tables, rows, audit, sums, generations];
  const opening = createStoreOpening({ connection, logger, migrates, parts });
  const closeAll = async (): Promise<void> => {
    await opening.end();
    for (const part of parts.toReversed()) await part.close?.();
    await connection.close();
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll());
  try {
    await opening.begin();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    isShared: true,
    ...createTableRepositories(tables.source),
    ...rows.repositories,
    audit: audit.repository,
    generations: generations.repository,
    budgetSlices: budgets.slices,
    onTablesChanged: tables.onChanged,
    catchUpTables: tables.catchUp,
    readiness: opening.readiness,
    figures: createStoreFigures({
      connection,
      countWaiting: generations.countWaiting,
      journal: options.journal,
      journalLimitBytes: options.spool?.journalBytes ?? DEFAULT_JOURNAL_BYTES,
      isUp: () => opening.readiness().isReady && tables.outage() === null,
    }),
    engine: { type: 'postgres', address: host, database, outage: tables.outage },
    retention: {
      ...generations.retention,
      changes: {
        configuredDays: retentionDays,
        apply: generations.changes.apply,
        preview: generations.changes.preview,
      },
    },
    fileStorage: createDatabaseFileStorage(connection.database),
    async readId() {
      const { rows } = await sql<{ id: string }>`select id from gateway.store_id`.execute(connection.database);
      const [row] = rows;
      if (row === undefined) throw new Error('The table gateway.store_id is empty: put the row back that was in it');
      return row.id;
    },
    close,
  };
}

interface OpeningOptions {
  readonly connection: DatabaseConnection;
  readonly logger: Logger | undefined;
  /** Whether it brings the schema to this version, or waits until another process has. */
  readonly migrates: boolean;
  /** In the order in which they are started. */
  readonly parts: readonly StorePart[];
}

/** The way of a store to its database, which may come later than the store. */
interface StoreOpening {
  /**
   * Resolves when the store is open, or the database is away: then it goes on by itself. Rejects with an
   * `UnusableDatabaseError` when trying again cannot help.
   */
  begin(): Promise<void>;
  readiness(): StoreReadiness;
  /** Resolves when nothing of it uses the database any more. */
  end(): Promise<void>;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
/** A start does not wait longer for a database that says nothing, or that another process is migrating. */
const BEGIN_LIMIT_MS = 8000;
const END_LIMIT_MS = 1000;
const INDEXES_LIMIT_MS = 2000;

function createStoreOpening({ connection, logger, migrates, parts }: OpeningOptions): StoreOpening {
  let reason: string | undefined = 'The database has not been reached yet';
  let hasBegun = false;
  let isEnded = false;
  let started = 0;
  let building: Promise<void> | undefined;
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  /** Lists are slower without an index, and all else goes on. */
  const buildIndexesOnce = async (): Promise<void> => {
    try {
      await buildIndexes(connection, ending.signal);
    } catch (error) {
      if (isEnded) return;
      const { message } = toUnusableError(error, connection);
      logger?.warn('Indexes of the database are missing: run model-gateway migrate', { reason: message });
    }
  };
  const open = async (): Promise<void> => {
    if (migrates) {
      const applied = await migrate(connection, { logger, signal: ending.signal });
      if (applied.length > 0) logger?.info('The database was migrated', { applied });
    } else {
      const pending = await findPendingMigrations(connection);
      if (pending.length > 0) throw new PendingMigrationsError(pending);
    }
    if (migrates) {
      building ??= buildIndexesOnce();
      // Indexes of an empty database are there at once; indexes of a large one are built while calls are served.
      await Promise.race([building, waitUnref(INDEXES_LIMIT_MS)]);
    }
    for (const part of parts.slice(started)) {
      if (isEnded) return;
      await part.start?.();
      started += 1;
    }
    reason = undefined;
  };
  const attempt = async (waitMs: number): Promise<UnusableDatabaseError | undefined> => {
    try {
      await open();
      return undefined;
    } catch (error) {
      const failure = toUnusableError(error, connection);
      // Its caller says it.
      if (failure.isPermanent && !hasBegun) return failure;
      if (failure.message !== reason && !isEnded) {
        logger?.warn('The store is not ready; it tries again by itself', { reason: failure.message });
      }
      reason = failure.message;
      if (!isEnded) {
        timer = setTimeout(() => void attempt(Math.min(waitMs * 2, LONGEST_WAIT_MS)), waitMs);
        timer.unref();
      }
      return failure;
    }
  };

  return {
    async begin() {
      const failure = await Promise.race([attempt(FIRST_WAIT_MS), waitUnref(BEGIN_LIMIT_MS)]);
      hasBegun = true;
      if (failure?.isPermanent === true) throw failure;
    },
    readiness: () => (reason === undefined ? { isReady: true } : { isReady: false, reason }),
    async end() {
      isEnded = true;
      clearTimeout(timer);
      ending.abort();
      await Promise.race([building, waitUnref(END_LIMIT_MS)]);
    },
  };
}

/** The schema is older than this version, which was told not to change it. */
class PendingMigrationsError extends Error {
  override readonly name = 'PendingMigrationsError';

  constructor(pending: readonly string[]) {
    super(
      `The database lacks the ${pending.length === 1 ? 'migration' : 'migrations'} ${pending.join(', ')}: ` +
        'run model-gateway migrate',
    );
  }
}

function toUnusableError(error: unknown, { address }: DatabaseConnection): UnusableDatabaseError {
  const { message, isPermanent } =
    error instanceof PendingMigrationsError
      ? { message: error.message, isPermanent: false }
      : describeDatabaseError(error, address);
  return new UnusableDatabaseError(message, { isPermanent, cause: error });
}

const waitUnref = (ms: number): Promise<undefined> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
