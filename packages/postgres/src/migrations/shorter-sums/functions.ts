const STATUSES = ['ok', 'failed', 'cancelled', 'interrupted'];

/** The columns of sums, for the calls and the costs of each status. */
export const STATUS_SUMS = STATUSES.flatMap((status) => [status, `${status}_nano`]);

/** Sums of rows with a status each, as those columns. */
export const SUMS_BY_STATUS = STATUSES.flatMap((status) =>
  ['requests', 'cost_nano'].map((sum) => `coalesce(sum(${sum}) filter (where status = '${status}'), 0)`),
).join(', ');

const ADD_STATUSES = STATUS_SUMS.map((column) => `${column} = h.${column} + excluded.${column}`).join(', ');
const ACTIVITY = ['requests', 'credits_nano', 'byok_nano', 'prompt_tokens', 'completion_tokens', 'reasoning_tokens'];
const ADD_ACTIVITY = ACTIVITY.map((column) => `${column} = d.${column} + excluded.${column}`).join(', ');

/** The number of the last cell, counted from the first. */
const LAST_CELL = 660;

/**
 * What sketches are made and added up with. An entry has ten bits for the cell, two for a place and twelve for a digit, from
 * -2047 to 2047, at that place of a number to the base 2048.
 */
export const SKETCH_FUNCTIONS: readonly string[] = [
  // Apart, so that the usual case becomes part of the query that asks.
  `create function gateway.to_long_sketch(cell integer, counted bigint) returns bytea
   language sql immutable parallel safe as $$
     select string_agg(substring(int4send((cell << 14) | (place << 12)
       | (sign(counted) * ((abs(counted) >> (11 * place)) & 2047) + 2048)::integer) from 2), '')
     from generate_series(0, 2) as place
   $$`,
  `create function gateway.to_sketch(cell integer, counted bigint) returns bytea
   language sql immutable parallel safe as $$
     select case when cell is null then null when counted between -2047 and 2047
       then substring(int4send((least(cell + 200, ${LAST_CELL}) << 14) | (counted + 2048)::integer) from 2)
       else gateway.to_long_sketch(least(cell + 200, ${LAST_CELL}), counted) end
   $$`,
  // To add is to append, until it is long.
  `create function gateway.add_sketches(one bytea, other bytea) returns bytea
   language sql immutable parallel safe as $$
     select case when length(one) + length(other) <= 600 then one || other else (
       select coalesce(string_agg(gateway.to_sketch(cell, counted), ''), '') from (
         select (entry >> 14) - 200 as cell,
           sum(((entry & 4095) - 2048)::bigint << (11 * ((entry >> 12) & 3)))::bigint as counted
         from (
           select (get_byte(added, at) << 16) | (get_byte(added, at + 1) << 8) | get_byte(added, at + 2) as entry
           from (select one || other as added) as both_of_them, generate_series(0, length(added) - 3, 3) as at
         ) as entries group by 1
       ) as counts where counted <> 0
     ) end
   $$`,
];

/** What adds calls to sums, one process at a time, and forgets the sums of the days before one. */
export const SUM_FUNCTIONS: readonly string[] = [
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
       select dimension, grain_ms, start_ms, value, ${SUMS_BY_STATUS} from counted
       where not is_first_token and not is_speed
       group by dimension, grain_ms, start_ms, value
       on conflict (dimension, grain_ms, start_ms, value) do update set
         ${ADD_STATUSES}
     ), in_sketches as (
       insert into gateway.generation_sketches as h
       select dimension, grain_ms, start_ms, value, status,
         coalesce(string_agg(gateway.to_sketch(first_token, requests), '') filter (where is_first_token), ''),
         coalesce(string_agg(gateway.to_sketch(speed, requests), '') filter (where is_speed), '')
       from counted where (first_token is not null or speed is not null) and requests <> 0
       group by dimension, grain_ms, start_ms, value, status
       on conflict (dimension, grain_ms, start_ms, value, status) do update set
         first_tokens = gateway.add_sketches(h.first_tokens, excluded.first_tokens),
         speeds = gateway.add_sketches(h.speeds, excluded.speeds)
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
         execute format('delete from gateway.generation_sketches
           where dimension = %L and grain_ms = %s and start_ms < %s', wanted, grain, before_ms);
       end loop;
     end loop;
   end $$`,
];
