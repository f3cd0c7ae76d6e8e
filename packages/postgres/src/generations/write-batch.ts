import { feeNanoUsdOf, toGenerationFacts } from '@model-gateway/core';
import type { PoolClient, QueryResult } from 'pg';

import { toColumnId, toColumnText, toFactText } from '../connection/column-text.ts';
import type { DatabaseConnection } from '../connection/connection.ts';
import { SPENT } from '../schema/sums.ts';
import { UnfitRecordError } from './batch-error.ts';
import { ADD_BLOCKS, BLOCK_TYPES, packContents, type StoredText } from './content-blocks.ts';
import type { PendingRecord } from './pending-records.ts';
import type { Days } from './retention.ts';
import { type ColumnType, createRowArrays, type RowArrays } from './row-arrays.ts';
import type { ServerWatch } from './server-watch.ts';

export interface WriteParts {
  readonly connection: Pick<DatabaseConnection, 'useClient'>;
  readonly days: Days;
  readonly server: Pick<ServerWatch, 'meet' | 'note'>;
  /** Inserts that keep further sums, from the rows of `INCOMING`. */
  readonly rollups: readonly string[];
}

const NO_IDS: ReadonlySet<string> = new Set();
/** For a batch as a whole. */
const BATCH_LIMIT_MS = 8000;

/** Ids of a batch of which nothing was written or counted. */
export interface LeftOut {
  /** Were there before. */
  readonly known: ReadonlySet<string>;
  /** Belong to a day that retention has dropped. */
  readonly late: ReadonlySet<string>;
}

/** The server, in the first row, or what was left out. */
interface AddedRow {
  readonly token: string | null;
  readonly id: string | null;
  readonly is_late: boolean;
}

/** Writes records with their contents and all sums, in one statement. No id may come twice. */
export async function writeBatch(
  { connection, days, server, rollups }: WriteParts,
  records: readonly PendingRecord[],
): Promise<LeftOut> {
  const { rows, blocks } = toRowArrays(records);
  const values = [...rows.end(), ...(blocks?.end() ?? [])];
  const statement = toAddStatement(rollups, blocks !== undefined);
  await days.prepare(new Set(records.map(({ day }) => day)));
  const add = (): Promise<QueryResult<AddedRow>> =>
    connection.useClient(BATCH_LIMIT_MS, (client) => client.query(statement, [...values]));
  let found = await add();
  if (typeof found.rows[0]?.token !== 'string') {
    await server.meet();
    found = await add();
  }
  // A connection that failed may still be sending them.
  rows.release();
  const token = found.rows[0]?.token;
  if (typeof token !== 'string') throw new Error('timeout: the database changes its server again and again');
  server.note(token);
  return {
    known: idsIn(found.rows, false, records),
    late: idsIn(found.rows, true, records),
  };
}

interface BatchRows {
  readonly rows: RowArrays;
  /** Undefined where no content of the batch is packed. */
  readonly blocks: RowArrays | undefined;
}

function toRowArrays(records: readonly PendingRecord[]): BatchRows {
  const rows = createRowArrays(GIVEN_TYPES);
  try {
    const { texts, blocks } = packContents(records);
    for (const [index, record] of records.entries()) putRow(rows, record, texts[index] ?? null);
    return { rows, blocks };
  } catch (error) {
    throw new UnfitRecordError(error);
  }
}

/** The records whose ids a statement has returned. */
function idsIn(found: readonly AddedRow[], isLate: boolean, records: readonly PendingRecord[]): ReadonlySet<string> {
  const columnIds = new Set(
    found.filter(({ token, is_late }) => token === null && is_late === isLate).map(({ id }) => id),
  );
  if (columnIds.size === 0) return NO_IDS;
  return new Set(records.flatMap(({ id }) => (columnIds.has(toColumnId(id)) ? [id] : [])));
}

/**
 * Puts a record in the place of the version that the database has, from whose text `toNext` makes it. Other processes
 * that replace it wait until that is done. False when there is none.
 */
export async function replaceRecord(
  { connection, rollups }: WriteParts,
  id: string,
  toNext: (text: string) => PendingRecord,
): Promise<boolean> {
  return connection.useClient(BATCH_LIMIT_MS, (client) =>
    inTransaction(client, async () => {
      const found = await client.query<{ day: string; record: string }>(
        'select day, record from gateway.generations where id = $1 for update',
        [toColumnId(id)],
      );
      const [row] = found.rows;
      if (row === undefined) return false;
      // Its day is that of its first version, for ever.
      const { rows } = toRowArrays([{ ...toNext(row.record), day: row.day, content: null }]);
      await client.query(toReplaceStatement(rollups), [...rows.end()]);
      return true;
    }),
  );
}

async function inTransaction<Result>(client: PoolClient, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection that is lost has ended its transaction.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

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
  fee_nano: 'bigint',
  is_cost_known: 'boolean',
  is_byok: 'boolean',
  prompt_tokens: 'integer',
  completion_tokens: 'integer',
  reasoning_tokens: 'integer',
  cached_tokens: 'integer',
  saved_nano: 'bigint',
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
const COLUMN_NAMES = Object.keys(GENERATION_COLUMNS);
const COLUMNS = COLUMN_NAMES.join(', ');
const VALUES = COLUMN_NAMES.map((name) => (name === 'errors' ? 'errors::text[]' : name)).join(', ');

const GIVEN_COLUMNS = { ...GENERATION_COLUMNS, content: 'text', packed: 'boolean', preview: 'text' } as const;

/** The types of the columns of rows as they are given to statements: an array for each. */
const GIVEN_TYPES: readonly ColumnType[] = Object.values(GIVEN_COLUMNS);

/** The server at which the statement runs, once the database knows it, and the place of this transaction there. */
const SERVER_SQL = `server as materialized (
  select token, (pg_current_xact_id()::text::bigint + lead)::text::xid8 as place from (
    select * from gateway.servers order by number desc limit 1
  ) as latest where started_at = pg_postmaster_start_time()
)`;

const GIVEN_SQL = `given as materialized (
  select * from unnest(${GIVEN_TYPES.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})
    as rows (${Object.keys(GIVEN_COLUMNS).join(', ')})
)`;

const ADD_GIVEN_BLOCKS = `given_blocks as materialized (
  select * from unnest(${BLOCK_TYPES.map((type, index) => `$${GIVEN_TYPES.length + index + 1}::${type}[]`).join(', ')})
    as rows (day, hash, block)
), ${ADD_BLOCKS}`;

/** What the rows of `INCOMING` have, but for `sign` and `spent_day`. */
const FACTS = `day, id, created_at_ms, model, provider_name, endpoint_id, session_id, status, principal_id, user_id,
  workspace_id, app, cost_nano, fee_nano, is_byok, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens,
  saved_nano, first_token_ms, duration_ms, tokens_per_second, attempts`;
/**
 * The day of its beginning, or tomorrow where the clock of a gateway was further ahead: otherwise it would be part of
 * every period of a budget until that day comes. A row that is replaced is counted back on the day of the new one.
 */
const SPENT_DAY = `least((to_timestamp(created_at_ms / 1000.0) at time zone 'utc')::date,
  (clock_timestamp() at time zone 'utc')::date + 1) as spent_day`;

/**
 * Adds the rows to what was spent, by spender and the day of their beginning. The row of the account comes last: all
 * processes wait for one another there, and the transaction ends right after.
 */
const ADD_SPENDING = `insert into gateway.spending as s (kind, id, day, credits_nano, byok_nano, requests)
  select kind, spender, spent_day, sum(credits)::bigint, sum(byok)::bigint, sum(sign) from (
    select spent_day, sign, sign * ${SPENT.credits} as credits,
      sign * ${SPENT.byok} as byok, spenders.*
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
const toAddStatement = (
  rollups: readonly string[],
  hasBlocks: boolean,
): string => `with ${SERVER_SQL}, ${GIVEN_SQL}, added as (
  insert into gateway.generations (${COLUMNS}, written_in) select ${VALUES}, server.place from given, server
  where not exists (select from gateway.dropped_days d where d.day = given.day) order by id
  on conflict do nothing returning ${FACTS}
), ${INCOMING} as materialized (select 1::smallint as sign, ${SPENT_DAY}, ${FACTS} from added),
${toCounts(rollups)}, contents as (
  insert into gateway.contents (day, id, content, packed, preview)
  select day, id, content, packed, preview from given
  where content is not null and (id in (select id from added)) is true on conflict do nothing
)${hasBlocks ? `, ${ADD_GIVEN_BLOCKS}` : ''}
select token, null as id, false as is_late from server
union all
select null, id, exists (select from gateway.dropped_days d where d.day = given.day) from given
where (id in (select id from added)) is not true`;

/** Puts the one given row, whose content does not matter, in the place of the version that is there, and counts both. */
const toReplaceStatement = (rollups: readonly string[]): string => `with ${GIVEN_SQL}, former as (
  select ${FACTS} from gateway.generations g where exists (select from given i where i.day = g.day and i.id = g.id)
), replaced as (
  update gateway.generations g set ${COLUMN_NAMES.filter((name) => name !== 'day' && name !== 'id')
    .map((name) => `${name} = i.${name}${name === 'errors' ? '::text[]' : ''}`)
    .join(', ')}
  from given i where i.day = g.day and i.id = g.id
), ${INCOMING} as materialized (
  select 1::smallint as sign, ${SPENT_DAY}, ${FACTS} from given
  union all select -1, ${SPENT_DAY}, ${FACTS} from former
),
${toCounts(rollups)}
select from given`;

/** Adds a record in the order of `GIVEN_TYPES`. */
function putRow(rows: RowArrays, { id, day, record, text, content }: PendingRecord, stored: StoredText | null): void {
  const { generation, principalId, userId, costNanoUsd } = record;
  const facts = toGenerationFacts(record);
  rows.row();
  rows.date(day);
  rows.text(toColumnId(id));
  rows.bigint(facts.createdAtMs);
  rows.text(text);
  rows.text(toFactText(facts.model));
  rows.text(toOptionalFact(facts.providerName));
  rows.text(toOptionalFact(generation.provider_responses?.at(-1)?.endpoint_id ?? ''));
  rows.text(toOptionalFact(facts.sessionId));
  rows.text(facts.status);
  rows.text(toColumnId(principalId));
  rows.text(userId === undefined ? null : toColumnId(userId));
  rows.text(generation.workspace_id === null ? null : toColumnId(generation.workspace_id));
  rows.text(toOptionalFact(facts.app));
  rows.bigint(costNanoUsd);
  rows.bigint(feeNanoUsdOf(generation));
  rows.boolean(facts.isCostKnown);
  rows.boolean(generation.is_byok);
  rows.integer(facts.promptTokens);
  rows.integer(facts.completionTokens);
  rows.integer(generation.native_tokens_reasoning);
  rows.integer(facts.cachedTokens);
  rows.bigint(facts.cacheSavedNanoUsd);
  rows.double(facts.firstTokenMs);
  rows.double(facts.latencyMs);
  rows.double(facts.durationMs);
  rows.double(facts.tokensPerSecond);
  rows.smallint(facts.attempts);
  rows.boolean(facts.isStreamed);
  rows.text(toOptionalText(facts.finishReason));
  rows.text(toOptionalText(facts.userAgent));
  rows.text(toOptionalText(facts.externalUser));
  rows.texts(facts.errors.map(toColumnText));
  rows.text(stored?.text ?? null);
  rows.boolean(stored?.isPacked ?? false);
  rows.text(content === null || content.preview === null ? null : toColumnText(content.preview));
}

/** What indexes hold is short there; the record has the whole text. */
const toOptionalFact = (text: string | null): string | null => (text === null ? null : toFactText(text));
const toOptionalText = (text: string | null): string | null => (text === null ? null : toColumnText(text));
