import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Makes and drops the partitions of days as the owner of the tables, so that gateways need no right to make tables.
 * Whoever may use the functions is said by grants (docs/operations.md).
 */
export const daysByOwnerMigration: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  },
};

const STATEMENTS: readonly string[] = [
  'alter function gateway.make_day(date) security definer set search_path = pg_catalog, pg_temp',
  'revoke all on function gateway.make_day(date) from public',
  `create function gateway.drop_day(wanted date) returns void language plpgsql
   security definer set search_path = pg_catalog, pg_temp as $$
   declare
     parent text;
   begin
     perform pg_advisory_xact_lock(hashtextextended('gateway.make_day', 0));
     foreach parent in array array['generations', 'contents'] loop
       execute format('drop table if exists gateway.%I', parent || '_' || to_char(wanted, 'YYYYMMDD'));
     end loop;
     insert into gateway.dropped_days values (wanted) on conflict do nothing;
   end $$`,
  'revoke all on function gateway.drop_day(date) from public',
];
