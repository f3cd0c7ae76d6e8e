import type { SpendingSum } from '@model-gateway/core';
import { sql } from 'kysely';

import { fromColumnId, toColumnId } from '../connection/column-text.ts';
import type { DatabaseConnection } from '../connection/connection.ts';

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
  const rows = toRows(sums);
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
function toRows(sums: Iterable<SpendingSum>): readonly CarriedRow[] {
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
