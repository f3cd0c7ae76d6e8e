/**
 * Messages, tools and long texts of contents, each once a day and workspace (docs/decisions/0061). A content that has some
 * is `packed`: it names them by their hashes, as blocks name others.
 */
export const CONTENT_BLOCKS: readonly string[] = [
  'alter table gateway.contents add column packed boolean not null default false',
  `create table gateway.content_blocks (
     day date not null,
     hash text collate "C" not null,
     block text not null,
     primary key (day, hash)
   ) partition by range (day)`,
  // Days of which a content was deleted, so that some blocks may have nothing that refers to them. A day may be there
  // several times: whoever notes one waits for nobody.
  'create table gateway.unswept_days (day date not null)',
  // What makes a day also makes what a day of a former version lacks.
  `create or replace function gateway.make_day(wanted date) returns void language plpgsql
   security definer set search_path = pg_catalog, pg_temp as $$
   declare
     parent text;
     part text;
   begin
     perform pg_advisory_xact_lock(hashtextextended('gateway.make_day', 0));
     foreach parent in array array['generations', 'contents', 'content_blocks'] loop
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
  `create or replace function gateway.drop_day(wanted date) returns void language plpgsql
   security definer set search_path = pg_catalog, pg_temp as $$
   declare
     parent text;
   begin
     perform pg_advisory_xact_lock(hashtextextended('gateway.make_day', 0));
     foreach parent in array array['generations', 'contents', 'content_blocks'] loop
       execute format('drop table if exists gateway.%I', parent || '_' || to_char(wanted, 'YYYYMMDD'));
     end loop;
     delete from gateway.unswept_days where day = wanted;
     insert into gateway.dropped_days values (wanted) on conflict do nothing;
   end $$`,
];
