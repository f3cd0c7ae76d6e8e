import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** By what other stores know what came from this one, wherever the database moves to. */
export const storeIdMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`create table gateway.store_id (
      is_only boolean primary key default true check (is_only),
      id uuid not null default gen_random_uuid()
    )`.execute(database);
    await sql`insert into gateway.store_id default values`.execute(database);
  },
};
