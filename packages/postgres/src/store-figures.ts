import type { RecordJournal, StoreFigures } from '@model-gateway/core';
import { sql } from 'kysely';

import type { DatabaseConnection } from './connection/connection.ts';

export interface StoreFiguresParts {
  readonly connection: Pick<DatabaseConnection, 'databaseWithin'>;
  /** How many records the database does not have yet. */
  readonly countWaiting: () => number;
  readonly journal: Pick<RecordJournal, 'bytes'> | undefined;
  readonly journalLimitBytes: number;
  /** Whether the database responds. */
  readonly isUp: () => boolean;
  /** Milliseconds on a steady clock. Default: that of the process. */
  readonly now?: (() => number) | undefined;
}

interface Ages {
  readonly transactionAges: NonNullable<StoreFigures['transactionAges']>;
  readonly freezeMaxAge: number;
}

/** Ages change over days; asking costs the database little, but each process does. */
const AGES_LAST_MS = 60_000;
const LIMIT_MS = 3000;

/** Tells figures at once: what the database has to be asked for is asked for the next time, and forgotten while it is away. */
export function createStoreFigures(parts: StoreFiguresParts): () => StoreFigures {
  const { connection, countWaiting, journal, journalLimitBytes, isUp, now = () => performance.now() } = parts;
  const database = connection.databaseWithin(LIMIT_MS);
  let ages: Ages | undefined;
  let askAgainAt = 0;

  const ask = async (): Promise<void> => {
    const { rows } = await READ_AGES.execute(database);
    const [row] = rows;
    ages = row && {
      transactionAges: { database: row.database_age, tables: row.tables_age },
      freezeMaxAge: row.freeze_max_age,
    };
  };
  return () => {
    if (!isUp()) ages = undefined;
    else if (now() >= askAgainAt) {
      askAgainAt = now() + AGES_LAST_MS;
      ask().catch(() => {
        ages = undefined;
        askAgainAt = 0;
      });
    }
    return {
      waitingRecords: countWaiting(),
      ...(journal !== undefined && { journalBytes: journal.bytes, journalLimitBytes }),
      ...ages,
    };
  };
}

/** A table without an age, such as one that is partitioned, has 0 as its oldest transaction, which is no row's. */
const READ_AGES = sql<{ database_age: number; tables_age: number; freeze_max_age: number }>`
  select (select age(datfrozenxid) from pg_database where datname = current_database()) as database_age,
    (select coalesce(max(age(relfrozenxid)), 0) from pg_class
      where relnamespace = 'gateway'::regnamespace and relfrozenxid <> '0'::xid) as tables_age,
    current_setting('autovacuum_freeze_max_age')::int as freeze_max_age`;
