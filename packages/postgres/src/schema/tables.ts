// Operators of JSON refuse a whole text in which an escape stands for what no text may hold, such as NUL. None of the
// values that are read here has an escape.
const ROW = String.raw`regexp_replace(row, '\\\\|\\u[0-9a-f]{4}', '_', 'g')::json`;

/**
 * The tables that every process has in memory, and the rows that change often. What lists of rows are limited to, the
 * database takes from the row itself.
 */
export const TABLES: readonly string[] = [
  // By this id other stores know what came from this one, wherever the database moves to.
  `create table gateway.store_id (
     is_only boolean primary key default true check (is_only),
     id uuid not null default gen_random_uuid()
   )`,
  'insert into gateway.store_id default values',

  `create table gateway.table_version (
     is_only boolean primary key default true check (is_only),
     version bigint not null
   )`,
  'insert into gateway.table_version (version) values (0)',
  `create table gateway.table_rows (
     table_name text collate "C" not null,
     id text collate "C" not null,
     position bigint not null,
     row text,
     version bigint not null,
     primary key (table_name, id)
   )`,
  'create index table_rows_version on gateway.table_rows (version)',

  `create table gateway.video_jobs (
     id text collate "C" primary key,
     position bigint generated always as identity,
     row text not null,
     ages_from_ms bigint,
     principal_id text collate "C" not null,
     user_id text collate "C",
     workspace_id text collate "C",
     created_at_ms bigint not null,
     has_ended boolean not null,
     is_working boolean not null,
     is_byok boolean not null,
     reserved_nano bigint not null,
     generation_id text collate "C" not null,
     idempotency_key text collate "C",
     lease_owner text collate "C",
     lease_until_ms bigint,
     status text collate "C" generated always as (${ROW} ->> 'status') stored,
     announcement text collate "C" generated always as (
       case when ${ROW} #>> '{delivery,body}' is not null then ${ROW} #>> '{delivery,state}' end
     ) stored
   )`,
  'create index video_jobs_position on gateway.video_jobs (position)',
  'create index video_jobs_age on gateway.video_jobs (ages_from_ms)',
  'create index video_jobs_open on gateway.video_jobs (principal_id) where not has_ended',
  'create index video_jobs_working on gateway.video_jobs (position) where is_working',
  'create index video_jobs_generation on gateway.video_jobs (generation_id)',
  `create index video_jobs_idempotency on gateway.video_jobs (principal_id, idempotency_key)
     where idempotency_key is not null`,

  `create table gateway.broadcasts (
     id text collate "C" primary key,
     position bigint generated always as identity,
     row text not null,
     ages_from_ms bigint,
     destination_id text collate "C",
     state text collate "C" generated always as (${ROW} ->> 'state') stored
   )`,
  'create index broadcasts_position on gateway.broadcasts (position)',
  'create index broadcasts_age on gateway.broadcasts (ages_from_ms)',

  `create table gateway.guardrail_hits (
     id text collate "C" primary key,
     position bigint generated always as identity,
     row text not null,
     ages_from_ms bigint
   )`,
  'create index guardrail_hits_age on gateway.guardrail_hits (ages_from_ms)',

  // The head repeats what lists show, so that they read no texts.
  `create table gateway.prompts (
     id text collate "C" primary key,
     position bigint generated always as identity,
     row text not null,
     ages_from_ms bigint,
     head text not null
   )`,

  `create table gateway.deliveries (
     position bigint generated always as identity primary key,
     row text not null,
     generation_ids text[] not null,
     sent_at_ms bigint not null
   )`,
  'create index deliveries_generations on gateway.deliveries using gin (generation_ids)',
  'create index deliveries_sent_at on gateway.deliveries using brin (sent_at_ms)',

  `create table gateway.entries (
     id text collate "C" primary key,
     value text not null,
     expires_at timestamptz not null
   )`,
  'create index entries_expires_at on gateway.entries (expires_at)',
];

/** What is known of files, and their contents in chunks. Chunks are as they came in: most files are compressed already. */
export const FILES: readonly string[] = [
  `create table gateway.files (
     id text collate "C" primary key,
     position bigint generated always as identity,
     row text not null,
     ages_from_ms bigint,
     workspace_id text collate "C" not null
   )`,
  'create index files_workspace on gateway.files (workspace_id, position)',
  `create table gateway.file_contents (
     name text collate "C" primary key,
     bytes bigint,
     saved_at timestamptz not null default clock_timestamp()
   )`,
  `create table gateway.file_chunks (
     content_name text collate "C" not null references gateway.file_contents (name) on delete cascade,
     number integer not null,
     data bytea not null,
     primary key (content_name, number)
   )`,
  'alter table gateway.file_chunks alter column data set storage external',
];

/** Batches and the results of their lines, a row each. */
export const BATCHES: readonly string[] = [
  `create table gateway.batches (
     id text collate "C" primary key,
     position bigint generated always as identity,
     row text not null,
     ages_from_ms bigint,
     batch_id text collate "C" not null,
     is_batch boolean not null
   )`,
  'create index batches_position on gateway.batches (position) where is_batch',
  'create index batches_results on gateway.batches (batch_id, position)',
];

/** Reruns and their items, a row each. */
export const RERUNS: readonly string[] = [
  `create table gateway.reruns (
     id text collate "C" primary key,
     position bigint generated always as identity,
     row text not null,
     ages_from_ms bigint,
     rerun_id text collate "C" not null,
     is_rerun boolean not null
   )`,
  'create index reruns_position on gateway.reruns (position) where is_rerun',
  'create index reruns_parts on gateway.reruns (rerun_id, position)',
];

/** Presets with their versions. The head repeats what lists show, as with prompts. */
export const PRESETS: readonly string[] = [
  `create table gateway.presets (
     id text collate "C" primary key,
     position bigint generated always as identity,
     row text not null,
     ages_from_ms bigint,
     workspace_id text collate "C" not null,
     head text not null
   )`,
  'create index presets_workspace on gateway.presets (workspace_id, position)',
];

/**
 * The audit log, which only grows: a trigger refuses changes of its rows whoever makes them, and the deletion of all but
 * those that retention has dropped, of which there is a record in the chain.
 */
export const AUDIT: readonly string[] = [
  `create table gateway.audit (
     sequence bigint primary key,
     at_ms bigint not null,
     action text collate "C" not null,
     outcome text collate "C" not null,
     workspace_id text collate "C",
     row text not null
   )`,
  'create index audit_at on gateway.audit (at_ms)',
  `create table gateway.audit_head (
     is_only boolean primary key default true check (is_only),
     sequence bigint not null,
     hash text collate "C" not null,
     dropped_through bigint not null
   )`,
  `insert into gateway.audit_head (sequence, hash, dropped_through) values (0, repeat('0', 64), 0)`,
  `create function gateway.keep_audit() returns trigger language plpgsql as $$
   begin
     if tg_op = 'DELETE' then
       if old.sequence <= (select dropped_through from gateway.audit_head) then
         return old;
       end if;
     end if;
     raise exception 'records of the audit log cannot be changed or deleted';
   end $$`,
  `create trigger keep_audit before update or delete on gateway.audit
     for each row execute function gateway.keep_audit()`,
  `create trigger keep_audit_whole before truncate on gateway.audit
     for each statement execute function gateway.keep_audit()`,
];
