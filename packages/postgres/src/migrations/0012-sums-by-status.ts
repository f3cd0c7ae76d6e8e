import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Sums of a span in one row for all statuses: a chart of a busy month read up to four times as many rows. The sums with a
 * row a status stay as a view, for processes of a former version that still read them.
 */
export const sumsByStatusMigration: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  },
};

const GRAINS = { days: 86_400_000, three_hours: 10_800_000, half_hours: 1_800_000 };
const STATUSES = ['ok', 'failed', 'cancelled', 'interrupted'];
const SUMS = STATUSES.flatMap((status) => [status, `${status}_nano`]);

/** Sums of rows with a status each, as columns. */
const BY_STATUS = STATUSES.flatMap((status) =>
  ['requests', 'cost_nano'].map((sum) => `coalesce(sum(${sum}) filter (where status = '${status}'), 0)`),
).join(', ');
const ADD_SUMS = SUMS.map((column) => `${column} = h.${column} + excluded.${column}`).join(', ');

const ACTIVITY = ['requests', 'credits_nano', 'byok_nano', 'prompt_tokens', 'completion_tokens', 'reasoning_tokens'];
const ADD_ACTIVITY = ACTIVITY.map((column) => `${column} = d.${column} + excluded.${column}`).join(', ');

const STATEMENTS: readonly string[] = [
  // Nothing is added to the sums meanwhile; what was written waits.
  "select pg_advisory_xact_lock(hashtextextended('gateway.fold_generation_changes', 0))",
  `create table gateway.generation_sums (
     dimension text collate "C" not null,
     grain_ms integer not null,
     start_ms bigint not null,
     value text collate "C" not null,
     ${SUMS.map((column) => `${column} bigint not null`).join(', ')}
   ) partition by list (grain_ms)`,
  ...Object.entries(GRAINS).map(
    ([name, ms]) => `create table gateway.generation_sums_of_${name} partition of gateway.generation_sums
      for values in (${ms}) with (fillfactor = 80)`,
  ),
  `insert into gateway.generation_sums
     select dimension, grain_ms, start_ms, value, ${BY_STATUS} from gateway.generation_hours
     group by dimension, grain_ms, start_ms, value order by dimension, grain_ms, start_ms`,
  'drop table gateway.generation_hours',
  'alter table gateway.generation_sums add primary key (dimension, grain_ms, start_ms, value)',
  `create index generation_sums_value on gateway.generation_sums (dimension, grain_ms, value, start_ms)
     where dimension <> ''`,
  'analyze gateway.generation_sums',
  `create view gateway.generation_hours as
     select dimension, grain_ms, start_ms, value, status, requests, cost_nano
     from gateway.generation_sums, lateral (values
       ${STATUSES.map((status) => `('${status}'::text collate "C", ${status}, ${status}_nano)`).join(', ')}
     ) as by_status (status, requests, cost_nano) where requests <> 0 or cost_nano <> 0`,

  `create or replace function gateway.fold_generation_changes(most integer) returns integer language plpgsql as $$
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
     ), in_sums as (
       insert into gateway.generation_sums as h
       select dimension, grain_ms, start_ms, value, ${BY_STATUS} from counted
       where not is_first_token and not is_speed
       group by dimension, grain_ms, start_ms, value
       on conflict (dimension, grain_ms, start_ms, value) do update set
         ${ADD_SUMS}
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
         ${ADD_ACTIVITY}
     ), in_activity as (
       insert into gateway.generation_activity as d
       select day_ms, md5(concat_ws(E'\\n', model, provider_name, endpoint_id, workspace_id))::uuid, model, provider_name,
         endpoint_id, workspace_id, sum(requests), sum(credits_nano), sum(byok_nano), sum(prompt_tokens),
         sum(completion_tokens), sum(reasoning_tokens)
       from called group by day_ms, model, provider_name, endpoint_id, workspace_id
       on conflict (day_ms, hash) do update set
         ${ADD_ACTIVITY}
     )
     select count(*) into folded from taken;
     return folded;
   end $$`,

  `create or replace function gateway.forget_generation_sums(before date) returns void language plpgsql as $$
   declare
     before_ms bigint := extract(epoch from before::timestamp) * 1000;
     wanted text;
     grain integer;
   begin
     execute format('delete from gateway.generation_activity where day_ms < %s', before_ms);
     execute format('delete from gateway.generation_days where day_ms < %s', before_ms);
     foreach wanted in array array['', 'model', 'provider', 'key', 'member', 'app'] loop
       foreach grain in array array[1800000, 10800000, 86400000] loop
         execute format('delete from gateway.generation_sums
           where dimension = %L and grain_ms = %s and start_ms < %s', wanted, grain, before_ms);
         execute format('delete from gateway.generation_cells
           where dimension = %L and grain_ms = %s and start_ms < %s', wanted, grain, before_ms);
       end loop;
     end loop;
   end $$`,
];
