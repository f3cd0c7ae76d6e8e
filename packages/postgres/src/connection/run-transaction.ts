import { setImmediate } from 'node:timers/promises';

import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';

import type { Database } from '../database.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { codeOf, isConnectionFailure, isTimeout } from './database-error.ts';

const MAX_TRIES = 5;
const PATIENCE_MS = 10 * 60 * 1000;

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

/** Runs statements that nobody waits for, in a transaction, each of which may take minutes. */
export async function runPatiently(
  { databaseWithin }: Pick<DatabaseConnection, 'databaseWithin'>,
  ...statements: readonly RawBuilder<unknown>[]
): Promise<void> {
  await databaseWithin(PATIENCE_MS)
    .transaction()
    .execute(async (transaction) => {
      await sql.raw(`set local statement_timeout = ${PATIENCE_MS}`).execute(transaction);
      for (const statement of statements) await statement.execute(transaction);
    });
}
