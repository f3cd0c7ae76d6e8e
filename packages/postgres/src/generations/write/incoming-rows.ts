import type { ColumnType } from './row-arrays.ts';

/**
 * What the statements here call the rows that count: the facts of `gateway.generations`, with their `spent_day` and a
 * `sign`. What keeps sums adds up `sign * amount` of them: 1 for a version that is new, -1 for one that is replaced.
 *
 * They are a part of one statement, not a temporary table: as long as a connection has one of those, autovacuum can
 * freeze nothing that is younger, in no database of the server.
 */
export const INCOMING = 'incoming';

/** The columns of `gateway.generations`, in the order in which rows are given. */
const GENERATION_COLUMNS: Readonly<Record<string, ColumnType>> = {
  day: 'date',
  id: 'text',
  created_at_ms: 'bigint',
  record: 'text',
  model: 'text',
  provider_name: 'text',
  endpoint_id: 'text',
  session_id: 'text',
  status: 'text',
  principal_id: 'text',
  user_id: 'text',
  workspace_id: 'text',
  app: 'text',
  cost_nano: 'bigint',
  is_cost_known: 'boolean',
  is_byok: 'boolean',
  prompt_tokens: 'integer',
  completion_tokens: 'integer',
  reasoning_tokens: 'integer',
  first_token_ms: 'double precision',
  latency_ms: 'double precision',
  duration_ms: 'double precision',
  tokens_per_second: 'double precision',
  attempts: 'smallint',
  is_streamed: 'boolean',
  finish_reason: 'text',
  user_agent: 'text',
  external_user: 'text',
  errors: 'text',
};
const NAMES = Object.keys(GENERATION_COLUMNS);
const COLUMNS = NAMES.join(', ');
const VALUES = NAMES.map((name) => (name === 'errors' ? 'errors::text[]' : name)).join(', ');

const GIVEN_COLUMNS = { ...GENERATION_COLUMNS, content: 'text', preview: 'text' } as const;

/** The types of the columns of rows as they are given to statements: an array for each. */
export const GIVEN_TYPES: readonly ColumnType[] = Object.values(GIVEN_COLUMNS);

/** The server at which the statement runs, once the database knows it, and the place of this transaction there. */
const SERVER = `server as materialized (
  select token, (pg_current_xact_id()::text::bigint + lead)::text::xid8 as place from (
    select * from gateway.servers order by number desc limit 1
  ) as latest where started_at = pg_postmaster_start_time()
)`;

const GIVEN = `given as materialized (
  select * from unnest(${GIVEN_TYPES.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})
    as rows (${Object.keys(GIVEN_COLUMNS).join(', ')})
)`;

/** What the rows of `INCOMING` have, but for `sign` and `spent_day`. */
const FACTS = `day, id, created_at_ms, model, provider_name, endpoint_id, session_id, status, principal_id, user_id,
  workspace_id, app, cost_nano, is_byok, prompt_tokens, completion_tokens, reasoning_tokens, first_token_ms,
  tokens_per_second`;
const SPENT_DAY = "(to_timestamp(created_at_ms / 1000.0) at time zone 'utc')::date as spent_day";

/**
 * Adds the rows to what was spent, by spender and the day of their beginning. The row of the account comes last: all
 * processes wait for one another there, and the transaction ends right after.
 */
const ADD_SPENDING = `insert into gateway.spending as s (kind, id, day, credits_nano, byok_nano, requests)
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

/** What counts the rows of `INCOMING`. Of such parts PostgreSQL does the last one first. */
const toCounts = (rollups: readonly string[]): string =>
  [`spending as (${ADD_SPENDING})`, ...rollups.map((rollup, index) => `rollup_${index} as (${rollup})`)].join(', ');

/**
 * Adds given rows with their contents where their id is new and retention has not dropped their day, and counts these.
 * Returns the token of the server, or adds nothing where the database does not know it, and the ids of the others. In the
 * order of the ids, so that two batches that have some in common wait for each other in one order.
 *
 * `is true` keeps the planner from a join: it knows little of the rows, and might compare each with each.
 */
export const toAddStatement = (rollups: readonly string[]): string => `with ${SERVER}, ${GIVEN}, added as (
  insert into gateway.generations (${COLUMNS}, written_in) select ${VALUES}, server.place from given, server
  where not exists (select from gateway.dropped_days d where d.day = given.day) order by id
  on conflict do nothing returning ${FACTS}
), ${INCOMING} as materialized (select 1::smallint as sign, ${SPENT_DAY}, ${FACTS} from added),
${toCounts(rollups)}, contents as (
  insert into gateway.contents (day, id, content, preview)
  select day, id, content, preview from given
  where content is not null and (id in (select id from added)) is true on conflict do nothing
)
select token, null as id, false as is_late from server
union all
select null, id, exists (select from gateway.dropped_days d where d.day = given.day) from given
where (id in (select id from added)) is not true`;

/** Puts the one given row, whose content does not matter, in the place of the version that is there, and counts both. */
export const toReplaceStatement = (rollups: readonly string[]): string => `with ${GIVEN}, former as (
  select ${FACTS} from gateway.generations g where exists (select from given i where i.day = g.day and i.id = g.id)
), replaced as (
  update gateway.generations g set ${NAMES.filter((name) => name !== 'day' && name !== 'id')
    .map((name) => `${name} = i.${name}${name === 'errors' ? '::text[]' : ''}`)
    .join(', ')}
  from given i where i.day = g.day and i.id = g.id
), ${INCOMING} as materialized (
  select 1::smallint as sign, ${SPENT_DAY}, ${FACTS} from given
  union all select -1, ${SPENT_DAY}, ${FACTS} from former
),
${toCounts(rollups)}
select from given`;
