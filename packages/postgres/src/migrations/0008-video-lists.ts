import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What lists of video jobs are narrowed to. The database takes it from the row itself, because processes of a former
 * version, which write rows without it, may still be at work.
 */
export const videoListsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  },
};

// Operators of JSON refuse a whole text in which an escape stands for what no text may hold, such as NUL. None of the
// values that are read here has an escape.
const ROW = String.raw`regexp_replace(row, '\\\\|\\u[0-9a-f]{4}', '_', 'g')::json`;

const STATEMENTS: readonly string[] = [
  `alter table gateway.video_jobs
     add column status text collate "C" generated always as (${ROW} ->> 'status') stored,
     add column announcement text collate "C" generated always as (
       case when ${ROW} #>> '{delivery,body}' is not null then ${ROW} #>> '{delivery,state}' end
     ) stored`,
];
