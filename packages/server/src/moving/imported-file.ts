import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SpendingSum } from '@model-gateway/core';

import type { RowIds } from './copy-tables.ts';

/** What was imported from a data directory. */
export interface Imported {
  /** Random text, by which databases know what they have from here. */
  readonly id: string;
  /** The rows, by the database. */
  readonly rows: Readonly<Record<string, RowIds>>;
  /** What was spent on the generations that were copied, by the database. */
  readonly counted?: Readonly<Record<string, readonly SpendingSum[]>> | undefined;
}

const pathIn = (dir: string): string => join(dir, 'imported.json');

/** Reads what was imported from a directory before: a key that was deleted in the database must not come back. */
export async function readImported(dir: string): Promise<Imported> {
  try {
    return JSON.parse(await readFile(pathIn(dir), 'utf8')) as Imported;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { id: randomUUID(), rows: {} };
    throw error;
  }
}

/** Notes it there, as a whole or not at all. */
export async function writeImported(dir: string, imported: Imported): Promise<void> {
  const temporary = `${pathIn(dir)}.tmp`;
  await writeFile(temporary, `${JSON.stringify(imported)}\n`, { mode: 0o600 });
  await rename(temporary, pathIn(dir));
}
