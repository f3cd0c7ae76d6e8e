import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Generations and contents in a partition a day, and what was spent. Columns repeat the facts of a record that lists and
 * sums look at; the record itself is a text, because `jsonb` refuses NUL, which callers may send.
 */
export const generationsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  },
};

const STATEMENTS: readonly string[] = [
  `create table gateway.generations (
     day date not null,
     id text collate "C" not null,
     created_at_ms bigint not null,
     record text not null,
     model text not null,
     provider_name text,
     endpoint_id text not null default '',
     session_id text,
     status text not null,
     principal_id text not null,
     user_id text,
     workspace_id text,
     app text,
     cost_nano bigint not null,
     is_cost_known boolean not null,
     is_byok boolean not null,
     prompt_tokens integer,
     completion_tokens integer,
     reasoning_tokens integer,
     first_token_ms double precision,
     latency_ms double precision,
     duration_ms double precision,
     tokens_per_second double precision,
     attempts smallint not null,
     is_streamed boolean not null,
     finish_reason text,
     user_agent text,
     external_user text,
     errors text[] not null default '{}',
     primary key (id, day)
   ) partition by range (day)`,
  `create table gateway.contents (
     day date not null,
     id text collate "C" not null,
     content text not null,
     preview text,
     primary key (id, day)
   ) partition by range (day)`,
  // One row of the account changes with every batch: free space keeps its versions in one page.
  `create table gateway.spending (
     kind text not null,
     id text collate "C" not null,
     day date not null,
     credits_nano bigint not null default 0,
     byok_nano bigint not null default 0,
     requests bigint not null default 0,
     primary key (kind, id, day)
   ) with (fillfactor = 50)`,
  // Attaching lets readers and writers of other days go on, which `create table … partition of` does not.
  `create function gateway.make_day(wanted date) returns void language plpgsql as $$
   declare
     parent text;
     part text;
   begin
     perform pg_advisory_xact_lock(hashtextextended('gateway.make_day', 0));
     foreach parent in array array['generations', 'contents'] loop
       part := parent || '_' || to_char(wanted, 'YYYYMMDD');
       -- Not to_regclass, which goes by what the connection had seen before it waited for the lock.
       if not exists (select from pg_tables where schemaname = 'gateway' and tablename = part) then
         execute format(
           'create table gateway.%I (like gateway.%I including defaults including constraints)', part, parent);
         execute format(
           'alter table gateway.%I attach partition gateway.%I for values from (%L) to (%L)',
           parent, part, wanted, wanted + 1);
       end if;
     end loop;
   end $$`,
];
