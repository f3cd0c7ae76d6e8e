/**
 * The temporary table of each connection that takes the rows of a transaction before they are counted: the columns of
 * `gateway.generations`, and these. It is empty after the transaction.
 *
 * What keeps sums adds up `sign * amount` of its rows: 1 for a version that is new, -1 for one that is replaced. Rows of
 * ids that were there before have been removed from it.
 */
export const INCOMING = 'pg_temp.gateway_incoming';

/** The columns of `gateway.generations`, in the order in which rows are copied. */
export const GENERATION_COLUMNS = [
  'day',
  'id',
  'created_at_ms',
  'record',
  'model',
  'provider_name',
  'endpoint_id',
  'session_id',
  'status',
  'principal_id',
  'user_id',
  'workspace_id',
  'app',
  'cost_nano',
  'is_cost_known',
  'is_byok',
  'prompt_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'first_token_ms',
  'latency_ms',
  'duration_ms',
  'tokens_per_second',
  'attempts',
  'is_streamed',
  'finish_reason',
  'user_agent',
  'external_user',
  'errors',
] as const;

const COLUMNS = GENERATION_COLUMNS.join(', ');

/** Begins the transaction of a batch. A pooler in front of the database may hand out another connection each time. */
export const BEGIN_INCOMING = `begin;
set local client_min_messages = warning;
create temporary table if not exists gateway_incoming (
  like gateway.generations, spent_day date not null, content text, preview text, sign smallint not null default 1
) on commit delete rows`;

/** Takes the rows of a batch, in binary form. */
export const COPY_INCOMING = `copy ${INCOMING} (${COLUMNS}, spent_day, content, preview) from stdin (format binary)`;

/** Removes the rows of days that retention has dropped, which have been counted; returns their ids. */
export const REMOVE_LATE = `delete from ${INCOMING} i using gateway.dropped_days d where d.day = i.day returning i.id`;

/**
 * Adds the rows whose id is new and removes the others from the temporary table; returns the ids that it has removed. In
 * the order of the ids, so that two batches that have some in common wait for each other in one order.
 */
export const ADD_INCOMING = `with added as (
  insert into gateway.generations (${COLUMNS}) select ${COLUMNS} from ${INCOMING} order by id
  on conflict do nothing returning day, id
)
delete from ${INCOMING} i where not exists (select from added a where a.id = i.id and a.day = i.day) returning i.id`;

/** Adds the contents of the rows that were added. */
export const ADD_CONTENTS = `insert into gateway.contents (day, id, content, preview)
select day, id, content, preview from ${INCOMING} where content is not null on conflict do nothing`;

/**
 * Adds the rows to what was spent, by spender and the day of their beginning. The row of the account comes last: all
 * processes wait for one another there, and the transaction ends right after.
 */
export const ADD_SPENDING = `insert into gateway.spending as s (kind, id, day, credits_nano, byok_nano, requests)
select kind, spender, spent_day, sum(credits)::bigint, sum(byok)::bigint, sum(sign) from (
  select spent_day, sign, sign * case when is_byok then 0 else cost_nano end as credits,
    sign * case when is_byok then cost_nano else 0 end as byok, spenders.*
  from ${INCOMING},
  lateral (values ('account', ''), ('key', principal_id), ('member', user_id), ('workspace', workspace_id))
    as spenders (kind, spender)
  where spender is not null
) as parts
group by kind, spender, spent_day
order by kind desc, spender, spent_day
on conflict (kind, id, day) do update set credits_nano = s.credits_nano + excluded.credits_nano,
  byok_nano = s.byok_nano + excluded.byok_nano, requests = s.requests + excluded.requests`;

/** Puts the one row of the temporary table in the place of the version that is there; -1 is that version then. */
export const REPLACE_BY_INCOMING = `insert into ${INCOMING} (${COLUMNS}, spent_day, sign)
select ${COLUMNS.replace(/\b(\w+)/g, 'g.$1')}, (to_timestamp(g.created_at_ms / 1000.0) at time zone 'utc')::date, -1
from gateway.generations g join ${INCOMING} i using (day, id);
update gateway.generations g set ${GENERATION_COLUMNS.filter((name) => name !== 'day' && name !== 'id')
  .map((name) => `${name} = i.${name}`)
  .join(', ')}
from ${INCOMING} i where i.sign = 1 and i.day = g.day and i.id = g.id`;
