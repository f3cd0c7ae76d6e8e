import { isDeepStrictEqual } from 'node:util';

import type { AssignmentRecord, Repository, Store, StoredProvider } from '@model-gateway/core';

/** Ids of rows, by the name of their table. */
export type RowIds = Readonly<Record<string, readonly string[]>>;

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
  ): Promise<void> => {
    const rows = new Map((await source.list()).map((row) => [idOf(row), row]));
    const present = new Map((await target.list()).map((row) => [idOf(row), row]));
    for (const id of present.keys()) if (!rows.has(id)) await target.remove(id);
    for (const [id, row] of rows) {
      // A change writes the whole file of the tables.
      if (!isDeepStrictEqual(present.get(id), row)) await target.update(id, () => row, row);
    }
    ids[table] = [...rows.keys()];
  };
  const mirrorAssignments = async (table: 'keyAssignments' | 'memberAssignments'): Promise<void> => {
    const rows = await from[table].list();
    const subjects = new Set(rows.map(subjectOf));
    for (const { guardrailId, subjectId } of await to[table].list()) {
      if (!subjects.has(subjectId)) await to[table].unassign(guardrailId, [subjectId]);
    }
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
  await mirror('videoJobs', [from.videoJobs, to.videoJobs], idOfRow);
  await mirror('broadcasts', [from.broadcasts, to.broadcasts], idOfRow);
  await mirror('guardrailHits', [from.guardrailHits, to.guardrailHits], idOfRow);
  const settings = from.settings.get();
  await to.settings.update(() => settings);
  ids['settings'] = Object.keys(settings);
  return ids;
}

/** All ids of both. */
export const joinRowIds = (one: RowIds, other: RowIds): RowIds =>
  Object.fromEntries(Object.entries({ ...one, ...other }).map(([table, ids]) => [table, union(one[table], ids)]));

const idOfRow = ({ id }: { readonly id: string }): string => id;
const subjectOf = ({ subjectId }: AssignmentRecord): string => subjectId;
const union = (some: readonly string[] = [], more: readonly string[]): string[] => [...new Set([...some, ...more])];
