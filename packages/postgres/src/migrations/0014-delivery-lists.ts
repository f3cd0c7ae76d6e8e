import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What lists of deliveries to destinations are narrowed to. The database takes it from the row itself, because processes
 * of a former version, which write rows without it, may still be at work.
 */
export const deliveryListsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  },
};

// As in 0008-video-lists.ts: operators of JSON refuse a text in which an escape stands for what no text may hold.
const ROW = String.raw`regexp_replace(row, '\\\\|\\u[0-9a-f]{4}', '_', 'g')::json`;

const STATEMENTS: readonly string[] = [
  `alter table gateway.broadcasts
     add column state text collate "C" generated always as (${ROW} ->> 'state') stored`,
  'drop index gateway.broadcasts_destination',
];
