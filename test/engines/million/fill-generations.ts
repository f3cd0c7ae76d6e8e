import { Client } from 'pg';

import { toRecord } from '../../support/stores/generation-records.ts';

export interface Filling {
  readonly url: string;
  readonly rows: number;
  /** The last of them begins here; the first, 30 days before. */
  readonly endMs: number;
  /** From -1 to 1: the same rows in every run. Default: others in each. */
  readonly seed?: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
export const FILLED_DAYS = 30;

const ATTEMPT = { endpoint_id: 'a:b', latency: 300, model_permaslug: 'b', provider_name: 'A', status: 200 };
const ATTEMPTS = [JSON.stringify([ATTEMPT]), JSON.stringify([{ ...ATTEMPT, status: 429 }, ATTEMPT])] as const;

/** What the record has of its own in each row, by the column or expression that has it. */
const VARIED = {
  id: 'id',
  created_at: `to_char(to_timestamp(created_at_ms / 1000.0) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  model: 'model',
  provider_name: 'provider_name',
  session_id: 'session_id',
  workspace_id: 'workspace_id',
  origin: 'app',
  preset_id: `'preset-' || (n % 7)`,
  streamed: 'is_streamed',
  cancelled: `status = 'cancelled'`,
  interrupted: `status = 'interrupted'`,
  user_agent: `'sdk/' || (n % 9) || '.0 (linux)'`,
  finish_reason: `case status when 'failed' then 'error' when 'ok' then 'stop' end`,
  tokens_prompt: 'prompt_tokens',
  tokens_completion: 'completion_tokens',
  total_cost: 'cost_nano / 1e9',
  latency: 'round(first_token_ms)',
  generation_time: 'round(first_token_ms + duration_ms)',
  provider_responses: `case attempts when 1 then '${ATTEMPTS[0]}'::json else '${ATTEMPTS[1]}'::json end`,
  principalId: 'principal_id',
  userId: 'user_id',
} as const;

/**
 * Writes generations as a busy month leaves them: 40 models of 8 providers, 200 keys of 30 members in 50 apps, a few of
 * each with most of the calls, each key with four models, six in ten calls in sessions of a few. Much faster than the writer of the store.
 */
export async function fillGenerations({ url, rows, endMs, seed }: Filling): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      "set synchronous_commit = off; set jit = off; set work_mem = '256MB'; set maintenance_work_mem = '256MB'",
    );
    const startMs = endMs - FILLED_DAYS * DAY_MS;
    await client.query(
      `select gateway.make_day(day::date) from generate_series(
        to_timestamp($1::bigint / 1000) at time zone 'utc', to_timestamp($2::bigint / 1000) at time zone 'utc' + interval '1 day',
        interval '1 day') as day`,
      [startMs, endMs],
    );
    const indexes = await dropIndexes(client);
    if (seed !== undefined) await client.query('select setseed($1)', [seed]);
    await client.query(toRows(rows), [rows, startMs, endMs]);
    for (const index of indexes) await client.query(index);
    await client.query(
      `insert into gateway.generation_changes select 1, created_at_ms, model, provider_name, endpoint_id, principal_id,
        user_id, workspace_id, app, status, cost_nano, is_byok, prompt_tokens, completion_tokens, reasoning_tokens,
        cached_tokens, saved_nano, first_token_ms, duration_ms, tokens_per_second, attempts from gateway.generations`,
    );
    for (;;) {
      const { rows: found } = await client.query('select gateway.fold_generation_changes(100000) as folded');
      if ((found as { folded: number }[])[0]?.folded === 0) break;
    }
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

/** Drops the indexes of generations, and resolves with what makes them again: at once, that takes a fraction. */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as definition from pg_indexes
      where schemaname = 'gateway' and tablename = 'generations' and indexname <> 'generations_pkey'`,
  );
  for (const { name } of rows) await client.query(`drop index gateway.${name}`);
  return rows.map(({ definition }) => definition);
}

function toRows(rows: number): string {
  return `with drawn as (
      select n, $2::bigint + floor(($3::bigint - $2::bigint) * (n::double precision / $1))::bigint as created_at_ms,
        floor(200 * power(random(), 1.5))::integer as key, floor(4 * power(random(), 2))::integer as choice,
        random() as luck, random() as ending, random() as speed, random() as cost, random() as fall
      from generate_series(1, $1::integer) as n
    ), chosen as (
      select *, (key * 3 + choice) % 40 as model from drawn
    ), called as (
      select n, created_at_ms, 'gen-' || created_at_ms / 1000 || '-' || lpad(to_hex(n), 20, '0') as id,
        'maker-' || model % 10 || '/model-' || model as model,
        'Provider ' || (model + (fall < 0.2)::integer) % 8 as provider_name,
        'provider-' || (model + (fall < 0.2)::integer) % 8 || ':maker-' || model % 10 || '/model-' || model as endpoint_id,
        'key-' || key as principal_id, case when key % 20 > 0 then 'member-' || key % 30 end as user_id,
        'https://app-' || (key * 7 + (luck < 0.1)::integer) % 50 || '.example' as app,
        case when luck < 0.6 then 'session-' || n / 10 end as session_id, 'workspace-' || key % 3 as workspace_id,
        case when ending < 0.95 then 'ok' when ending < 0.98 then 'failed' when ending < 0.995 then 'cancelled'
          else 'interrupted' end as status,
        floor(exp(4 + 12 * cost))::bigint as cost_nano, cost > 0.02 as is_cost_known, key % 11 = 0 as is_byok,
        floor(exp(3 + 7 * luck))::integer as prompt_tokens, floor(exp(2 + 6 * speed))::integer as completion_tokens,
        exp(4 + 4 * speed) as first_token_ms, exp(5 + 5 * luck) as duration_ms, case when ending < 0.95 then exp(2 + 3 * fall) end as tokens_per_second,
        luck < 0.8 as is_streamed, case when fall < 0.1 then 2 else 1 end as attempts
      from chosen
    )
    insert into gateway.generations (day, id, created_at_ms, record, model, provider_name, endpoint_id, session_id, status,
      principal_id, user_id, workspace_id, app, cost_nano, is_cost_known, is_byok, prompt_tokens, completion_tokens,
      reasoning_tokens, first_token_ms, latency_ms, duration_ms, tokens_per_second, attempts, is_streamed, finish_reason,
      user_agent, external_user, errors)
    select (to_timestamp(created_at_ms / 1000) at time zone 'utc')::date, id, created_at_ms, ${toRecordText()},
      model, provider_name, endpoint_id, session_id, status,
      principal_id, user_id, workspace_id, app, case when is_cost_known then cost_nano else 0 end, is_cost_known, is_byok,
      prompt_tokens, completion_tokens, null, case when is_streamed and status = 'ok' then first_token_ms end,
      first_token_ms, first_token_ms + duration_ms, tokens_per_second, attempts, is_streamed,
      case status when 'failed' then 'error' when 'ok' then 'stop' end, 'sdk/' || (n % 9) || '.0 (linux)',
      'user-' || n % 5000, case when status = 'failed' then '{provider_overloaded,503}'::text[] else '{}' end
    from called where n <= ${rows}`;
}

/** The record as an expression. What differs is left as a mark in its text. */
function toRecordText(): string {
  const mark = (name: string): string => `<${name}>`;
  const { id, principalId, userId, ...generation } = Object.fromEntries(
    Object.keys(VARIED).map((name) => [name, mark(name)]),
  );
  const record = toRecord(String(id), {
    principalId: String(principalId),
    userId: String(userId),
    generation,
  });
  return JSON.stringify(record)
    .split(/"<(\w+)>"/)
    .map((part, at) =>
      at % 2 === 0
        ? `'${part.replaceAll("'", "''")}'`
        : `coalesce(to_json(${VARIED[part as keyof typeof VARIED]})::text, 'null')`,
    )
    .join(' || ');
}
