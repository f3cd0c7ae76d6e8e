/**
 * Generations and contents in a partition a day, in the order in which they are written, and what was spent. Columns
 * repeat the facts of a record that lists and sums look at; the record itself is a text, because `jsonb` refuses NUL,
 * which callers may send. Texts are in the order of their characters, whatever the language of the database.
 */
export const GENERATIONS: readonly string[] = [
  // `written_in` is the transaction that wrote it. Numbers that a sequence gives out do not tell the order in which they
  // become visible; of transactions the database knows which are over.
  `create table gateway.generations (
     day date not null,
     id text collate "C" not null,
     created_at_ms bigint not null,
     record text not null,
     model text collate "C" not null,
     provider_name text collate "C",
     endpoint_id text collate "C" not null default '',
     session_id text collate "C",
     status text collate "C" not null,
     principal_id text collate "C" not null,
     user_id text collate "C",
     workspace_id text collate "C",
     app text collate "C",
     cost_nano bigint not null,
     is_cost_known boolean not null,
     is_byok boolean not null,
     prompt_tokens integer,
     completion_tokens integer,
     reasoning_tokens integer,
     cached_tokens integer,
     saved_nano bigint not null default 0,
     first_token_ms double precision,
     latency_ms double precision,
     duration_ms double precision,
     tokens_per_second double precision,
     attempts smallint not null,
     is_streamed boolean not null,
     finish_reason text collate "C",
     user_agent text collate "C",
     external_user text collate "C",
     errors text[] not null default '{}',
     written_in xid8 default pg_current_xact_id(),
     primary key (id, day)
   ) partition by range (day)`,
  `create table gateway.contents (
     day date not null,
     id text collate "C" not null,
     content text not null,
     preview text,
     primary key (id, day)
   ) partition by range (day)`,

  // The days that retention has dropped: what comes again of them must not count twice.
  'create table gateway.dropped_days (day date primary key)',
  // Days are made and dropped as the owner of the tables, so that gateways need no right to make tables. Grants say who
  // may use the functions (docs/operations.md).
  //
  // Attaching lets readers and writers of other days go on, which `create table … partition of` does not.
  `create function gateway.make_day(wanted date) returns void language plpgsql
   security definer set search_path = pg_catalog, pg_temp as $$
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
  // What was spent elsewhere before a store was moved here, by where it came from, so that it counts once.
  `create table gateway.carried_spending (
     source text collate "C" not null,
     kind text not null,
     id text collate "C" not null,
     day date not null,
     credits_nano bigint not null,
     byok_nano bigint not null,
     primary key (source, kind, id, day)
   )`,

  // The servers that the database has been on, by which the order of generations goes on where the numbers of
  // transactions do not: after a restore at another server, or a failover to one that had not got everything.
  //
  // A place in the order is the number of a transaction and the lead of its server. All places of a server are beyond its
  // first one, and all of former servers are before it.
  `create table gateway.servers (
     number integer generated always as identity primary key,
     token uuid not null default gen_random_uuid(),
     identity text not null,
     started_at timestamptz not null,
     first_place bigint not null,
     lead bigint not null
   )`,

  // The timeline is that of what is written now; the control file has it only after a checkpoint. Where these functions
  // are not to be had, each start of the server counts as another one, which is no harm.
  `create function gateway.server_identity() returns text language plpgsql as $$
   begin
     return (select system_identifier from pg_control_system())
       || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
   exception when insufficient_privilege or feature_not_supported or undefined_function
     or object_not_in_prerequisite_state then
     return 'started at ' || pg_postmaster_start_time();
   end $$`,

  // The token of the server at which this is called; notes one that it does not know.
  `create function gateway.meet_server() returns uuid language plpgsql as $$
   declare
     latest gateway.servers;
     present text;
     place bigint;
     number_now bigint;
   begin
     select * into latest from gateway.servers order by number desc limit 1;
     if latest.started_at = pg_postmaster_start_time() then return latest.token; end if;
     perform pg_advisory_xact_lock(hashtextextended('gateway.meet_server', 0));
     select * into latest from gateway.servers order by number desc limit 1;
     present := gateway.server_identity();
     if latest.identity = present then
       update gateway.servers set started_at = pg_postmaster_start_time() where number = latest.number;
       return latest.token;
     end if;
     select written_in::text::bigint into place from gateway.generations
       where written_in is not null order by written_in desc limit 1;
     number_now := pg_current_xact_id()::text::bigint;
     place := greatest(number_now, coalesce(place, 0) + 1, coalesce(latest.first_place, 0) + 1);
     insert into gateway.servers (identity, started_at, first_place, lead)
       values (present, pg_postmaster_start_time(), place, place - number_now)
       returning * into latest;
     return latest.token;
   end $$`,
];
