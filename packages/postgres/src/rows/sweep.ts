import type { Logger } from '@model-gateway/core';
import { sql } from 'kysely';

import type { DatabaseConnection } from '../connection/connection.ts';
import { describeDatabaseError } from '../connection/errors.ts';

export interface SweepOptions {
  readonly connection: Pick<DatabaseConnection, 'address' | 'database'>;
  readonly logger: Logger | undefined;
  readonly oldestMs: () => number;
}

export interface Sweep {
  start(): Promise<void>;
  close(): Promise<void>;
}

const EVERY_MS = 10 * 60 * 1000;
/** A sweep is no burden for a database that has not been swept for long. */
const MAX_ROWS = 5000;

/** Removes now and then what retention drops and what has expired. Several processes may do so at once. */
export function createSweep({ connection, logger, oldestMs }: SweepOptions): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;

  const remove = async (table: string, key: string, condition: ReturnType<typeof sql>): Promise<void> => {
    const from = sql.id('gateway', table);
    await sql`
      delete from ${from} where ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${from} where ${condition} limit ${MAX_ROWS} for update skip locked
      )`.execute(connection.database);
  };
  const sweep = async (): Promise<void> => {
    try {
      await remove('entries', 'id', sql`expires_at <= now()`);
      await remove('deliveries', 'position', sql`sent_at_ms <= ${oldestMs()}`);
      for (const table of ['video_jobs', 'broadcasts', 'guardrail_hits'])
        await remove(table, 'id', sql`ages_from_ms <= ${oldestMs()}`);
    } catch (error) {
      logger?.warn('Old rows could not be removed; that is tried again later', {
        reason: describeDatabaseError(error, connection.address).message,
      });
    }
  };
  const begin = (): void => {
    sweeping = sweep().finally(() => {
      sweeping = undefined;
    });
  };
  return {
    async start() {
      timer = setInterval(begin, EVERY_MS).unref();
      begin();
    },
    async close() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
