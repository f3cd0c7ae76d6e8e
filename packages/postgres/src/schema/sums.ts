/** The sums of generations by time, and what adds calls to them (docs/decisions/0047-sums-of-generations.md). */

const STATUSES = ['ok', 'failed', 'cancelled', 'interrupted'];
/** The columns of sums, for the calls and the costs of each status. */
const STATUS_SUMS = STATUSES.flatMap((status) => [status, `${status}_nano`]);
/** Sums of rows with a status each, as those columns. */
const SUMS_BY_STATUS = STATUSES.flatMap((status) =>
  ['requests', 'cost_nano'].map((sum) => `coalesce(sum(${sum}) filter (where status = '${status}'), 0)`),
).join(', ');
const ADD_STATUSES = STATUS_SUMS.map((column) => `${column} = h.${column} + excluded.${column}`).join(', ');

/** The columns of sketches: counts by cell, and sums. */
const MEASURED = ['first_tokens', 'speeds', 'durations'];
const MEASURED_SUMS = ['retries', 'prompt_tokens', 'cached_tokens', 'saved_nano'];
const ADD_MEASURED = [
  ...MEASURED.map((column) => `${column} = gateway.add_cells(h.${column}, excluded.${column})`),
  ...MEASURED_SUMS.map((column) => `${column} = h.${column} + excluded.${column}`),
].join(', ');
/** The cells of a row. A call that did not end well tells nothing of how long calls take. */
const CELLS = [
  'gateway.cell_of(first_token_ms)',
  'gateway.cell_of(tokens_per_second)',
  "gateway.cell_of(case when status = 'ok' then duration_ms end)",
];

const CALLED = ['requests', 'credits_nano', 'byok_nano', 'prompt_tokens', 'completion_tokens', 'reasoning_tokens'];
const ADD_CALLED = CALLED.map((column) => `${column} = d.${column} + excluded.${column}`).join(', ');

/**
 * Tables by spans of half an hour, three hours and a day: all calls together, and those of each value of a dimension. A
 * partition for each length: sums are written as calls come, those of all lengths in turn, so that a month of days would
 * be spread over the pages of a hundred times as many half hours.
 */
const GRAINS = { days: 86_400_000, three_hours: 10_800_000, half_hours: 1_800_000 };
const TABLES_BY_TIME = {
  generation_sums: { columns: STATUS_SUMS.map((column) => `${column} bigint not null`).join(', '), key: '' },
  // What charts alone show of the same spans: further sums, and what percentiles are taken of, the number of measurements
  // in each cell, whose number is the subscript. They are many times as long as the sums, which most queries need alone.
  generation_sketches: {
    columns: `status text collate "C" not null, ${[
      ...MEASURED.map((column) => `${column} bigint[] not null`),
      ...MEASURED_SUMS.map((column) => `${column} bigint not null`),
    ].join(', ')}`,
    key: ', status',
  },
};

const toTableByTime = ([table, { columns, key }]: readonly [
  string,
  { readonly columns: string; readonly key: string },
]): readonly string[] => [
  `create table gateway.${table} (
     dimension text collate "C" not null,
     grain_ms integer not null,
     start_ms bigint not null,
     value text collate "C" not null,
     ${columns},
     primary key (dimension, grain_ms, start_ms, value${key})
   ) partition by list (grain_ms)`,
  // For filters that choose values: their sums alone are read.
  `create index ${table}_value on gateway.${table} (dimension, grain_ms, value, start_ms) where dimension <> ''`,
  ...Object.entries(GRAINS).map(
    ([name, ms]) => `create table gateway.${table}_of_${name} partition of gateway.${table}
      for values in (${ms}) with (fillfactor = 80)`,
  ),
];

/** The tables. */
const TABLES: readonly string[] = [
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
     cached_tokens integer,
     saved_nano bigint not null,
     first_token_ms double precision,
     duration_ms double precision,
     tokens_per_second double precision,
     attempts smallint not null
   ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`,

  ...Object.entries(TABLES_BY_TIME).flatMap(toTableByTime),

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
];

/** What the account and what the caller has paid of a row that has a fee in its cost (docs/decisions/0115-own-key-fees.md). */
export const SPENT = {
  credits: 'case when is_byok then fee_nano else cost_nano end',
  byok: 'case when is_byok then cost_nano - fee_nano else 0 end',
};

/** One process at a time adds what was written to the sums; the others go on without. */
const toFoldFunction = (spent: typeof SPENT): string =>
  `function gateway.fold_generation_changes(most integer) returns integer language plpgsql as $$
   declare
     folded integer;
   begin
     if not pg_try_advisory_xact_lock(hashtextextended('gateway.fold_generation_changes', 0)) then return 0; end if;
     with taken as (
       delete from gateway.generation_changes where ctid = any (array(
         select ctid from gateway.generation_changes limit most)) returning *
     ), counted as (
       select dimension, grain_ms, created_at_ms - created_at_ms % grain_ms as start_ms, coalesce(value, '') as value,
         status, ${CELLS[0]} as first_token, ${CELLS[1]} as speed, ${CELLS[2]} as duration,
         sum(sign) as requests, sum(sign * cost_nano) as cost_nano,
         sum(sign * greatest(attempts - 1, 0)) as retries,
         sum(case when cached_tokens is null then 0 else sign * coalesce(prompt_tokens, 0) end) as prompt_tokens,
         sum(sign * coalesce(cached_tokens, 0)) as cached_tokens, sum(sign * saved_nano) as saved_nano,
         grouping(${CELLS.join(', ')}) = 7 as is_sum
       from taken,
         lateral (values ('', ''), ('model', model), ('provider', provider_name), ('key', principal_id),
           ('member', user_id), ('app', app)) as dimensions (dimension, value),
         (values (1800000), (10800000), (86400000)) as grains (grain_ms)
       group by dimension, grain_ms, created_at_ms - created_at_ms % grain_ms, coalesce(value, ''), status,
         grouping sets ((), ${CELLS.map((cell) => `(${cell})`).join(', ')})
     ), in_sums as (
       insert into gateway.generation_sums as h
       select dimension, grain_ms, start_ms, value, ${SUMS_BY_STATUS} from counted
       where is_sum
       group by dimension, grain_ms, start_ms, value
       on conflict (dimension, grain_ms, start_ms, value) do update set
         ${ADD_STATUSES}
     ), in_sketches as (
       insert into gateway.generation_sketches as h
       select dimension, grain_ms, start_ms, value, status, gateway.count_cells(first_token, requests),
         gateway.count_cells(speed, requests), gateway.count_cells(duration, requests),
         ${MEASURED_SUMS.map((column) => `sum(${column}) filter (where is_sum)`).join(', ')}
       from counted where is_sum or (coalesce(first_token, speed, duration) is not null and requests <> 0)
       group by dimension, grain_ms, start_ms, value, status
       on conflict (dimension, grain_ms, start_ms, value, status) do update set
         ${ADD_MEASURED}
     ), called as (
       select created_at_ms - created_at_ms % 86400000 as day_ms, model, coalesce(provider_name, '') as provider_name,
         endpoint_id, coalesce(workspace_id, '') as workspace_id, principal_id, coalesce(user_id, '') as user_id,
         coalesce(app, '') as app, status, sum(sign) as requests,
         sum(sign * ${spent.credits}) as credits_nano,
         sum(sign * ${spent.byok}) as byok_nano,
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
         ${ADD_CALLED}
     ), in_activity as (
       insert into gateway.generation_activity as d
       select day_ms, md5(concat_ws(E'\\n', model, provider_name, endpoint_id, workspace_id))::uuid, model, provider_name,
         endpoint_id, workspace_id, sum(requests), sum(credits_nano), sum(byok_nano), sum(prompt_tokens),
         sum(completion_tokens), sum(reasoning_tokens)
       from called group by day_ms, model, provider_name, endpoint_id, workspace_id
       on conflict (day_ms, hash) do update set
         ${ADD_CALLED}
     )
     select count(*) into folded from taken;
     return folded;
   end $$`;

/** The functions. */
const FUNCTIONS: readonly string[] = [
  // The cell of a measurement: cells grow by 4 in 100, so that the middle of one is within 2 in 100 of what is in it. The
  // first has all up to 0.001, the last more than a day in milliseconds.
  `create function gateway.cell_of(measured double precision) returns integer
   language sql immutable parallel safe as $$
     select case when measured is null then null when measured <= 0.001 then -200
       else least(ceil(ln(measured) / 0.04), 460)::integer end
   $$`,
  // Counts by cell, as an array whose subscripts are the cells from the first to the last that has any; null for none.
  `create function gateway.count_cell(counts bigint[], cell integer, counted bigint) returns bigint[]
   language plpgsql immutable strict parallel safe as $$
   begin
     counts[cell] := coalesce(counts[cell], 0) + counted;
     return counts;
   end $$`,
  `create aggregate gateway.count_cells(cell integer, counted bigint) (
     sfunc = gateway.count_cell, stype = bigint[], initcond = '{}', parallel = safe
   )`,
  `create function gateway.add_cells(counts bigint[], others bigint[]) returns bigint[]
   language plpgsql immutable strict parallel safe as $$
   begin
     for cell in coalesce(array_lower(others, 1), 1) .. coalesce(array_upper(others, 1), 0) loop
       if others[cell] <> 0 then counts[cell] := coalesce(counts[cell], 0) + others[cell]; end if;
     end loop;
     return counts;
   end $$`,

  `create ${toFoldFunction({ credits: 'case when is_byok then 0 else cost_nano end', byok: 'case when is_byok then cost_nano else 0 end' })}`,

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
         execute format('delete from gateway.generation_sums
           where dimension = %L and grain_ms = %s and start_ms < %s', wanted, grain, before_ms);
         execute format('delete from gateway.generation_sketches
           where dimension = %L and grain_ms = %s and start_ms < %s', wanted, grain, before_ms);
       end loop;
     end loop;
   end $$`,
];

/** The tables of sums, and the functions that fill them. */
export const SUMS: readonly string[] = [...TABLES, ...FUNCTIONS];

/** The fee in the cost of a call with the caller's own key. Rows of former versions have none. */
export const OWN_KEY_FEES: readonly string[] = [
  'alter table gateway.generations add column fee_nano bigint not null default 0',
  'alter table gateway.generation_changes add column fee_nano bigint not null default 0',
  `create or replace ${toFoldFunction(SPENT)}`,
];
