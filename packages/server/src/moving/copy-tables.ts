import { isDeepStrictEqual } from 'node:util';

import type { AssignmentRecord, Repository, SealedRow, SealedTable, Store } from '@model-gateway/core';

/** Ids of rows, by the name of their table. */
export type RowIds = Readonly<Record<string, readonly string[]>>;

/**
 * The tables in an order in which a row comes after those that it refers to. Files, and batches with them, stay behind:
 * their contents are not in the store.
 */
const TABLES = [
  'workspaces',
  'members',
  'guardrails',
  'keys',
  'keyAssignments',
  'memberAssignments',
  'destinations',
  'providers',
  'models',
  'byokKeys',
  'scimGroups',
  'videoJobs',
  'broadcasts',
  'guardrailHits',
  'prompts',
  'presets',
  'reruns',
] as const;
type AssignmentTable = 'keyAssignments' | 'memberAssignments';
type RowTable = Exclude<(typeof TABLES)[number], AssignmentTable>;
type Row = { readonly id: string } | { readonly hash: string };

const isAssignments = (table: RowTable | AssignmentTable): table is AssignmentTable => table.endsWith('Assignments');
const rowsOf = (store: Store, table: RowTable): Repository<Row> => store[table];
const idOf = (row: Row): string => ('hash' in row ? row.hash : row.id);
const subjectOf = ({ subjectId }: AssignmentRecord): string => subjectId;
const union = (some: readonly string[] = [], more: readonly string[]): string[] => [...new Set([...some, ...more])];

/** Changes of a table that a JSON-file store makes with one write of its file: all of them, or none. */
const CHANGED_AT_ONCE = 1000;
/** These are logs, where each row is written by itself: what comes after one that fails would be older than it then. */
const ONE_BY_ONE: ReadonlySet<RowTable> = new Set<RowTable>([
  'videoJobs',
  'broadcasts',
  'guardrailHits',
  'prompts',
  'presets',
  'reruns',
]);

export interface TableCopy {
  readonly from: Store;
  readonly to: Store;
  /** Rows that were copied before: where the target no longer has one, it was removed there, and stays so. */
  readonly copiedBefore: RowIds;
  /** Seals what a row holds as the target opens it. */
  readonly reseal: <Row extends SealedRow>(table: SealedTable, row: Row) => Promise<Row>;
}

/**
 * Copies what the target does not have: keys, members, guardrails, providers and the rest. Rows of the target stay as
 * they are. Resolves with the ids of everything that was there to copy.
 */
export async function copyTables({ from, to, copiedBefore, reseal }: TableCopy): Promise<RowIds> {
  const ids: Record<string, readonly string[]> = {};
  const copy = async (table: RowTable): Promise<readonly string[]> => {
    const rows = await rowsOf(from, table).list();
    const target = rowsOf(to, table);
    const known = new Set([...(copiedBefore[table] ?? []), ...(await target.list()).map(idOf)]);
    for (const row of rows) {
      if (known.has(idOf(row))) continue;
      const isSealed = table === 'providers' || table === 'byokKeys';
      await target.insert(isSealed ? await reseal(table, row as SealedRow) : row);
    }
    return rows.map(idOf);
  };
  const assign = async (table: AssignmentTable): Promise<readonly string[]> => {
    const rows = await from[table].list();
    const known = new Set([...(copiedBefore[table] ?? []), ...(await to[table].list()).map(subjectOf)]);
    await to[table].assign(rows.filter((row) => !known.has(row.subjectId)));
    return rows.map(subjectOf);
  };
  for (const table of TABLES) {
    ids[table] = union(copiedBefore[table], await (isAssignments(table) ? assign(table) : copy(table)));
  }
  const settings = from.settings.get();
  const before = new Set(copiedBefore['settings']);
  const { mail, ...fresh } = Object.fromEntries(
    Object.entries(settings).filter(([name]) => !before.has(name)),
  ) as ReturnType<Store['settings']['get']>;
  if (mail !== undefined) Object.assign(fresh, { mail: await reseal('mail', mail) });
  if (Object.keys(fresh).length > 0) await to.settings.update((now) => ({ ...fresh, ...now }));
  ids['settings'] = union(copiedBefore['settings'], Object.keys(settings));
  return ids;
}

/** Whether a store has anything in its tables or its settings. */
export async function hasRows(store: Store): Promise<boolean> {
  for (const table of TABLES) {
    const rows = await (isAssignments(table) ? store[table].list() : rowsOf(store, table).list());
    if (rows.length > 0) return true;
  }
  return Object.keys(store.settings.get()).length > 0;
}

/** Names what stays behind in a store, for a sentence; undefined where there is nothing. */
export async function describeLeftBehind({
  files,
  batches,
}: Pick<Store, 'files' | 'batches'>): Promise<string | undefined> {
  const fileCount = (await files.list()).length;
  const stored = await (batches.listBatches?.() ?? batches.list());
  const batchCount = stored.filter(({ kind }) => kind === 'batch').length;
  const parts = [
    ...(fileCount === 0 ? [] : [fileCount === 1 ? '1 file' : `${fileCount} files`]),
    ...(batchCount === 0 ? [] : [batchCount === 1 ? '1 batch' : `${batchCount} batches`]),
  ];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

/** Makes the tables of the target the same as those of the source. Resolves with the ids of everything in them. */
export async function mirrorTables(from: Store, to: Store): Promise<RowIds> {
  const ids: Record<string, readonly string[]> = {};
  const mirror = async (table: RowTable): Promise<readonly string[]> => {
    const target = rowsOf(to, table);
    const rows = new Map((await rowsOf(from, table).list()).map((row) => [idOf(row), row]));
    const present = new Map((await target.list()).map((row) => [idOf(row), row]));
    const gone = [...present.keys()].filter((id) => !rows.has(id));
    const others = [...rows].filter(([id, row]) => !isDeepStrictEqual(present.get(id), row));
    const atOnce = ONE_BY_ONE.has(table) ? 1 : CHANGED_AT_ONCE;
    await changeAll(gone, (id) => target.remove(id), atOnce);
    await changeAll(others, ([id, row]) => target.update(id, () => row, row), atOnce);
    return [...rows.keys()];
  };
  const mirrorAssignments = async (table: AssignmentTable): Promise<readonly string[]> => {
    const rows = await from[table].list();
    const subjects = new Set(rows.map(subjectOf));
    const gone = (await to[table].list()).filter(({ subjectId }) => !subjects.has(subjectId));
    await changeAll(gone, ({ guardrailId, subjectId }) => to[table].unassign(guardrailId, [subjectId]));
    await to[table].assign(rows);
    return [...subjects];
  };
  for (const table of TABLES) ids[table] = await (isAssignments(table) ? mirrorAssignments(table) : mirror(table));
  const settings = from.settings.get();
  await to.settings.update(() => settings);
  ids['settings'] = Object.keys(settings);
  return ids;
}

/** Makes a change for each, in order, so many at once. After a failure, which it rejects with, none is begun any more. */
async function changeAll<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<unknown>,
  atOnce = CHANGED_AT_ONCE,
): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce) await Promise.all(items.slice(at, at + atOnce).map(change));
}

/** All ids of both. */
export const joinRowIds = (one: RowIds, other: RowIds): RowIds =>
  Object.fromEntries(Object.entries({ ...one, ...other }).map(([table, ids]) => [table, union(one[table], ids)]));
