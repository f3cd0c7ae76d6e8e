import {
  type Awaitable,
  createTurns,
  type KeptDays,
  type Logger,
  type RetentionChanges,
  type RetentionLosses,
} from '@model-gateway/core';
import { sql } from 'kysely';

import { type DatabaseConnection, runInBackground, unrefDelay } from '../connection/connection.ts';
import { codeOf } from '../connection/errors.ts';
import type { JudgedClock } from '../judged-clock.ts';
import { causeOf } from './batch-error.ts';
import { dropContents, sweepBlocks } from './content-blocks.ts';
import { toDay } from './day-of-generation.ts';
import { firstDayKept, firstDayToldApart, type Spending } from './spending.ts';

interface RetentionOptions {
  readonly connection: Pick<DatabaseConnection, 'database' | 'databaseWithin'>;
  readonly days: Days;
  readonly spending: Spending;
  readonly logger: Logger | undefined;
  readonly clock: JudgedClock;
  readonly keptDays: () => KeptDays;
  /** Drops what else is kept as long as generations. */
  readonly dropBefore?: ((day: string) => Promise<void>) | undefined;
}

/** Makes the days to come and drops those that are over, once an hour. Processes that do so at the same time agree. */
interface Retention extends Pick<RetentionChanges, 'apply' | 'preview'> {
  /** Resolves once the clock is judged and today is open; all else is done meanwhile, as it may take minutes. */
  start(): Promise<void>;
  stop(): void;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** For calls that began on the day before: few end later. */
const LATE_MS = 2 * HOUR_MS;
/** Who changes how long is kept waits no longer; what is over goes on to be deleted. */
const APPLY_LIMIT_MS = 5000;
/** To count what is over may mean to look at all generations of a large database. */
const PREVIEW_LIMIT_MS = 60_000;

export function createRetention(options: RetentionOptions): Retention {
  const { connection, days, logger, clock } = options;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const judge = async (): Promise<void> => {
    await clock.judge();
    await days.reopenSince(toDay(clock.now() - DAY_MS));
  };
  const tidy = async (): Promise<void> => {
    await days.prepare(new Set([toDay(clock.now()), toDay(clock.now() + DAY_MS)]));
    await applyRetention(options, clock.now());
  };
  // One that was told to keep less does not join one that began before that.
  const inTurn = createTurns();
  const tidyInTurn = (): Promise<void> => inTurn(() => (isStopped ? undefined : tidy()));
  const report = (error: unknown): void => {
    if (isStopped) return;
    const reason = causeOf(error);
    logger?.warn('Old generations could not be dropped; it is tried again in an hour', { reason });
  };
  return {
    async apply() {
      await judge();
      const applied = tidyInTurn();
      applied.catch(report);
      await Promise.race([applied, unrefDelay(APPLY_LIMIT_MS)]);
    },
    preview: (kept) => countLosses(connection, clock.now(), kept),
    async start() {
      await judge();
      if (isStopped) return;
      timer ??= setInterval(() => void judge().then(tidyInTurn).catch(report), HOUR_MS).unref();
      void tidyInTurn().catch(report);
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

async function applyRetention(
  { connection, days, spending, keptDays, dropBefore, logger }: RetentionOptions,
  nowMs: number,
): Promise<void> {
  const { days: retentionDays, contentDays } = keptDays();
  const firstKept = firstDayKept(nowMs, retentionDays);
  const dropped: string[] = [];
  const drop = async (day: string): Promise<void> => void ((await days.drop(day)) && dropped.push(day));
  // Each step by itself: what fails is tried again in an hour, and holds up nothing else.
  const over = (await days.list()).filter((day) => day < firstKept);
  const taken = await takeEach(over.map((day) => () => drop(day)));
  if (dropped.length > 0) logger?.info('Generations beyond retention were dropped', { days: dropped });
  const left = await days.list();
  // What belongs to a day that could not be dropped stays as long as the day.
  const [firstLeft = firstKept] = left;
  const firstContents = firstDayKept(nowMs, contentDays);
  taken.push(
    ...(await takeEach([
      () => dropBefore?.(firstLeft < firstKept ? firstLeft : firstKept),
      () => spending.addUpBefore(firstDayToldApart(nowMs, retentionDays)),
      // These may take minutes.
      ...left.filter((day) => day < firstContents).map((day) => () => dropContents(connection, day)),
      () => sweepBlocks(connection, toDay(nowMs - LATE_MS)),
    ])),
  );
  // Rejects with the first failure.
  await Promise.all(taken);
}

/** Takes all steps, in order, and returns how each has ended. */
async function takeEach(steps: readonly (() => Awaitable<void>)[]): Promise<Promise<void>[]> {
  const taken: Promise<void>[] = [];
  for (const step of steps) {
    const ended = (async () => step())();
    taken.push(ended);
    await Promise.allSettled([ended]);
  }
  return taken;
}

async function countLosses(
  { databaseWithin }: RetentionOptions['connection'],
  nowMs: number,
  kept: KeptDays,
): Promise<RetentionLosses> {
  const firstContents = sql`${firstDayKept(nowMs, kept.contentDays)}::date`;
  const count = sql<{ generations: string; contents: string; bytes: string }>`
    select
      (select count(*) from gateway.generations where day < ${firstDayKept(nowMs, kept.days)}::date)::text as generations,
      count(*)::text as contents, (coalesce(sum(octet_length(content)), 0) + coalesce((
        select sum(octet_length(block)) from gateway.content_blocks where day < ${firstContents}), 0))::text as bytes
    from gateway.contents where day < ${firstContents}`;
  const { rows } = await databaseWithin(PREVIEW_LIMIT_MS)
    .transaction()
    .execute(async (transaction) => {
      await sql.raw(`set local statement_timeout = ${PREVIEW_LIMIT_MS}`).execute(transaction);
      return count.execute(transaction);
    });
  const [row] = rows;
  return {
    generations: Number(row?.generations ?? 0),
    contents: Number(row?.contents ?? 0),
    contentBytes: Number(row?.bytes ?? 0),
  };
}

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

const PARTITION_NAME = /^generations_(\d{4})(\d\d)(\d\d)$/;
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
        const [, year, month, day] = PARTITION_NAME.exec(name) ?? [];
        return year === undefined ? [] : [`${year}-${month}-${day}`];
      });
    },
    async drop(day) {
      known.delete(day);
      try {
        const lockLimit = sql.raw(`set local lock_timeout = '${LOCK_LIMIT}'`);
        await runInBackground(connection, lockLimit, sql`select gateway.drop_day(${day}::date)`);
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
