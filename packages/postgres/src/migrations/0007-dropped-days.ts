import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The days that retention has dropped: what comes again of them must not count twice. */
export const droppedDaysMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`create table gateway.dropped_days (day date primary key)`.execute(database);
  },
};
