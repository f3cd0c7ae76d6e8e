import { setImmediate as endOfTurn } from 'node:timers/promises';

import type { SpendingSum, Spent, SpentQuery } from '@model-gateway/core';
import { sql } from 'kysely';

import { fromColumnId, toColumnId } from '../connection/column-text.ts';
import { type DatabaseConnection, runInBackground } from '../connection/connection.ts';
import { toDay } from './day-of-generation.ts';

/** What was spent, by spender and day. It outlives the generations. */
export interface Spending {
  spent(query: SpentQuery): Promise<Spent>;
  /** How many generations began since a day. */
  countSince(day: string): Promise<number>;
  /** Adds up the days before this one, which no query tells apart. */
  addUpBefore(day: string): Promise<void>;
}

/** Days of spending that are distinguished: longer than any period of a query. */
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
      await runInBackground(connection, addUp);
    },
  };
}

type SpendingDatabase = DatabaseConnection['database'];

interface SpentTurn {
  readonly queries: SpentQuery[];
  /** In the order of the queries. */
  readonly found: Promise<readonly Spent[]>;
}

const NOTHING_SPENT: Spent = { creditsNanoUsd: 0, byokNanoUsd: 0 };

/**
 * Makes the function that sums up what was spent. All that is asked in one turn of the event loop is one statement: a
 * page of keys asks for four sums of each key at once.
 */
function createSpentTogether(database: SpendingDatabase): (query: SpentQuery) => Promise<Spent> {
  let turn: SpentTurn | undefined;
  const beginTurn = (): SpentTurn => {
    const queries: SpentQuery[] = [];
    const found = endOfTurn().then(() => {
      turn = undefined;
      return sumUp(database, queries);
    });
    return { queries, found };
  };
  return async (query) => {
    turn ??= beginTurn();
    const place = turn.queries.push(query) - 1;
    return (await turn.found)[place] ?? NOTHING_SPENT;
  };
}

async function sumUp(database: SpendingDatabase, queries: readonly SpentQuery[]): Promise<readonly Spent[]> {
  const spenders = queries.map(spenderOf);
  const kinds = spenders.map(([kind]) => kind);
  const ids = spenders.map(([, id]) => toColumnId(id));
  const days = queries.map(({ since }) => since ?? '-infinity');
  const { rows } = await sql<{ credits: string; byok: string }>`
    select credits, byok
    from unnest(${kinds}::text[], ${ids}::text[], ${days}::date[]) with ordinality as asked (kind, id, since, place),
      lateral (
        select coalesce(sum(credits_nano), 0)::text as credits, coalesce(sum(byok_nano), 0)::text as byok
        from gateway.spending as s where s.kind = asked.kind and s.id = asked.id and s.day >= asked.since
      ) as sums
    order by place`.execute(database);
  return rows.map(({ credits, byok }) => ({ creditsNanoUsd: Number(credits), byokNanoUsd: Number(byok) }));
}

function spenderOf({ principalId, userId, workspaceId }: SpentQuery): readonly [kind: string, id: string] {
  if (principalId !== undefined) return ['key', principalId];
  if (userId !== undefined) return ['member', userId];
  return workspaceId === undefined ? ['account', ''] : ['workspace', workspaceId];
}

interface CarriedRow {
  readonly kind: string;
  readonly id: string;
  readonly day: string;
  readonly credits: number;
  readonly byok: number;
}

/** Everything that was spent, but for what was carried from one source. */
export async function listSpending(
  { database }: Pick<DatabaseConnection, 'database'>,
  exceptFrom: string | undefined,
): Promise<readonly SpendingSum[]> {
  const { rows } = await sql<{ kind: SpendingSum['kind']; id: string; day: string; credits: string; byok: string }>`
    select kind, id, case when day = '-infinity' then '' else to_char(day, 'YYYY-MM-DD') end as day,
      sum(credits)::text as credits, sum(byok)::text as byok
    from (
      select kind, id, day, credits_nano as credits, byok_nano as byok from gateway.spending
      union all
      select kind, id, day, -credits_nano, -byok_nano from gateway.carried_spending where source = ${exceptFrom ?? null}
    ) as parts
    group by kind, id, day having sum(credits) <> 0 or sum(byok) <> 0`.execute(database);
  return rows.map(({ kind, id, day, credits, byok }) => ({
    kind,
    id: fromColumnId(id),
    day,
    creditsNanoUsd: Number(credits),
    byokNanoUsd: Number(byok),
  }));
}

/** Counts spending that comes from another store, in the place of what came from there before. */
export async function carrySpending(
  { database }: Pick<DatabaseConnection, 'database'>,
  source: string,
  sums: Iterable<SpendingSum>,
): Promise<void> {
  const rows = toSpendingRows(sums);
  const column = (name: keyof CarriedRow): unknown[] => rows.map((row) => row[name]);
  await database.transaction().execute(async (transaction) => {
    // One import of a source at a time: what is taken away has to be what was added.
    await sql`select pg_advisory_xact_lock(hashtextextended(${source}, 0))`.execute(transaction);
    await sql`
      with given as (
        select * from unnest(${column('kind')}::text[], ${column('id')}::text[], ${column('day')}::date[],
          ${column('credits')}::bigint[], ${column('byok')}::bigint[]) as g (kind, id, day, credits, byok)
      ), changes as (
        select kind, id, day, sum(credits)::bigint as credits, sum(byok)::bigint as byok from (
          select kind, id, day, credits, byok from given
          union all
          select kind, id, day, -credits_nano, -byok_nano from gateway.carried_spending where source = ${source}
        ) both_of group by kind, id, day
      )
      insert into gateway.spending as s (kind, id, day, credits_nano, byok_nano)
      select kind, id, day, credits, byok from changes where credits <> 0 or byok <> 0 order by kind desc, id, day
      on conflict (kind, id, day) do update set credits_nano = s.credits_nano + excluded.credits_nano,
        byok_nano = s.byok_nano + excluded.byok_nano`.execute(transaction);
    await sql`delete from gateway.carried_spending where source = ${source}`.execute(transaction);
    await sql`
      insert into gateway.carried_spending (source, kind, id, day, credits_nano, byok_nano)
      select ${source}, * from unnest(${column('kind')}::text[], ${column('id')}::text[], ${column('day')}::date[],
        ${column('credits')}::bigint[], ${column('byok')}::bigint[])`.execute(transaction);
  });
}

/** A row for each spender and day. */
function toSpendingRows(sums: Iterable<SpendingSum>): readonly CarriedRow[] {
  const rows = new Map<string, CarriedRow>();
  for (const sum of sums) {
    const { kind } = sum;
    const id = toColumnId(sum.id);
    const day = sum.day === '' ? '-infinity' : sum.day;
    const key = JSON.stringify([kind, id, day]);
    const before = rows.get(key);
    const credits = (before?.credits ?? 0) + sum.creditsNanoUsd;
    rows.set(key, { kind, id, day, credits, byok: (before?.byok ?? 0) + sum.byokNanoUsd });
  }
  return [...rows.values()].filter(({ credits, byok }) => credits !== 0 || byok !== 0);
}
