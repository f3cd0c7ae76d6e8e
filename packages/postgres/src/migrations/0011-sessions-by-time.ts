import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The index on the time holds sessions, too, so that charts by session read it alone. */
export const sessionsByTimeMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`drop index gateway.generations_time`.execute(database);
    await sql`create index generations_time on gateway.generations (created_at_ms desc, id desc)
      include (day, model, provider_name, principal_id, user_id, app, session_id, status, cost_nano, first_token_ms,
        tokens_per_second)`.execute(database);
  },
};
