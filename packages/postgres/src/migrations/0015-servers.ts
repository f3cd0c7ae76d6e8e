import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The servers that the database has been on, by which the order of generations goes on where the numbers of transactions
 * do not: after a restore at another server, or a failover to one that had not got everything.
 */
export const serversMigration: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  },
};

const STATEMENTS: readonly string[] = [
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
