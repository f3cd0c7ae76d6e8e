import type { Logger, SharedEntries } from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import { toColumnId } from './connection/column-text.ts';
import type { DatabaseConnection } from './connection/connection.ts';
import { describeDatabaseError } from './connection/errors.ts';
import type { Database } from './database.ts';
import type { JudgedClock } from './judged-clock.ts';

/** Entries that expire by the clock of the database, the same for every process. */
export function createSharedEntries(database: Kysely<Database>): SharedEntries {
  // Not `now()`: a statement may have waited for another one to end.
  const isAlive = sql<boolean>`expires_at > clock_timestamp()`;
  const toExpiry = (ttlMs: number) => sql<Date>`clock_timestamp() + ${ttlMs}::float8 * interval '1 millisecond'`;
  const toRow = (id: string, value: string, ttlMs: number) => ({
    id: toColumnId(id),
    value: JSON.stringify(value),
    expires_at: toExpiry(ttlMs),
  });
  const parse = (value: string): string => JSON.parse(value) as string;

  const get: SharedEntries['get'] = async (id) => {
    const found = await database
      .selectFrom('entries')
      .select('value')
      .where('id', '=', toColumnId(id))
      .where(isAlive)
      .executeTakeFirst();
    return found && parse(found.value);
  };
  return {
    get,
    async put(id, value, ttlMs) {
      await database
        .insertInto('entries')
        .values(toRow(id, value, ttlMs))
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet(({ ref }) => ({
            value: ref('excluded.value'),
            expires_at: ref('excluded.expires_at'),
          })),
        )
        .execute();
    },
    async claim(id, value, ttlMs) {
      for (;;) {
        const { numInsertedOrUpdatedRows: put = 0n } = await database
          .insertInto('entries')
          .values(toRow(id, value, ttlMs))
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet(({ ref }) => ({ value: ref('excluded.value'), expires_at: ref('excluded.expires_at') }))
              .where(sql<boolean>`entries.expires_at <= clock_timestamp()`),
          )
          .executeTakeFirstOrThrow();
        if (put > 0n) return undefined;
        const present = await get(id);
        if (present !== undefined) return present;
        // It has gone in between.
      }
    },
    async renew(id, value, ttlMs) {
      const { numUpdatedRows } = await database
        .updateTable('entries')
        .set({ expires_at: toExpiry(ttlMs) })
        .where('id', '=', toColumnId(id))
        .where('value', '=', JSON.stringify(value))
        .where(isAlive)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async take(id, value) {
      const found = database.deleteFrom('entries').where('id', '=', toColumnId(id));
      const taken = await (value === undefined ? found : found.where('value', '=', JSON.stringify(value)))
        .returning(['value', isAlive.as('is_alive')])
        .executeTakeFirst();
      return taken?.is_alive === true ? parse(taken.value) : undefined;
    },
  };
}

interface SweepOptions {
  readonly connection: Pick<DatabaseConnection, 'address' | 'database'>;
  readonly logger: Logger | undefined;
  readonly clock: Pick<JudgedClock, 'judge'>;
  readonly oldestMs: () => number;
}

interface Sweep {
  start(): Promise<void>;
  close(): Promise<void>;
}

const SWEEP_EVERY_MS = 10 * 60 * 1000;
/** Removed by one statement, so that each is short also where the database has not been swept for long. */
const MAX_SWEPT_ROWS = 5000;
/** A table is left to the next sweep after this time. */
const MAX_SWEEP_MS = 60_000;

/** Removes now and then what retention drops and what has expired. Several processes may do so at once. */
export function createSweep({ connection, logger, clock, oldestMs }: SweepOptions): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;
  let isClosed = false;

  const remove = async (table: string, key: string, condition: ReturnType<typeof sql>): Promise<void> => {
    const from = sql.id('gateway', table);
    const endsAt = performance.now() + MAX_SWEEP_MS;
    let removed: bigint;
    do {
      const result = await sql`
        delete from ${from} where ${sql.ref(key)} in (
          select ${sql.ref(key)} from ${from} where ${condition} limit ${MAX_SWEPT_ROWS} for update skip locked
        )`.execute(connection.database);
      removed = result.numAffectedRows ?? 0n;
    } while (removed >= MAX_SWEPT_ROWS && !isClosed && performance.now() < endsAt);
  };
  const sweep = async (): Promise<void> => {
    try {
      await clock.judge();
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
    // One that takes long is not joined by another.
    sweeping ??= sweep().finally(() => {
      sweeping = undefined;
    });
  };
  return {
    async start() {
      timer = setInterval(begin, SWEEP_EVERY_MS).unref();
      begin();
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}
