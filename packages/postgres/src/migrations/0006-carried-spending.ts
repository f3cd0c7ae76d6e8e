import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What was spent elsewhere before a store was moved here, by where it came from, so that it counts once. */
export const carriedSpendingMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`create table gateway.carried_spending (
      source text collate "C" not null,
      kind text not null,
      id text collate "C" not null,
      day date not null,
      credits_nano bigint not null,
      byok_nano bigint not null,
      primary key (source, kind, id, day)
    )`.execute(database);
  },
};
