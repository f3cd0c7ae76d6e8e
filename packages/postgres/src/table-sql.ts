import { EMPTY_TABLES, type Tables } from '@model-gateway/core';
import { type Kysely, sql, type Transaction } from 'kysely';

import { fromColumnId, toColumnId } from './connection/column-text.ts';
import type { Database } from './database.ts';

export type TableName = keyof Tables;
type RowTableName = Exclude<TableName, 'settings'>;

/** A row as the database has it. */
export interface TableRow {
  readonly table: TableName;
  readonly id: string;
  readonly position: number;
  /** JSON; null for one that is removed. */
  readonly row: string | null;
}

const idOf = ({ id }: { readonly id: string }): string => id;
const subjectOf = ({ subjectId }: { readonly subjectId: string }): string => subjectId;

const ID_OF_ROW: { readonly [Name in RowTableName]: (row: Tables[Name][number]) => string } = {
  keys: ({ hash }) => hash,
  members: idOf,
  guardrails: idOf,
  keyAssignments: subjectOf,
  memberAssignments: subjectOf,
  workspaces: idOf,
  destinations: idOf,
  providers: idOf,
  models: idOf,
  byokKeys: idOf,
  scimGroups: idOf,
};

export const TABLE_NAMES = Object.keys(EMPTY_TABLES) as readonly TableName[];

/** The rows of a table, each with its id, in order. Settings are one row. */
export function rowsOf(tables: Tables, name: TableName): readonly (readonly [id: string, row: unknown])[] {
  if (name === 'settings') return [['', tables.settings]];
  const toId = ID_OF_ROW[name] as (row: unknown) => string;
  return tables[name].map((row) => [toId(row), row] as const);
}

/** A table of these rows, which are in order. */
export function toTable(name: TableName, rows: readonly unknown[]): Partial<Tables> {
  return { [name]: name === 'settings' ? (rows[0] ?? {}) : rows };
}

/** The channel on which processes tell each other the version that they have written. */
export const TABLES_CHANNEL = 'gateway_tables';

/** Removed rows are remembered for so many versions: who is further behind reads everything. */
const REMEMBERED_VERSIONS = 10_000;

/** What the database has that this process has not. */
export interface TableNews {
  readonly version: number;
  /** Whether these are all rows that there are, instead of what is newer. */
  readonly isWhole: boolean;
  readonly rows: readonly TableRow[];
}

interface NewsRow {
  readonly now_version: number;
  readonly table_name: TableName | null;
  readonly id: string;
  readonly position: number;
  readonly row: string | null;
}

/**
 * Reads what is newer than a version, in one statement and thus as of one moment; undefined stands for nothing. Rejects
 * where the database takes no writes: this process would not find out as long as nothing is changed.
 */
export async function readTableNews(database: Kysely<Database>, known: number | undefined): Promise<TableNews> {
  const isNewer = known === undefined ? sql`r.row is not null` : sql`r.version > ${known}`;
  const { rows } = await sql<NewsRow>`
    with writable as (update gateway.table_version set version = version where false)
    select v.version as now_version, r.table_name, r.id, r.position, r.row
    from gateway.table_version v left join gateway.table_rows r on ${isNewer}`.execute(database);
  const version = rows[0]?.now_version ?? 0;
  // A database that went back, to a backup or to a standby that had not got everything, has the lower version.
  const isBehind = known !== undefined && (version < known || version - known > REMEMBERED_VERSIONS);
  if (isBehind) return readTableNews(database, undefined);
  return {
    version,
    isWhole: known === undefined,
    rows: rows.flatMap(({ table_name: table, id, position, row }) =>
      table === null ? [] : [{ table, id: fromColumnId(id), position, row }],
    ),
  };
}

/** Makes every other change wait until this transaction has ended. Resolves with the present version. */
export async function lockTables(transaction: Transaction<Database>): Promise<number> {
  const { version } = await transaction
    .selectFrom('table_version')
    .select('version')
    .forUpdate()
    .executeTakeFirstOrThrow();
  return version;
}

/** Writes rows as of a version, and tells the other processes when the transaction has ended. */
export async function writeTables(
  transaction: Transaction<Database>,
  version: number,
  writes: readonly TableRow[],
): Promise<void> {
  const names = writes.map(({ table }) => table);
  const ids = writes.map(({ id }) => toColumnId(id));
  const positions = writes.map(({ position }) => position);
  const rows = writes.map(({ row }) => row);
  await sql`
    with raised as (update gateway.table_version set version = ${version}),
    written as (
      insert into gateway.table_rows (table_name, id, position, row, version)
      select t.table_name, t.id, t.position, t.row, ${version}::bigint
      from unnest(${names}::text[], ${ids}::text[], ${positions}::bigint[], ${rows}::text[])
        as t (table_name, id, position, row)
      on conflict (table_name, id) do update
        set position = excluded.position, row = excluded.row, version = excluded.version
    )
    select pg_notify(${TABLES_CHANNEL}, ${String(version)})`.execute(transaction);
  if (rows.includes(null)) {
    await sql`delete from gateway.table_rows where row is null and version < ${version - REMEMBERED_VERSIONS}`.execute(
      transaction,
    );
  }
}
