import type { SharedEntries } from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import type { Database } from '../database.ts';

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
