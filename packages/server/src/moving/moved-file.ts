import { randomUUID } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

import type { GenerationRecord, SpendingEntry, Store } from '@model-gateway/core';

import { StartError } from '../process/start-error.ts';
import type { RowIds } from './copy-tables.ts';

/** What a data directory has in common with databases. */
interface Moved {
  /** Random text, by which databases know what they have from here. */
  readonly id: string;
  /** By the id of the database. */
  readonly databases: Readonly<Record<string, MovedWith>>;
}

/** What a data directory has in common with one database. */
interface MovedWith {
  /** The rows that were moved, one way or the other. */
  readonly rows: RowIds;
  /** What the directory has counted for generations that the database has counted as well. */
  readonly counted: readonly SpendingEntry[];
}

const pathIn = (dir: string): string => join(dir, 'imported.json');

/** Reads what was moved before: a key that was deleted in the database must not come back, and nothing counts twice. */
export async function readMoved(dir: string): Promise<Moved> {
  try {
    const { id, databases = {} } = JSON.parse(await readFile(pathIn(dir), 'utf8')) as Partial<Moved>;
    if (typeof id !== 'string') throw new SyntaxError('it has no id');
    return { id, databases };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { id: randomUUID(), databases: {} };
    if (!(error instanceof SyntaxError)) throw error;
    throw new StartError(
      `${pathIn(dir)} is damaged; the database needs it to track imported data. Restore it from a backup, ` +
        'or move with an empty database or into a new directory',
      { cause: error },
    );
  }
}

/** What the directory has in common with one database. */
export const findMovedWith = ({ databases }: Moved, databaseId: string): MovedWith =>
  databases[databaseId] ?? { rows: {}, counted: [] };

/** Notes it there, as a whole or not at all; on the disk when it resolves. */
export async function writeMovedWith(
  dir: string,
  { id, databases }: Moved,
  databaseId: string,
  movedWith: MovedWith,
): Promise<void> {
  const moved: Moved = { id, databases: { ...databases, [databaseId]: movedWith } };
  const temporary = `${pathIn(dir)}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(moved)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, pathIn(dir));
}

type FindKnown = (records: readonly GenerationRecord[]) => Promise<ReadonlySet<string>>;

const KNOWN_PAGE = 500;

/** Looks in a store whose reads cost nothing. */
export function findOneByOne(to: Store['generations']): FindKnown {
  return async (records) => {
    const known = new Set<string>();
    for (const { generation } of records) if ((await to.get(generation.id)) !== undefined) known.add(generation.id);
    return known;
  };
}

/** Looks in a store that is asked over a network: pages of the same time are far fewer than generations. */
export function findInPages(to: Store['generations']): FindKnown {
  return async (records) => {
    const known = new Set<string>();
    if (records.length === 0) return known;
    const times = records.map(({ generation }) => Date.parse(generation.created_at));
    const filter = { createdFromMs: Math.min(...times), createdBeforeMs: Math.max(...times) + 1 };
    let before: string | undefined;
    do {
      const page = await to.page({ limit: KNOWN_PAGE, filter, before });
      for (const { generation } of page.records) known.add(generation.id);
      before = page.next ?? undefined;
    } while (before !== undefined);
    return known;
  };
}
