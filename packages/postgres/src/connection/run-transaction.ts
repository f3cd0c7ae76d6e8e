import type { Kysely, Transaction } from 'kysely';

import type { Database } from '../database.ts';
import { codeOf, isConnectionFailure, isTimeout } from './database-error.ts';

const MAX_TRIES = 5;

/**
 * Does work in a transaction, and again when it certainly has not happened and may succeed: after a deadlock, a
 * serialization failure, and once after a connection was lost before the commit, but not after a time limit. So the
 * work may be called more than once, and does nothing but by the transaction.
 */
export async function runTransaction<Result>(
  database: Kysely<Database>,
  work: (transaction: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  let lost = 0;
  for (let tries = 1; ; tries += 1) {
    let isCommitting = false;
    const isAgainAfter = (error: unknown): boolean => {
      if (!isConnectionFailure(error)) return codeOf(error).startsWith('40');
      lost += 1;
      return lost === 1 && !isCommitting && !isTimeout(error);
    };
    try {
      return await database.transaction().execute(async (transaction) => {
        const result = await work(transaction);
        isCommitting = true;
        return result;
      });
    } catch (error) {
      if (tries === MAX_TRIES || !isAgainAfter(error)) throw error;
    }
  }
}
