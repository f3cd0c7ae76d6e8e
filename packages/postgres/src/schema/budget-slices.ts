const VIDEO_JOBS = `
     if p_kind = 'key' then
       select coalesce(sum(reserved_nano), 0) into v_jobs from gateway.video_jobs
         where not has_ended and principal_id = p_spender and (p_byok or not is_byok);
     else
       select coalesce(sum(reserved_nano), 0) into v_jobs from gateway.video_jobs
         where not has_ended and (p_byok or not is_byok)
           and (p_kind = 'account' or p_kind = 'member' and user_id = p_spender
             or p_kind = 'workspace' and workspace_id = p_spender);
     end if;`;

const VIDEO_JOBS_WITH_FEES = VIDEO_JOBS.replaceAll(
  'sum(reserved_nano)',
  'sum(case when p_byok or not is_byok then reserved_nano else reserved_fee_nano end)',
).replaceAll(' and (p_byok or not is_byok)', '');

const BATCH_LINES = `
     select v_jobs + coalesce(sum(case when p_byok then held_any_nano else held_credits_nano end), 0) into v_jobs
       from gateway.batches
       where held_any_nano > 0
         and (p_kind = 'account' or p_kind = 'key' and payer_id = p_spender or p_kind = 'member' and user_id = p_spender
           or p_kind = 'workspace' and workspace_id = p_spender);`;

/**
 * The function that grants a slice. `sumJobs` sums what is held by jobs that outlive instances. Slices are read before
 * jobs, and jobs before what is spent: an amount moves in this direction only, so that none is missed, and one that is
 * just moving counts twice. Each statement sees what was committed when it began.
 */
const toTakeFunction = (sumJobs: string): string => `function gateway.take_budget_slice(
     p_instance text, p_number bigint, p_kind text, p_spender text, p_since text, p_byok boolean,
     p_limit bigint, p_keep bigint, p_need bigint, p_want bigint, p_recalls boolean,
     out slice_nano bigint, out spent_nano bigint, out held_nano bigint, out available_nano bigint, out recalled int
   ) language plpgsql as $$
   declare
     v_holders int;
     v_jobs bigint;
     v_granted bigint := 0;
   begin
     if p_recalls then
       perform gateway.drop_dead_budget_instances(p_instance);
     end if;
     perform from gateway.budget_instances where id = p_instance for key share;
     if not found then
       return;
     end if;
     perform pg_advisory_xact_lock(
       7004, hashtext(concat_ws(' ', p_kind, p_since, p_byok::text, p_spender)));

     select coalesce(sum(amount_nano), 0), count(*) filter (where amount_nano > 0) into held_nano, v_holders
       from gateway.budget_slices
       where kind = p_kind and spender_id = p_spender and since = p_since and includes_byok = p_byok
         and instance_id <> p_instance;${sumJobs}
     select coalesce(sum(credits_nano + case when p_byok then byok_nano else 0 end), 0) into spent_nano
       from gateway.spending
       where kind = p_kind and id = p_spender and (p_since = '' or day >= nullif(p_since, '')::date);

     held_nano := held_nano + v_jobs;
     available_nano := p_limit - spent_nano - held_nano - p_keep;
     recalled := 0;
     if available_nano >= p_need then
       select least(p_want, greatest(p_need, available_nano / greatest(count(*), 1))) into v_granted
         from gateway.budget_instances;
       -- Of less than was asked for, whole calls: the rest is of use elsewhere.
       if v_granted < p_want then
         v_granted := v_granted / p_need * p_need;
       end if;
     elsif p_recalls and v_holders > 0 then
       recalled := v_holders;
       perform pg_notify('gateway_budget_recall', json_build_object('from', p_instance, 'kind', p_kind,
         'spenderId', p_spender, 'since', p_since, 'includesByok', p_byok)::text);
     end if;

     slice_nano := p_keep + v_granted;
     insert into gateway.budget_slices as s
         (kind, spender_id, since, includes_byok, instance_id, amount_nano, write_number)
       values (p_kind, p_spender, p_since, p_byok, p_instance, slice_nano, p_number)
       on conflict (kind, spender_id, since, includes_byok, instance_id) do update
         set amount_nano = excluded.amount_nano, write_number = excluded.write_number, written_at = clock_timestamp()
         where s.write_number < excluded.write_number;
     if not found then
       slice_nano := null;
     end if;
   end $$`;

/**
 * The slices of budgets that belong to instances. For every budget, what is spent and all slices together are at most
 * the limit. In each function the row of the instance is locked first, then the budget: nothing waits in a circle. An
 * empty `since` is a budget without a period.
 */
export const BUDGET_SLICES: readonly string[] = [
  `create table gateway.budget_instances (
     id text collate "C" primary key,
     expires_at timestamptz not null,
     steady_from timestamptz not null
   )`,
  `create table gateway.budget_slices (
     kind text collate "C" not null,
     spender_id text collate "C" not null,
     since text collate "C" not null,
     includes_byok boolean not null,
     instance_id text collate "C" not null,
     amount_nano bigint not null check (amount_nano >= 0),
     write_number bigint not null,
     written_at timestamptz not null default clock_timestamp(),
     primary key (kind, spender_id, since, includes_byok, instance_id)
   ) with (fillfactor = 50)`,
  'create index budget_slices_instance on gateway.budget_slices (instance_id)',

  // An instance that was away for its whole life may not say who is dead: where the database was away for all, the
  // others come back within this patience, and their slices have to be there still.
  `create function gateway.drop_dead_budget_instances(p_instance text) returns void language plpgsql as $$
   declare
     v_dead text[];
   begin
     if not exists (
       select from gateway.budget_instances where id = p_instance and steady_from <= clock_timestamp()
     ) then
       return;
     end if;
     with dead as (
       delete from gateway.budget_instances where id in (
         select id from gateway.budget_instances
         where expires_at < clock_timestamp() and id <> p_instance order by id for update skip locked
       ) returning id
     )
     select array_agg(id) into v_dead from dead;
     if v_dead is not null then
       delete from gateway.budget_slices where instance_id = any (v_dead);
     end if;
   end $$`,

  // True where the slices of the instance have remained its own.
  `create function gateway.renew_budget_instance(p_instance text, p_life interval, p_patience interval)
   returns boolean language plpgsql as $$
   declare
     v_now timestamptz := clock_timestamp();
     v_is_known boolean;
   begin
     update gateway.budget_instances
       set steady_from = case when expires_at < v_now then v_now + p_patience else steady_from end,
         expires_at = v_now + p_life
       where id = p_instance;
     v_is_known := found;
     if not v_is_known then
       insert into gateway.budget_instances (id, expires_at, steady_from)
         values (p_instance, v_now + p_life, v_now + p_patience);
     end if;
     delete from gateway.budget_slices
       where instance_id = p_instance and amount_nano = 0 and written_at < v_now - interval '10 minutes';
     perform gateway.drop_dead_budget_instances(p_instance);
     return v_is_known;
   end $$`,

  `create ${toTakeFunction(VIDEO_JOBS)}`,

  `create function gateway.put_budget_slices(
     p_instance text, p_number bigint, p_kinds text[], p_spenders text[], p_sinces text[], p_byoks boolean[],
     p_amounts bigint[], p_is_return boolean
   ) returns boolean language plpgsql as $$
   begin
     perform from gateway.budget_instances where id = p_instance for key share;
     if not found then
       return false;
     end if;
     insert into gateway.budget_slices as s
         (kind, spender_id, since, includes_byok, instance_id, amount_nano, write_number)
       select kind, spender, since, byok, p_instance, amount, p_number
         from unnest(p_kinds, p_spenders, p_sinces, p_byoks, p_amounts) as slices (kind, spender, since, byok, amount)
       on conflict (kind, spender_id, since, includes_byok, instance_id) do update
         set amount_nano = excluded.amount_nano, write_number = excluded.write_number, written_at = clock_timestamp()
         where s.write_number < excluded.write_number;
     if p_is_return then
       perform pg_notify('gateway_budget_return', json_build_object('from', p_instance, 'kind', p_kinds[1],
         'spenderId', p_spenders[1], 'since', p_sinces[1], 'includesByok', p_byoks[1])::text);
     end if;
     return true;
   end $$`,
];

/** What lines of batches hold that are with providers: it outlives the instance that has sent them. */
export const BATCH_HOLDS: readonly string[] = [
  `alter table gateway.batches
     add column payer_id text collate "C",
     add column user_id text collate "C",
     add column workspace_id text collate "C",
     add column held_credits_nano bigint not null default 0,
     add column held_any_nano bigint not null default 0`,
  'create index batches_holding on gateway.batches (payer_id) where held_any_nano > 0',
  `create or replace ${toTakeFunction(VIDEO_JOBS + BATCH_LINES)}`,
];

/** The fee that an open video job with a caller's own key may cost. Rows of former versions have none. */
export const VIDEO_FEES: readonly string[] = [
  'alter table gateway.video_jobs add column reserved_fee_nano bigint not null default 0',
  `create or replace ${toTakeFunction(VIDEO_JOBS_WITH_FEES + BATCH_LINES)}`,
];
