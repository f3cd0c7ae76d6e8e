import { createHash, randomUUID } from 'node:crypto';

import {
  type AuditEntry,
  type AuditHead,
  type AuditQuery,
  type AuditRecord,
  type AuditRepository,
  chainRecords,
  requireFollowing,
  type StoredAuditRecord,
  toAnchorEntry,
  toAuditPage,
} from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import { toColumnId } from './connection/column-text.ts';
import { runTransaction } from './connection/connection.ts';
import { describeDatabaseError } from './connection/errors.ts';
import type { Database } from './database.ts';
import type { StorePart, StorePartOptions } from './store-part.ts';

interface AuditOptions extends Pick<StorePartOptions, 'connection' | 'logger' | 'now' | 'clock'> {
  /** Whole days that records are kept; `Infinity`: nothing is dropped. Those of the host, and those that apply now. */
  readonly configuredDays: number;
  readonly auditDays: () => number;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const READ_ROWS = 500;
/** Records that one transaction drops: a fraction of a second. Each has an anchor of its own, so that what is left can be checked. */
const DROPPED_ROWS = 5000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The audit log of all processes at a database: one chain, whose end they lock in turn. Old records go once an hour. */
export function openAudit(options: AuditOptions): StorePart & { readonly repository: AuditRepository } {
  const { connection, logger, now, clock, configuredDays, auditDays } = options;
  const { database } = connection;
  let timer: NodeJS.Timeout | undefined;
  let dropping: Promise<void> | undefined;
  let isClosing = false;

  /** Whoever changes something waits for the end of the chain, so no transaction drops all that a year has left. */
  const dropSome = (timeMs: number): Promise<number> =>
    runTransaction(database, async (transaction) => {
      const head = await lockHead(transaction);
      const last = await findLastToDrop(transaction, timeMs, head);
      if (last === undefined) return 0;
      const anchor = toAnchorEntry(last, `aud-${randomUUID().replaceAll('-', '')}`, now());
      await append(transaction, head, [anchor]);
      await sql`update gateway.audit_head set dropped_through = ${last.sequence}`.execute(transaction);
      const { numAffectedRows = 0n } = await sql`
        delete from gateway.audit where sequence <= ${last.sequence}`.execute(transaction);
      return Number(numAffectedRows);
    });
  const dropBefore: AuditRepository['dropBefore'] = async (timeMs) => {
    let count = 0;
    let dropped: number;
    do {
      dropped = await dropSome(timeMs);
      count += dropped;
    } while (dropped >= DROPPED_ROWS && !isClosing);
    return count;
  };
  const dropOld = async (): Promise<void> => {
    try {
      await clock.judge();
      await dropBefore(clock.now() - auditDays() * DAY_MS);
    } catch (error) {
      const reason = describeDatabaseError(error, connection.address).message;
      logger?.warn('Old records of the audit log could not be dropped; it is tried again in an hour', { reason });
    }
  };
  const begin = (): void => {
    dropping = dropOld().finally(() => {
      dropping = undefined;
    });
  };
  return {
    repository: {
      append: (entries) =>
        runTransaction(database, async (transaction) => append(transaction, await lockHead(transaction), entries)),
      adopt: (records) =>
        runTransaction(database, async (transaction) => {
          const head = await lockHead(transaction);
          requireFollowing(head, records);
          const [first] = records;
          if (first !== undefined && head.sequence === 0)
            await sql`update gateway.audit_head set dropped_through = ${first.sequence - 1}`.execute(transaction);
          await put(transaction, records);
        }),
      page: (query) => toAuditPage(readNewestFirst(database, query), query),
      read: () => readAll(database),
      dropBefore,
      ...(Number.isFinite(configuredDays) && { retention: { configuredDays, apply: dropOld } }),
    },
    async start() {
      if (!Number.isFinite(configuredDays)) return;
      timer ??= setInterval(begin, HOUR_MS).unref();
      begin();
    },
    async close() {
      isClosing = true;
      clearInterval(timer);
      await dropping;
    },
  };
}

/** The end of the chain, which nobody else moves before the end of the transaction. */
async function lockHead(on: Kysely<Database>): Promise<AuditHead> {
  const { rows } = await sql<{ sequence: string; hash: string }>`
    select sequence::text, hash from gateway.audit_head for update`.execute(on);
  const [row] = rows;
  if (row === undefined) throw new Error('The table gateway.audit_head is empty: put the row back that was in it');
  return { sequence: Number(row.sequence), hash: row.hash };
}

async function append(
  on: Kysely<Database>,
  head: AuditHead,
  entries: readonly AuditEntry[],
): Promise<readonly AuditRecord[]> {
  const records = await chainRecords(head, entries, sha256);
  await put(on, records);
  return records;
}

async function put(on: Kysely<Database>, records: readonly AuditRecord[]): Promise<void> {
  const last = records.at(-1);
  if (last === undefined) return;
  const rows = records.map((record) => ({
    sequence: record.sequence,
    at_ms: Math.floor(Date.parse(record.at)),
    action: toColumnId(record.action),
    outcome: record.outcome,
    workspace_id: record.target.workspace === null ? null : toColumnId(record.target.workspace),
    row: JSON.stringify(record),
  }));
  await on.insertInto('audit').values(rows).execute();
  await sql`update gateway.audit_head set sequence = ${last.sequence}, hash = ${last.hash}`.execute(on);
}

/** The newest record of the first ones that are all older, so many at most; never the end of the chain. Reads no others. */
async function findLastToDrop(on: Kysely<Database>, timeMs: number, end: AuditHead): Promise<AuditHead | undefined> {
  const { rows } = await sql<{ row: string }>`
    with first_rows as materialized (
      select sequence, at_ms from gateway.audit
      where sequence < ${end.sequence} order by sequence limit ${DROPPED_ROWS}
    )
    select row from gateway.audit where sequence = (
      select max(sequence) from first_rows where sequence < coalesce(
        (select min(sequence) from first_rows where at_ms >= ${Math.floor(timeMs)}), ${end.sequence})
    )`.execute(on);
  const [found] = rows;
  return found && (JSON.parse(found.row) as AuditRecord);
}

/** Those that may match, by what columns say: a page picks from them. */
async function* readNewestFirst(
  database: Kysely<Database>,
  { filter, before }: AuditQuery,
): AsyncGenerator<AuditRecord> {
  const { action, outcome, workspace, fromMs, toMs } = filter;
  let below = before;
  for (;;) {
    let chosen = database.selectFrom('audit').select('row').orderBy('sequence', 'desc').limit(READ_ROWS);
    if (below !== undefined) chosen = chosen.where('sequence', '<', below);
    if (outcome !== undefined) chosen = chosen.where('outcome', '=', outcome);
    if (workspace !== undefined) chosen = chosen.where('workspace_id', '=', toColumnId(workspace));
    if (action !== undefined)
      chosen = chosen.where(
        sql<boolean>`(action = ${toColumnId(action)} or starts_with(action, ${toColumnId(`${action}.`)}))`,
      );
    if (fromMs !== undefined) chosen = chosen.where('at_ms', '>=', Math.floor(fromMs));
    if (toMs !== undefined) chosen = chosen.where('at_ms', '<=', Math.floor(toMs));
    const rows = (await chosen.execute()).map(({ row }) => JSON.parse(row) as AuditRecord);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < READ_ROWS) return;
    below = last.sequence;
  }
}

/** With the end that the database has noted: records that are missing at the end are noticed by it. */
async function* readAll(database: Kysely<Database>): AsyncGenerator<StoredAuditRecord> {
  let after = 0;
  for (;;) {
    const { rows } = await sql<{ place: string; row: string }>`
      select sequence::text as place, row from gateway.audit where sequence > ${after}
      order by sequence limit ${READ_ROWS}`.execute(database);
    for (const { place, row } of rows) {
      yield { text: row, place: `gateway.audit, sequence ${place}`, isDamaged: !isRowOf(row, place) };
      after = Number(place);
    }
    if (rows.length < READ_ROWS) break;
  }
  const { rows } = await sql<{ sequence: string }>`select sequence::text from gateway.audit_head`.execute(database);
  const end = Number(rows[0]?.sequence ?? 0);
  if (end > after)
    yield { text: '', place: `gateway.audit, sequence ${after + 1} to ${end}, which are missing`, isDamaged: true };
}

/** Whether the columns say the same as the row. */
const isRowOf = (row: string, sequence: string): boolean => row.includes(`"sequence":${sequence},`);
