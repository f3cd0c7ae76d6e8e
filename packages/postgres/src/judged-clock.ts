import type { Logger } from '@model-gateway/core';
import { sql } from 'kysely';

import type { DatabaseConnection } from './connection/connection.ts';

/**
 * The clock by which a store judges ages. All processes delete from the same tables, so one whose clock is ahead of that
 * of the database by more than a day goes by the database.
 */
export interface JudgedClock {
  /** Milliseconds since the epoch, by what the database has said last. */
  now(): number;
  /** Whether the clock of this process is not believed at present. */
  isHeld(): boolean;
  /** Asks the database for its time: before anything is deleted, as the clock may have leapt since. */
  judge(): Promise<void>;
}

interface JudgedClockOptions {
  readonly connection: Pick<DatabaseConnection, 'database'>;
  readonly logger: Logger | undefined;
  readonly now: () => number;
  /** Whether anything is dropped for its age; where nothing is, nobody needs to hear of the clock. */
  readonly dropsByAge: () => boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A clock that is ahead of the database by more than this is not believed. */
const LEAP_MS = DAY_MS;

export function createJudgedClock({ connection, logger, now, dropsByAge }: JudgedClockOptions): JudgedClock {
  /** How far the clock of the database is behind that of this process. */
  let leadMs = 0;
  const isHeld = (): boolean => leadMs > LEAP_MS;
  return {
    now: () => (isHeld() ? now() - leadMs : now()),
    isHeld,
    async judge() {
      const askedAt = now();
      const time = await readTime(connection);
      // Several parts ask at once, and one of them says it.
      const wasHeld = isHeld();
      leadMs = askedAt - time;
      if (!isHeld() || wasHeld || !dropsByAge()) return;
      logger?.warn('The clock is ahead of that of the database by more than a day; retention goes by the database', {
        days: Math.floor(leadMs / DAY_MS),
      });
    },
  };
}

async function readTime({ database }: Pick<DatabaseConnection, 'database'>): Promise<number> {
  const { rows } = await sql<{ ms: string }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as ms`.execute(database);
  return Number(rows[0]?.ms);
}
