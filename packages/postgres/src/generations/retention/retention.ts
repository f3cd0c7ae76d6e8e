import type { Logger, RetentionState } from '@model-gateway/core';
import { sql } from 'kysely';

import type { DatabaseConnection } from '../../connection/connection.ts';
import { toDay } from '../day-of-generation.ts';
import { firstDayKept, firstDayToldApart, type Spending } from '../spending.ts';
import { messageOf } from '../write/batch-error.ts';
import type { Days } from './days.ts';

export interface RetentionOptions {
  readonly connection: Pick<DatabaseConnection, 'database'>;
  readonly days: Days;
  readonly spending: Spending;
  readonly logger: Logger | undefined;
  readonly now: () => number;
  readonly retentionDays: number;
  /** Drops what else is kept as long as generations. */
  readonly dropBefore?: ((day: string) => Promise<void>) | undefined;
}

/** Makes the days to come and drops those that are over, once an hour. Processes that do so at the same time agree. */
export interface Retention {
  readonly state: RetentionState;
  /** Resolves once the clock is judged and today is open; all else is done meanwhile, as it may take minutes. */
  start(): Promise<void>;
  stop(): void;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** A clock that is ahead of the database by more than this is not believed. */
const LEAP_MS = DAY_MS;

export function createRetention(options: RetentionOptions): Retention {
  const { connection, days, logger, now } = options;
  /** How far the clock of the database is behind that of this process. */
  let leadMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const isHeld = (): boolean => leadMs > LEAP_MS;
  const judgedNow = (): number => (isHeld() ? now() - leadMs : now());
  const judge = async (): Promise<void> => {
    const wasHeld = isHeld();
    leadMs = now() - (await readTime(connection));
    if (isHeld() && !wasHeld && Number.isFinite(options.retentionDays)) {
      logger?.warn('The clock is ahead of that of the database by more than a day; retention goes by the database', {
        days: Math.floor(leadMs / DAY_MS),
      });
    }
    await days.reopenSince(toDay(judgedNow() - DAY_MS));
  };
  const tidy = async (): Promise<void> => {
    await days.prepare(new Set([toDay(judgedNow()), toDay(judgedNow() + DAY_MS)]));
    await applyRetention(options, judgedNow());
  };
  const report = (error: unknown): void => {
    if (isStopped) return;
    const reason = messageOf(error);
    logger?.warn('Old generations could not be dropped; it is tried again in an hour', { reason });
  };
  return {
    state: { now: judgedNow, isHeld },
    async start() {
      await judge();
      if (isStopped) return;
      timer ??= setInterval(() => void judge().then(tidy).catch(report), HOUR_MS).unref();
      void tidy().catch(report);
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

async function applyRetention(
  { days, spending, retentionDays, dropBefore, logger }: RetentionOptions,
  nowMs: number,
): Promise<void> {
  const firstKept = firstDayKept(nowMs, retentionDays);
  const dropped: string[] = [];
  for (const day of await days.list()) {
    if (day < firstKept && (await days.drop(day))) dropped.push(day);
  }
  if (dropped.length > 0) logger?.info('Generations beyond retention were dropped', { days: dropped });
  await dropBefore?.(firstKept);
  await spending.addUpBefore(firstDayToldApart(nowMs, retentionDays));
}

async function readTime({ database }: Pick<DatabaseConnection, 'database'>): Promise<number> {
  const { rows } = await sql<{ ms: string }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as ms`.execute(database);
  return Number(rows[0]?.ms);
}
