import { EMPTY_TABLES, type Tables } from '@model-gateway/core';

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

const IDS: { readonly [Name in RowTableName]: (row: Tables[Name][number]) => string } = {
  keys: ({ hash }) => hash,
  members: idOf,
  guardrails: idOf,
  keyAssignments: subjectOf,
  memberAssignments: subjectOf,
  workspaces: idOf,
  destinations: idOf,
  providers: idOf,
  models: idOf,
};

export const TABLE_NAMES = Object.keys(EMPTY_TABLES) as readonly TableName[];

/** The rows of a table, each with its id, in order. Settings are one row. */
export function rowsOf(tables: Tables, name: TableName): readonly (readonly [id: string, row: unknown])[] {
  if (name === 'settings') return [['', tables.settings]];
  const toId = IDS[name] as (row: unknown) => string;
  return tables[name].map((row) => [toId(row), row] as const);
}

/** A table of these rows, which are in order. */
export function toTable(name: TableName, rows: readonly unknown[]): Partial<Tables> {
  return { [name]: name === 'settings' ? (rows[0] ?? {}) : rows };
}
