import type { Spent, SpentQuery } from '@model-gateway/core';
import { sql } from 'kysely';

import { type DatabaseConnection, runPatiently } from '../connection/connection.ts';
import { toDay } from './day-of-generation.ts';
import { createSpentTogether } from './spent-together.ts';

/** What was spent, by spender and day. It outlives the generations. */
export interface Spending {
  spent(query: SpentQuery): Promise<Spent>;
  /** How many generations began since a day. */
  countSince(day: string): Promise<number>;
  /** Adds up the days before this one, which no query tells apart. */
  addUpBefore(day: string): Promise<void>;
}

/** Days of spending that are told apart: longer than any period of a query. */
const DAYS_TOLD_APART = 40;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The first day that is kept, where generations are kept for some days. */
export function firstDayKept(nowMs: number, days: number): string {
  return toDay(Math.max(0, nowMs - days * DAY_MS));
}

/** The first day whose spending is still told apart, where generations are kept for some days. */
export function firstDayToldApart(nowMs: number, retentionDays: number): string {
  return firstDayKept(nowMs, Math.max(DAYS_TOLD_APART, retentionDays + 1));
}

export function createSpending(connection: Pick<DatabaseConnection, 'database' | 'databaseWithin'>): Spending {
  const { database } = connection;
  return {
    spent: createSpentTogether(database),
    async countSince(day) {
      const { rows } = await sql<{ requests: string }>`
        select coalesce(sum(requests), 0)::text as requests
        from gateway.spending where kind = 'account' and id = '' and day >= ${day}::date`.execute(database);
      return Number(rows[0]?.requests ?? 0);
    },
    async addUpBefore(day) {
      const addUp = sql`
        with old as (
          delete from gateway.spending where day < ${day}::date and day > '-infinity'
          returning kind, id, credits_nano, byok_nano, requests
        )
        insert into gateway.spending as s (kind, id, day, credits_nano, byok_nano, requests)
        select kind, id, '-infinity', sum(credits_nano)::bigint, sum(byok_nano)::bigint, sum(requests)::bigint
        from old group by kind, id order by kind desc, id
        on conflict (kind, id, day) do update set credits_nano = s.credits_nano + excluded.credits_nano,
          byok_nano = s.byok_nano + excluded.byok_nano, requests = s.requests + excluded.requests`;
      await runPatiently(connection, addUp);
    },
  };
}
