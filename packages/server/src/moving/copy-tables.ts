import { isDeepStrictEqual } from 'node:util';

import type { AssignmentRecord, Repository, Store, StoredProvider } from '@model-gateway/core';

/** Ids of rows, by the name of their table. */
export type RowIds = Readonly<Record<string, readonly string[]>>;

/** Changes of a table that a JSON-file store makes with one write of its file: all of them, or none. */
const CHANGED_AT_ONCE = 1000;
/** For logs, where each row is written by itself: what comes after one that fails would be older than it then. */
const ONE_BY_ONE = 1;

export interface TableCopy {
  readonly from: Store;
  readonly to: Store;
  /** Rows that were copied before: where the target no longer has one, it was removed there, and stays so. */
  readonly copiedBefore: RowIds;
  /** Seals the key of a provider as the target opens it. */
  readonly reseal: (row: StoredProvider) => Promise<StoredProvider>;
}

/**
 * Copies what the target does not have: keys, members, guardrails, providers and the rest. Rows of the target stay as
 * they are. Resolves with the ids of everything that was there to copy.
 */
export async function copyTables({ from, to, copiedBefore, reseal }: TableCopy): Promise<RowIds> {
  const ids: Record<string, readonly string[]> = {};
  const copy = async <Row>(
    table: string,
    [source, target]: readonly [Repository<Row>, Repository<Row>],
    idOf: (row: Row) => string,
    change: (row: Row) => Promise<Row> | Row = (row) => row,
  ): Promise<void> => {
    const rows = await source.list();
    const known = new Set([...(copiedBefore[table] ?? []), ...(await target.list()).map(idOf)]);
    for (const row of rows) if (!known.has(idOf(row))) await target.insert(await change(row));
    ids[table] = union(copiedBefore[table], rows.map(idOf));
  };
  const assign = async (table: 'keyAssignments' | 'memberAssignments'): Promise<void> => {
    const rows = await from[table].list();
    const known = new Set([...(copiedBefore[table] ?? []), ...(await to[table].list()).map(subjectOf)]);
    await to[table].assign(rows.filter((row) => !known.has(row.subjectId)));
    ids[table] = union(copiedBefore[table], rows.map(subjectOf));
  };
  await copy('workspaces', [from.workspaces, to.workspaces], idOfRow);
  await copy('members', [from.members, to.members], idOfRow);
  await copy('guardrails', [from.guardrails, to.guardrails], idOfRow);
  await copy('keys', [from.keys, to.keys], ({ hash }) => hash);
  await assign('keyAssignments');
  await assign('memberAssignments');
  await copy('destinations', [from.destinations, to.destinations], idOfRow);
  await copy('providers', [from.providers, to.providers], idOfRow, reseal);
  await copy('models', [from.models, to.models], idOfRow);
  await copy('videoJobs', [from.videoJobs, to.videoJobs], idOfRow);
  await copy('broadcasts', [from.broadcasts, to.broadcasts], idOfRow);
  await copy('guardrailHits', [from.guardrailHits, to.guardrailHits], idOfRow);
  const settings = from.settings.get();
  const names = Object.keys(settings);
  const before = new Set(copiedBefore['settings']);
  const fresh = Object.fromEntries(Object.entries(settings).filter(([name]) => !before.has(name)));
  if (Object.keys(fresh).length > 0) await to.settings.update((now) => ({ ...fresh, ...now }));
  ids['settings'] = union(copiedBefore['settings'], names);
  return ids;
}

/** Makes the tables of the target the same as those of the source. Resolves with the ids of everything in them. */
export async function mirrorTables(from: Store, to: Store): Promise<RowIds> {
  const ids: Record<string, readonly string[]> = {};
  const mirror = async <Row>(
    table: string,
    [source, target]: readonly [Repository<Row>, Repository<Row>],
    idOf: (row: Row) => string,
    atOnce = CHANGED_AT_ONCE,
  ): Promise<void> => {
    const rows = new Map((await source.list()).map((row) => [idOf(row), row]));
    const present = new Map((await target.list()).map((row) => [idOf(row), row]));
    const gone = [...present.keys()].filter((id) => !rows.has(id));
    const others = [...rows].filter(([id, row]) => !isDeepStrictEqual(present.get(id), row));
    await changeAll(gone, (id) => target.remove(id), atOnce);
    await changeAll(others, ([id, row]) => target.update(id, () => row, row), atOnce);
    ids[table] = [...rows.keys()];
  };
  const mirrorAssignments = async (table: 'keyAssignments' | 'memberAssignments'): Promise<void> => {
    const rows = await from[table].list();
    const subjects = new Set(rows.map(subjectOf));
    const gone = (await to[table].list()).filter(({ subjectId }) => !subjects.has(subjectId));
    await changeAll(gone, ({ guardrailId, subjectId }) => to[table].unassign(guardrailId, [subjectId]));
    await to[table].assign(rows);
    ids[table] = [...subjects];
  };
  await mirror('workspaces', [from.workspaces, to.workspaces], idOfRow);
  await mirror('members', [from.members, to.members], idOfRow);
  await mirror('guardrails', [from.guardrails, to.guardrails], idOfRow);
  await mirror('keys', [from.keys, to.keys], ({ hash }) => hash);
  await mirrorAssignments('keyAssignments');
  await mirrorAssignments('memberAssignments');
  await mirror('destinations', [from.destinations, to.destinations], idOfRow);
  await mirror('providers', [from.providers, to.providers], idOfRow);
  await mirror('models', [from.models, to.models], idOfRow);
  await mirror('videoJobs', [from.videoJobs, to.videoJobs], idOfRow, ONE_BY_ONE);
  await mirror('broadcasts', [from.broadcasts, to.broadcasts], idOfRow, ONE_BY_ONE);
  await mirror('guardrailHits', [from.guardrailHits, to.guardrailHits], idOfRow, ONE_BY_ONE);
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

const idOfRow = ({ id }: { readonly id: string }): string => id;
const subjectOf = ({ subjectId }: AssignmentRecord): string => subjectId;
const union = (some: readonly string[] = [], more: readonly string[]): string[] => [...new Set([...some, ...more])];
