import { EMPTY_TABLES, type Tables } from '@model-gateway/core';

import { rowsOf, TABLE_NAMES, type TableName, type TableRow, toTable } from './table-rows.ts';

interface HeldRow {
  readonly position: number;
  readonly row: unknown;
}

/** The tables of the database as this process has them. */
export interface TableMemory {
  tables(): Tables;
  /** Takes rows that are newer than those it has. Returns the names of the tables that are others now. */
  take(rows: readonly TableRow[]): ReadonlySet<TableName>;
  /** Takes all rows that there are, in the place of those it has. Returns the names of the tables that are others now. */
  replace(rows: readonly TableRow[]): ReadonlySet<TableName>;
  /** The rows to write so that the database has these tables. */
  toWrites(tables: Tables): readonly TableRow[];
}

export function createTableMemory(): TableMemory {
  let tables = EMPTY_TABLES;
  const held = new Map<TableName, Map<string, HeldRow>>(TABLE_NAMES.map((name) => [name, new Map()]));
  const rowsIn = (name: TableName): Map<string, HeldRow> => held.get(name) ?? new Map<string, HeldRow>();

  const take = (rows: readonly TableRow[]): ReadonlySet<TableName> => {
    const changed = new Set<TableName>();
    for (const { table, id, position, row } of rows) {
      // A newer version may have tables that this one does not know.
      const present = held.get(table);
      if (present === undefined) continue;
      const former = present.get(id);
      if (row === null ? former === undefined : former !== undefined && isSame(former, position, row)) continue;
      if (row === null) present.delete(id);
      else present.set(id, { position, row: JSON.parse(row) as unknown });
      changed.add(table);
    }
    for (const name of changed) {
      const ordered = [...rowsIn(name).values()].toSorted((one, other) => one.position - other.position);
      tables = {
        ...tables,
        ...toTable(
          name,
          ordered.map(({ row }) => row),
        ),
      };
    }
    return changed;
  };

  return {
    tables: () => tables,
    take,
    replace(rows) {
      const there = new Map(TABLE_NAMES.map((name) => [name, new Set<string>()]));
      for (const { table, id } of rows) there.get(table)?.add(id);
      const gone: TableRow[] = [];
      for (const [table, present] of held) {
        for (const id of present.keys())
          if (there.get(table)?.has(id) !== true) gone.push({ table, id, position: 0, row: null });
      }
      return take([...gone, ...rows]);
    },
    toWrites: (wanted) =>
      TABLE_NAMES.filter((name) => wanted[name] !== tables[name]).flatMap((name) =>
        toRowWrites(name, rowsIn(name), wanted),
      ),
  };
}

/** A row keeps its position, unless it was put behind others that had later ones. */
function toRowWrites(table: TableName, present: ReadonlyMap<string, HeldRow>, wanted: Tables): TableRow[] {
  const writes: TableRow[] = [];
  const kept = new Set<string>();
  let end = 0;
  for (const { position } of present.values()) end = Math.max(end, position);
  let last = 0;
  for (const [id, row] of rowsOf(wanted, table)) {
    kept.add(id);
    const former = present.get(id);
    const position = former !== undefined && former.position > last ? former.position : (end += 1);
    last = position;
    if (former !== undefined && former.row === row && former.position === position) continue;
    const text = JSON.stringify(row);
    if (former === undefined || !isSame(former, position, text)) writes.push({ table, id, position, row: text });
  }
  for (const [id, { position }] of present) if (!kept.has(id)) writes.push({ table, id, position, row: null });
  return writes;
}

function isSame(former: HeldRow, position: number, text: string): boolean {
  return former.position === position && JSON.stringify(former.row) === text;
}
