import { createTableRepositories, type Store } from '@model-gateway/core';
import { sql } from 'kysely';

import { type BudgetSlicesOptions, openBudgetSlices } from './budgets/open-budget-slices.ts';
import { type ConnectionOptions, createDatabaseConnection } from './connection/connection.ts';
import { createGenerationSums } from './generations/generation-sums.ts';
import { type GenerationsOptions, openGenerations } from './generations/open-generations.ts';
import { DEFAULT_JOURNAL_BYTES } from './generations/write/append.ts';
import type { Room, RoomParts } from './room.ts';
import { openRows } from './rows/open-rows.ts';
import { createStoreFigures } from './store-figures.ts';
import { createStoreOpening } from './store-opening.ts';
import { openTables } from './tables/open-tables.ts';

/** Where a store in PostgreSQL is, and how much it keeps. */
export interface PostgresStoreOptions extends ConnectionOptions, GenerationsOptions {
  /** Whether a start brings the schema to this version. Default: true; else it waits for `migrateDatabase`. */
  readonly migrates?: boolean | undefined;
  /** Whole days that generations are kept; `Infinity`: nothing is dropped. Default: 30. */
  readonly retentionDays?: number | undefined;
  /** Milliseconds since the epoch. Default: the system clock. */
  readonly now?: (() => number) | undefined;
  /** How instances share budgets. */
  readonly budgets?: BudgetSlicesOptions | undefined;
}

/** A store that many processes share. */
export interface PostgresStore extends Store {
  /** Reads by what other stores know what was moved to them from here. It moves with the database. */
  readId(): Promise<string>;
}

const DEFAULT_RETENTION_DAYS = 30;

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
  const parts: RoomParts = { connection, logger, now, retentionDays };
  const tables = openTables(parts);
  const rows = openRows(parts);
  const sums = createGenerationSums(parts);
  const generations = openGenerations(parts, options, sums);
  const budgets = openBudgetSlices(parts, options.budgets ?? {});
  const rooms: readonly Room[] = [tables, rows, sums, generations];
  const opening = createStoreOpening({ connection, logger, migrates, rooms });
  const closeAll = async (): Promise<void> => {
    await opening.end();
    for (const room of rooms.toReversed()) await room.close?.();
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
    retention: generations.retention,
    async readId() {
      const { rows } = await sql<{ id: string }>`select id from gateway.store_id`.execute(connection.database);
      const [row] = rows;
      if (row === undefined) throw new Error('The table gateway.store_id is empty: put the row back that was in it');
      return row.id;
    },
    close,
  };
}
