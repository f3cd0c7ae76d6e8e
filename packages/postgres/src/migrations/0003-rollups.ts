import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The sums of generations by time (docs/decisions/0047). */
export const rollupsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  },
};

/** Texts in the order of their characters, whatever the language of the database. */
const TEXTS = ['model', 'provider_name', 'endpoint_id', 'session_id', 'status', 'principal_id', 'user_id'];

const ADD_SUMS = ['requests', 'credits_nano', 'byok_nano', 'prompt_tokens', 'completion_tokens', 'reasoning_tokens']
  .map((column) => `${column} = d.${column} + excluded.${column}`)
  .join(', ');

const STATEMENTS = [
  `alter table gateway.generations ${[...TEXTS, 'workspace_id', 'app', 'finish_reason', 'user_agent', 'external_user']
    .map((column) => `alter column ${column} type text collate "C"`)
    .join(', ')}`,
  // What has been written and is not in the sums yet: 1 for a version that was added, -1 for one that is gone.
  `create table gateway.generation_changes (
     sign smallint not null,
     created_at_ms bigint not null,
     model text collate "C" not null,
     provider_name text collate "C",
     endpoint_id text collate "C" not null,
     principal_id text collate "C" not null,
     user_id text collate "C",
     workspace_id text collate "C",
     app text collate "C",
     status text collate "C" not null,
     cost_nano bigint not null,
     is_byok boolean not null,
     prompt_tokens integer,
     completion_tokens integer,
     reasoning_tokens integer,
     first_token_ms double precision,
     tokens_per_second double precision
   ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`,

  // Spans of half an hour, three hours and a day: all calls together, and those of each value of a dimension.
  `create table gateway.generation_hours (
     dimension text collate "C" not null,
     grain_ms integer not null,
     start_ms bigint not null,
     value text collate "C" not null,
     status text collate "C" not null,
     requests bigint not null,
     cost_nano bigint not null,
     primary key (dimension, grain_ms, start_ms, value, status)
   ) with (fillfactor = 80)`,
  // For filters that choose values: their sums alone are read.
  `create index generation_hours_value on gateway.generation_hours (dimension, grain_ms, value, start_ms)
     where dimension <> ''`,

  // What percentiles of the same spans are taken of, where anything was measured. They are many times as long as the sums,
  // which most queries need alone.
  `create table gateway.generation_cells (
     dimension text collate "C" not null,
     grain_ms integer not null,
     start_ms bigint not null,
     value text collate "C" not null,
     status text collate "C" not null,
     first_tokens bytea not null,
     speeds bytea not null,
     primary key (dimension, grain_ms, start_ms, value, status)
   ) with (fillfactor = 80)`,
  `create index generation_cells_value on gateway.generation_cells (dimension, grain_ms, value, start_ms)
     where dimension <> ''`,

  // What calls are counted by together, a row a day and combination.
  `create table gateway.generation_days (
     day_ms bigint not null,
     hash uuid not null,
     model text collate "C" not null,
     provider_name text collate "C" not null,
     endpoint_id text collate "C" not null,
     workspace_id text collate "C" not null,
     principal_id text collate "C" not null,
     user_id text collate "C" not null,
     app text collate "C" not null,
     status text collate "C" not null,
     requests bigint not null,
     credits_nano bigint not null,
     byok_nano bigint not null,
     prompt_tokens bigint not null,
     completion_tokens bigint not null,
     reasoning_tokens bigint not null,
     primary key (day_ms, hash)
   ) with (fillfactor = 80)`,

  ...['model', 'provider_name', 'principal_id', 'user_id', 'app'].map(
    (column) => `create index generation_days_${column} on gateway.generation_days (${column}, day_ms)`,
  ),

  // The same for the activity of all keys.
  `create table gateway.generation_activity (
     day_ms bigint not null,
     hash uuid not null,
     model text collate "C" not null,
     provider_name text collate "C" not null,
     endpoint_id text collate "C" not null,
     workspace_id text collate "C" not null,
     requests bigint not null,
     credits_nano bigint not null,
     byok_nano bigint not null,
     prompt_tokens bigint not null,
     completion_tokens bigint not null,
     reasoning_tokens bigint not null,
     primary key (day_ms, hash)
   ) with (fillfactor = 50)`,

  // The cell of a measurement: cells grow by 4 in 100, so that the middle of one is within 2 in 100 of what is in it.
  `create function gateway.cell_of(measured double precision) returns integer
   language sql immutable parallel safe as $$
     select case when measured is null then null when measured <= 0.001 then -200
       else ceil(ln(measured) / 0.04)::integer end
   $$`,
  // Cells with their counts, two and four bytes each, in any order and as often as they come: to add is to append.
  `create function gateway.to_cells(cell integer, counted bigint) returns bytea
   language sql immutable parallel safe as $$
     select int2send((cell + 200)::smallint) || int4send(counted::integer)
   $$`,
  `create function gateway.add_cells(one bytea, other bytea) returns bytea
   language sql immutable parallel safe as $$
     select case when length(one) + length(other) <= 1200 then one || other else (
       select coalesce(string_agg(gateway.to_cells(cell, counted), ''), '') from (
         select get_byte(added, at) * 256 + get_byte(added, at + 1) - 200 as cell,
           sum(('x' || encode(substring(added from at + 3 for 4), 'hex'))::bit(32)::integer) as counted
         from (select one || other as added) as both_of_them, generate_series(0, length(added) - 6, 6) as at
         group by 1 having sum(('x' || encode(substring(added from at + 3 for 4), 'hex'))::bit(32)::integer) <> 0
       ) as counts
     ) end
   $$`,

  // One process at a time adds what was written to the sums; the others go on without.
  `create function gateway.fold_generation_changes(most integer) returns integer language plpgsql as $$
   declare
     folded integer;
   begin
     if not pg_try_advisory_xact_lock(hashtextextended('gateway.fold_generation_changes', 0)) then return 0; end if;
     with taken as (
       delete from gateway.generation_changes where ctid = any (array(
         select ctid from gateway.generation_changes limit most)) returning *
     ), counted as (
       select dimension, grain_ms, created_at_ms - created_at_ms % grain_ms as start_ms, coalesce(value, '') as value,
         status, gateway.cell_of(first_token_ms) as first_token, gateway.cell_of(tokens_per_second) as speed,
         sum(sign) as requests, sum(sign * cost_nano) as cost_nano,
         grouping(gateway.cell_of(first_token_ms)) = 0 as is_first_token,
         grouping(gateway.cell_of(tokens_per_second)) = 0 as is_speed
       from taken,
         lateral (values ('', ''), ('model', model), ('provider', provider_name), ('key', principal_id),
           ('member', user_id), ('app', app)) as dimensions (dimension, value),
         (values (1800000), (10800000), (86400000)) as grains (grain_ms)
       group by dimension, grain_ms, created_at_ms - created_at_ms % grain_ms, coalesce(value, ''), status,
         grouping sets ((), (gateway.cell_of(first_token_ms)), (gateway.cell_of(tokens_per_second)))
     ), in_hours as (
       insert into gateway.generation_hours as h
       select dimension, grain_ms, start_ms, value, status, requests, cost_nano from counted
       where not is_first_token and not is_speed
       on conflict (dimension, grain_ms, start_ms, value, status) do update set
         requests = h.requests + excluded.requests, cost_nano = h.cost_nano + excluded.cost_nano
     ), in_cells as (
       insert into gateway.generation_cells as h
       select dimension, grain_ms, start_ms, value, status,
         coalesce(string_agg(gateway.to_cells(first_token, requests), '') filter (where is_first_token), ''),
         coalesce(string_agg(gateway.to_cells(speed, requests), '') filter (where is_speed), '')
       from counted where (first_token is not null or speed is not null) and requests <> 0
       group by dimension, grain_ms, start_ms, value, status
       on conflict (dimension, grain_ms, start_ms, value, status) do update set
         first_tokens = gateway.add_cells(h.first_tokens, excluded.first_tokens),
         speeds = gateway.add_cells(h.speeds, excluded.speeds)
     ), called as (
       select created_at_ms - created_at_ms % 86400000 as day_ms, model, coalesce(provider_name, '') as provider_name,
         endpoint_id, coalesce(workspace_id, '') as workspace_id, principal_id, coalesce(user_id, '') as user_id,
         coalesce(app, '') as app, status, sum(sign) as requests,
         sum(case when is_byok then 0 else sign * cost_nano end) as credits_nano,
         sum(case when is_byok then sign * cost_nano else 0 end) as byok_nano,
         sum(sign * coalesce(prompt_tokens, 0)) as prompt_tokens,
         sum(sign * coalesce(completion_tokens, 0)) as completion_tokens,
         sum(sign * coalesce(reasoning_tokens, 0)) as reasoning_tokens
       from taken group by 1, 2, 3, 4, 5, 6, 7, 8, 9
     ), in_days as (
       insert into gateway.generation_days as d
       select day_ms, md5(concat_ws(E'\\n', model, provider_name, endpoint_id, workspace_id, principal_id, user_id, app,
         status))::uuid, model, provider_name, endpoint_id, workspace_id, principal_id, user_id, app, status, requests,
         credits_nano, byok_nano, prompt_tokens, completion_tokens, reasoning_tokens from called
       on conflict (day_ms, hash) do update set
         ${ADD_SUMS}
     ), in_activity as (
       insert into gateway.generation_activity as d
       select day_ms, md5(concat_ws(E'\\n', model, provider_name, endpoint_id, workspace_id))::uuid, model, provider_name,
         endpoint_id, workspace_id, sum(requests), sum(credits_nano), sum(byok_nano), sum(prompt_tokens),
         sum(completion_tokens), sum(reasoning_tokens)
       from called group by day_ms, model, provider_name, endpoint_id, workspace_id
       on conflict (day_ms, hash) do update set
         ${ADD_SUMS}
     )
     select count(*) into folded from taken;
     return folded;
   end $$`,

  // For retention: generations of the days before are gone. Mostly there is nothing to forget, and it has to be found out
  // at once, as stores open with it: with the values in the statement, the planner sees that few rows match.
  `create function gateway.forget_generation_sums(before date) returns void language plpgsql as $$
   declare
     before_ms bigint := extract(epoch from before::timestamp) * 1000;
     wanted text;
     grain integer;
   begin
     execute format('delete from gateway.generation_activity where day_ms < %s', before_ms);
     execute format('delete from gateway.generation_days where day_ms < %s', before_ms);
     foreach wanted in array array['', 'model', 'provider', 'key', 'member', 'app'] loop
       foreach grain in array array[1800000, 10800000, 86400000] loop
         execute format('delete from gateway.generation_hours
           where dimension = %L and grain_ms = %s and start_ms < %s', wanted, grain, before_ms);
         execute format('delete from gateway.generation_cells
           where dimension = %L and grain_ms = %s and start_ms < %s', wanted, grain, before_ms);
       end loop;
     end loop;
   end $$`,
];
