import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The transaction that wrote a generation. Numbers that a sequence gives out do not tell the order in which they become
 * visible; of transactions the database knows which are over. What was there before is followed by nobody, and has none.
 */
export const generationOrderMigration: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  },
};

const STATEMENTS: readonly string[] = [
  'alter table gateway.generations add column written_in xid8',
  'alter table gateway.generations alter column written_in set default pg_current_xact_id()',
  // Days are made like the table, but for those that are there.
  `do $$ declare part regclass; begin
     for part in select inhrelid from pg_inherits where inhparent = 'gateway.generations'::regclass loop
       execute format('alter table %s alter column written_in set default pg_current_xact_id()', part);
     end loop;
   end $$`,
];
