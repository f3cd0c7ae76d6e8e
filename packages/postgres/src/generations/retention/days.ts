import { sql } from 'kysely';

import { type DatabaseConnection, runPatiently } from '../../connection/connection.ts';
import { codeOf } from '../../connection/errors.ts';

/** The partitions of generations and contents, one a day. */
export interface Days {
  /** Makes the partitions of days that have none and were not dropped. */
  prepare(days: ReadonlySet<string>): Promise<void>;
  /** Those that exist, oldest first. */
  list(): Promise<readonly string[]>;
  /**
   * Removes a day with all its generations and contents, and notes that nothing of it is taken any more. False while
   * others use it: try again later.
   */
  drop(day: string): Promise<boolean>;
  /** Takes generations of these days even though they were dropped, by a clock that was wrong then. */
  reopenSince(day: string): Promise<void>;
  /** The moment after the last day that was dropped; undefined where none was. */
  completeFromMs(): Promise<number | undefined>;
  /** Forgets which exist, after another process may have removed one. */
  forget(): void;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const NAME = /^generations_(\d{4})(\d\d)(\d\d)$/;
/** Other statements on generations wait behind one that waits for a lock. */
const LOCK_LIMIT = '500ms';
const LOCK_NOT_AVAILABLE = '55P03';

export function createDays(connection: Pick<DatabaseConnection, 'database' | 'databaseWithin'>): Days {
  const { database } = connection;
  const known = new Set<string>();
  return {
    async prepare(days) {
      for (const day of days) {
        if (known.has(day)) continue;
        await sql`
          select gateway.make_day(${day}::date)
          where not exists (select from gateway.dropped_days where day = ${day}::date)`.execute(database);
        known.add(day);
      }
    },
    async list() {
      const { rows } = await sql<{ name: string }>`
        select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'gateway.generations'::regclass order by c.relname`.execute(database);
      return rows.flatMap(({ name }) => {
        const [, year, month, day] = NAME.exec(name) ?? [];
        return year === undefined ? [] : [`${year}-${month}-${day}`];
      });
    },
    async drop(day) {
      known.delete(day);
      try {
        const lockLimit = sql.raw(`set local lock_timeout = '${LOCK_LIMIT}'`);
        await runPatiently(connection, lockLimit, sql`select gateway.drop_day(${day}::date)`);
        return true;
      } catch (error) {
        if (codeOf(error) === LOCK_NOT_AVAILABLE) return false;
        throw error;
      }
    },
    async reopenSince(day) {
      await sql`delete from gateway.dropped_days where day >= ${day}::date`.execute(database);
    },
    async completeFromMs() {
      const { rows } = await sql<{ day: string | null }>`
        select max(day)::text as day from gateway.dropped_days`.execute(database);
      const day = rows[0]?.day ?? null;
      return day === null ? undefined : Date.parse(day) + DAY_MS;
    },
    forget: () => known.clear(),
  };
}
