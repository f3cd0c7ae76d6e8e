import { hash } from 'node:crypto';

import { isLongContent, referencesIn, type StoredContent, toPackedJson } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { type DatabaseConnection, runInBackground } from '../connection/connection.ts';
import { codeOf } from '../connection/errors.ts';
import type { PendingRecord } from './pending-records.ts';
import { type ColumnType, createRowArrays, type RowArrays } from './row-arrays.ts';

/**
 * Blocks of contents in `gateway.content_blocks`: messages, tools and long texts, each once a day and workspace
 * (docs/decisions/0061). A reference is the hash of its block. They are of the day of their contents, so that the
 * partitions of a day need no other, and retention drops all of them.
 */

/** A content as a row has it. */
export interface StoredText {
  readonly text: string;
  /** Whether it refers to blocks. */
  readonly isPacked: boolean;
}

/** The types of the columns of blocks as they are given to `ADD_BLOCKS`: the day, the hash, the block. */
export const BLOCK_TYPES: readonly ColumnType[] = ['date', 'text', 'text'];

/** In characters of JSON. A shorter content is stored whole, and is not parsed to find that out. */
const LONG_TEXT = 4096;
/** In base64url: 132 bits of 256, enough that no two blocks of a day share a hash. */
const HASH_LENGTH = 22;

interface PackedContents {
  /** The content of each record, in their order; null for a record without one. */
  readonly texts: readonly (StoredText | null)[];
  /** Each block once, in the order of `BLOCK_TYPES`; undefined where there are none. */
  readonly blocks: RowArrays | undefined;
}

interface Block {
  readonly day: string;
  readonly hash: string;
  readonly json: string;
}

/** Takes the blocks out of the long contents of a batch. */
export function packContents(records: readonly PendingRecord[]): PackedContents {
  const blocks = new Map<string, Block>();
  const texts = records.map((record) => packContent(record, blocks));
  if (blocks.size === 0) return { texts, blocks: undefined };
  const rows = createRowArrays(BLOCK_TYPES);
  // Two batches with the same blocks wait for each other in one order.
  for (const key of [...blocks.keys()].toSorted()) {
    const { day, hash: name, json } = blocks.get(key) as Block;
    rows.row();
    rows.date(day);
    rows.text(name);
    rows.text(json);
  }
  return { texts, blocks: rows };
}

function packContent({ content, day, record }: PendingRecord, blocks: Map<string, Block>): StoredText | null {
  if (content === null) return null;
  const whole = { text: content.text, isPacked: false };
  if (content.text.length < LONG_TEXT) return whole;
  const found = new Map<string, Block>();
  const owner = record.generation.workspace_id ?? '';
  const put = (json: string): string => {
    const name = hash('sha256', `${owner}\n${json}`, 'base64url').slice(0, HASH_LENGTH);
    found.set(`${day} ${name}`, { day, hash: name, json });
    return name;
  };
  let text;
  try {
    const form = JSON.parse(content.text) as StoredContent;
    if (!isLongContent(form)) return whole;
    text = toPackedJson(form, put);
  } catch (error) {
    // Too deep for the stack: what cannot be packed is stored as it is.
    if (error instanceof RangeError) return whole;
    throw error;
  }
  if (found.size === 0) return whole;
  for (const [key, block] of found) blocks.set(key, block);
  return { text, isPacked: true };
}

/** The number of the lock of a day's blocks; `day` is SQL. */
const toLock = (day: string): string =>
  `hashtextextended('gateway.content_blocks ' || to_char(${day}::date, 'YYYYMMDD'), 0)`;

/**
 * The part of the statement of a batch that adds its `given_blocks`, where they are not there yet.
 *
 * A block that is there must stay until the content that refers to it is committed. So each batch shares a lock with the
 * others, which a sweep takes alone: whatever a sweep sees is whole, and what it does not see begins after it. Locks of
 * the rows would not do: a delete that has waited for one does not look again at what refers to the row. To update the
 * rows would write each block of a conversation again with each turn. The lock is taken before the first block is looked
 * for, and held to the end of the transaction.
 *
 * What is not added has left blocks that nobody may refer to, as after a content was deleted: its day is noted. `exists …
 * is false` keeps the planner from a join, which would change the order of the blocks.
 */
export const ADD_BLOCKS = `locked as materialized (
  select pg_advisory_xact_lock_shared(${toLock('day')}) is null as is_taken
  from (select distinct day from given_blocks order by day) as days
), blocks as (
  insert into gateway.content_blocks (day, hash, block)
  select b.day, b.hash, b.block from given_blocks b, server
  where (select count(is_taken) from locked) > 0
    and (exists (select from gateway.dropped_days d where d.day = b.day)) is false
  on conflict do nothing
), unswept as (
  insert into gateway.unswept_days (day) select distinct day from given, server
  where packed and (id in (select id from added)) is not true
    and (exists (select from gateway.dropped_days d where d.day = given.day)) is false
)`;

type Database = DatabaseConnection['database'];

/** The blocks of a day that a packed content refers to, and those that these refer to; undefined when one is missing. */
export async function readBlocks(
  database: Database,
  day: string,
  json: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  const blocks = new Map<string, string>();
  // A level at a time: there are as many as lists lie in lists, and few of those are long.
  for (let wanted = new Set(referencesIn(json)); wanted.size > 0;) {
    const { rows } = await sql<{ hash: string; block: string }>`
      select hash, block from gateway.content_blocks
      where day = ${day}::date and hash = any(${[...wanted]}::text[])`.execute(database);
    if (rows.length < wanted.size) return undefined;
    for (const row of rows) blocks.set(row.hash, row.block);
    wanted = new Set(rows.flatMap(({ block }) => referencesIn(block)).filter((name) => !blocks.has(name)));
  }
  return blocks;
}

/** Rows that a transaction deletes: a server's limit of time, or its end, costs no more than these. */
const PIECE_ROWS = 20_000;

/**
 * Deletes the contents of a day, whose generations stay, with their blocks. Row by row, because only the owner of a table
 * may empty it; the space is used again, and is free with the day.
 */
export async function dropContents(connection: Pick<DatabaseConnection, 'databaseWithin'>, day: string): Promise<void> {
  // As a sweep: a content that comes late for such a day may refer to what is there.
  const lock = sql`select pg_advisory_xact_lock(${sql.raw(toLock(`'${day}'`))})`;
  for (const table of ['contents', 'content_blocks']) {
    const name = sql.table(`gateway.${table}`);
    const deletePiece = sql`delete from ${name} where day = ${day}::date and ctid = any(array(
      select ctid from ${name} where day = ${day}::date limit ${PIECE_ROWS}))`;
    while ((await runInBackground(connection, lock, deletePiece)) > 0n);
  }
}

/** Batches of a day that is being written wait so long for its sweep, at most. */
const LIVE_LIMIT_MS = 3000;
const LONG_LIMIT_MS = 10 * 60 * 1000;
const QUERY_CANCELED = '57014';

/**
 * Removes blocks that nothing refers to any more, of all days that are noted. A day from `liveFrom` on may still be
 * written: where its sweep takes long, it is left to a later one.
 */
export async function sweepBlocks(
  { database, databaseWithin }: Pick<DatabaseConnection, 'database' | 'databaseWithin'>,
  liveFrom: string,
): Promise<void> {
  const { rows } = await sql<{ day: string }>`
    select distinct day::text as day from gateway.unswept_days order by 1`.execute(database);
  for (const { day } of rows) {
    const isLive = day >= liveFrom;
    try {
      await sweepDay(databaseWithin(LONG_LIMIT_MS), day, isLive);
    } catch (error) {
      if (!isLive || codeOf(error) !== QUERY_CANCELED) throw error;
    }
  }
}

async function sweepDay(database: Database, day: string, isLive: boolean): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const run = (statement: RawBuilder<unknown>) => statement.execute(transaction);
    await run(sql`set local jit = off`);
    await run(sql`set local work_mem = '64MB'`);
    await run(sql`set local statement_timeout = ${sql.lit(isLive ? LIVE_LIMIT_MS : LONG_LIMIT_MS)}`);
    const [used, isUnused] = [
      toUsed(day),
      sql`b.day = ${day}::date and not exists (select from used where used.hash = b.hash)`,
    ];
    // A search that takes too long is given up here, where nobody waits for it.
    if (isLive) await run(sql`${used} select count(*) from gateway.content_blocks b where ${isUnused}`);
    // Alone from here on: the statements after it see all that was added with the blocks that are there.
    await run(sql`select pg_advisory_xact_lock(${sql.raw(toLock(`'${day}'`))})`);
    const noted = await run(sql`delete from gateway.unswept_days where day = ${day}::date returning 1`);
    // Another process has been here.
    if (noted.rows.length > 0) await run(sql`${used} delete from gateway.content_blocks b where ${isUnused}`);
  });
}

/**
 * The hashes that contents of a day refer to, directly and by other blocks. A text, which begins with a quote, refers to
 * nothing, so that most of what is stored is not looked at.
 */
const toUsed = (day: string): RawBuilder<unknown> => sql`with recursive used (hash) as (
    select left(part, ${sql.lit(HASH_LENGTH)}) from gateway.contents c, ${toParts('c.content')}
    where c.day = ${day}::date and c.packed
    union
    select left(part, ${sql.lit(HASH_LENGTH)}) from used
      join gateway.content_blocks b on b.day = ${day}::date and b.hash = used.hash and substr(b.block, 1, 1) <> '"',
      ${toParts('b.block')}
  )`;

/**
 * What follows the beginning of each reference, which is found as it is written: a text cannot have one, as its quotes are
 * escaped. A regular expression would take fifteen times as long.
 */
const toParts = (json: string): RawBuilder<unknown> =>
  sql.raw(`unnest((string_to_array(replace(${json}, '{"$items":"', '{"$block":"'), '{"$block":"'))[2:]) as part`);
