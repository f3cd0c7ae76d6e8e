import { setTimeout as delay } from 'node:timers/promises';

import { OPEN_BATCH_STATUSES } from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import type { DatabaseConnection } from '../connection/connection.ts';
import { codeOf } from '../connection/errors.ts';
import type { Database } from '../database.ts';

/** An index of a table that may be large before it is built. A changed one gets another name. */
interface Index {
  readonly table: 'generations' | 'video_jobs' | 'broadcasts' | 'batches';
  readonly name: string;
  /** What follows the table in `create index`. */
  readonly definition: string;
}

/** What a list can be filtered or sorted by. */
const SORTED = {
  model: 'model',
  provider: 'provider_name',
  principal: 'principal_id',
  user: 'user_id',
  app: 'app',
  session: 'session_id',
  status: 'status',
  duration: 'duration_ms',
  first_token: 'first_token_ms',
  prompt_tokens: 'prompt_tokens',
  completion_tokens: 'completion_tokens',
  speed: 'tokens_per_second',
  attempts: 'attempts',
};

const ofGenerations = (name: string, definition: string): Index => ({
  table: 'generations',
  name: `generations_${name}`,
  definition,
});

/**
 * What the row of a batch contains that is still to be worked on; the space is that of rows which SQL has changed. Other
 * rows may contain it too: whoever reads them looks at the status itself.
 */
export const MAY_BE_OPEN = `is_batch and row ~ '"status": ?"(${OPEN_BATCH_STATUSES.join('|')})"'`;

/** The indexes that are built beside calls, once the tables have the columns of this version. */
const INDEXES: readonly Index[] = [
  // In the order in which generations are followed.
  ofGenerations('order', '(written_in, id)'),
  // It holds the facts that counts, sums and charts by session need, so that these read a tenth of the table.
  ofGenerations(
    'time',
    `(created_at_ms desc, id desc) include (day, model, provider_name, principal_id, user_id, app, session_id, status,
      cost_nano, prompt_tokens, cached_tokens, saved_nano, first_token_ms, duration_ms, tokens_per_second, attempts)`,
  ),
  ...Object.entries(SORTED).map(([name, column]) => ofGenerations(name, `(${column}, created_at_ms desc, id desc)`)),
  // Calls of unknown cost come first, as they cost nothing: a list with the least first passes over them here.
  ofGenerations('cost', '(cost_nano, created_at_ms desc, id desc, is_cost_known)'),
  ofGenerations('unknown_cost', '(created_at_ms desc, id desc) where not is_cost_known'),

  // With all that a count looks at, so that it reads no rows.
  {
    table: 'video_jobs',
    name: 'video_jobs_list',
    definition: '(created_at_ms, position, status, ages_from_ms)',
  },
  {
    table: 'video_jobs',
    name: 'video_jobs_announcements',
    definition: '(created_at_ms, position, announcement, ages_from_ms) where announcement is not null',
  },
  // Batches stay for ever, and each process looks for open ones every few seconds.
  { table: 'batches', name: 'batches_open', definition: `(position) where ${MAY_BE_OPEN}` },
  {
    table: 'broadcasts',
    name: 'broadcasts_deliveries',
    definition: '(position, state, ages_from_ms) where destination_id is not null',
  },
  {
    table: 'broadcasts',
    name: 'broadcasts_of_destination',
    definition: '(destination_id, position, state, ages_from_ms) where destination_id is not null',
  },
];

/** An index of a large table takes its time. */
const LIMIT_MS = 6 * 60 * 60 * 1000;
/** Any number that no other use of the database takes for a lock. */
const LOCK = 7_036_874_418;
const LOOK_EVERY_MS = 250;
/** Calls wait behind a statement that waits for a lock of their table. */
const LOCK_LIMIT = '500ms';
const PASSING = new Set(['55P03', '42P01', '40P01']);

/**
 * Builds the indexes that are missing, one after the other, while calls are recorded as ever. What an interrupted build
 * has left is dropped and built again. Several processes may call it at once: one does it, the others wait. Rejects when
 * the signal ends it. Not through a pooler in transaction mode.
 */
export async function buildIndexes(
  { database, databaseWithin }: Pick<DatabaseConnection, 'database' | 'databaseWithin'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  if ((await findUnbuilt(database)).length === 0) return;
  await databaseWithin(LIMIT_MS)
    .connection()
    .execute(async (session) => {
      const { rows } = await sql<{ pid: number }>`
        select pg_backend_pid() as pid, set_config('statement_timeout', '0', false)`.execute(session);
      const cancel = (): void => {
        sql`select pg_cancel_backend(${rows[0]?.pid ?? 0})`.execute(database).catch(() => undefined);
      };
      signal.addEventListener('abort', cancel);
      try {
        await waitForTurn(session, signal);
        await buildInTurn(session, signal);
      } finally {
        signal.removeEventListener('abort', cancel);
        await sql`reset statement_timeout`.execute(session);
      }
    });
}

/** By looking: a statement that waits for a lock has a snapshot, for whose end the build of an index would wait. */
async function waitForTurn(session: Kysely<Database>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await sql<{ ours: boolean }>`select pg_try_advisory_lock(${LOCK}) as ours`.execute(session);
    if (rows[0]?.ours === true) return;
    await delay(LOOK_EVERY_MS);
  }
}

async function buildInTurn(session: Kysely<Database>, signal: AbortSignal): Promise<void> {
  try {
    for (const index of await findUnbuilt(session)) {
      signal.throwIfAborted();
      await build(session, index);
    }
  } finally {
    await sql`select pg_advisory_unlock(${LOCK})`.execute(session);
  }
}

/** The indexes that some part of their table lacks, or has not whole. */
async function findUnbuilt(database: Kysely<Database>): Promise<readonly Index[]> {
  const unbuilt: Index[] = [];
  const { rows } = await sql<{ name: string; table_name: string; is_valid: boolean; parent: string | null }>`
    select c.relname as name, t.relname as table_name, i.indisvalid as is_valid, p.relname as parent
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
      left join pg_inherits h on h.inhrelid = i.indexrelid left join pg_class p on p.oid = h.inhparent
    where c.relnamespace = to_regnamespace('gateway')`.execute(database);
  const partitions = await listPartitions(database);
  for (const index of INDEXES) {
    const parts = partitions.get(index.table);
    const isThere = rows.some(({ name, is_valid }) => name === index.name && (parts !== undefined || is_valid));
    const whole = new Set(rows.filter((row) => row.parent === index.name && row.is_valid).map((row) => row.table_name));
    if (!isThere || parts?.every((part) => whole.has(part)) === false) unbuilt.push(index);
  }
  return unbuilt;
}

/** The partitions of each table that has some or may have. */
async function listPartitions(database: Kysely<Database>): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ name: string; parts: string[] }>`
    select t.relname as name, coalesce(array_agg(p.relname::text) filter (where p.relname is not null), '{}') as parts
    from pg_class t left join pg_inherits h on h.inhparent = t.oid left join pg_class p on p.oid = h.inhrelid
    where t.relnamespace = to_regnamespace('gateway') and t.relkind = 'p' group by t.relname`.execute(database);
  return new Map(rows.map(({ name, parts }) => [name, parts]));
}

async function build(session: Kysely<Database>, index: Index): Promise<void> {
  const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(session);
  const { table, name, definition } = index;
  const isPartitioned = (await listPartitions(session)).has(table);
  if (!isPartitioned) return buildOne(session, table, index);
  // It waits for the writers of a moment, and so not for long; it is tried again.
  await again(async () => {
    await run(`set lock_timeout = '${LOCK_LIMIT}'`);
    try {
      await run(`create index if not exists ${name} on only gateway.${table} ${definition}`);
    } finally {
      await run('reset lock_timeout');
    }
  });
  // Partitions that are made meanwhile come with the index, and one may be dropped.
  await again(async () => {
    for (const part of (await listPartitions(session)).get(table) ?? []) {
      const child = `${part}${name.slice(table.length)}`;
      const { rows } = await sql`
        select 1 from pg_index i join pg_inherits h on h.inhrelid = i.indexrelid
        where h.inhparent = ${`gateway.${name}`}::regclass
          and i.indrelid = to_regclass(${`gateway.${part}`})`.execute(session);
      if (rows.length > 0) continue;
      await buildOne(session, part, { name: child, definition });
      await run(`alter index gateway.${name} attach partition gateway.${child}`);
    }
  });
}

/** Builds the index of one table that is no partitioned one. */
async function buildOne(
  session: Kysely<Database>,
  table: string,
  { name, definition }: Pick<Index, 'name' | 'definition'>,
): Promise<void> {
  const { rows } = await sql<{ is_valid: boolean }>`
    select indisvalid as is_valid from pg_index where indexrelid = to_regclass(${`gateway.${name}`})`.execute(session);
  if (rows[0]?.is_valid === true) return;
  // The rest of a build that was interrupted.
  if (rows.length > 0) await sql.raw(`drop index concurrently gateway.${name}`).execute(session);
  await sql.raw(`create index concurrently ${name} on gateway.${table} ${definition}`).execute(session);
}

async function again(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 100 || !PASSING.has(codeOf(error))) throw error;
      await delay(LOOK_EVERY_MS);
    }
  }
}
