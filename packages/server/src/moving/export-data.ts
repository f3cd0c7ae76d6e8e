import { existsSync, readdirSync, statSync } from 'node:fs';
import process from 'node:process';

import { GatewayError, type Store } from '@model-gateway/core';
import type { PostgresStore } from '@model-gateway/postgres';

import { findDatabase, openDatabase, openJsonStore } from '../open/find-store.ts';
import { StartError } from '../process/start-error.ts';
import { copyAudit } from './copy-audit.ts';
import { copyGenerations } from './copy-generations.ts';
import { describeLeftBehind, hasRows, joinRowIds, mirrorTables } from './copy-tables.ts';
import { findMovedWith, findOneByOne, readMoved, writeMovedWith } from './moved-file.ts';
import { createProgress } from './progress.ts';
import { createCountedSpending, subtractSpending } from './spending.ts';

/** What is copied, and where to. */
export interface ExportOptions {
  readonly config: string | undefined;
  /** A new data directory, or that of a former export. */
  readonly to: string;
  /** Whether what another gateway has there may be replaced. */
  readonly force: boolean;
}

/** Copies the database of a config into a JSON-file store. Throws `StartError`. */
export async function exportData({ to: dir, config, force }: ExportOptions): Promise<void> {
  checkDirectory(dir);
  const beganAt = performance.now();
  const from = await openDatabase(await findDatabase(config), { migrates: false });
  try {
    const to = await openJsonStore(dir);
    try {
      const count = await exportStore({ dir, from, to, force });
      const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
      process.stderr.write(`The database is in ${dir}: ${count} generations, in ${seconds} s.\n`);
      const left = await describeLeftBehind(from);
      if (left !== undefined) process.stderr.write(`The export leaves ${left} in the database.\n`);
    } finally {
      await to.close();
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new StartError(`The export did not finish: ${error.message}. Run it again.`, { cause: error });
  } finally {
    await from.close();
  }
}

interface Export extends Pick<ExportOptions, 'force'> {
  readonly dir: string;
  readonly from: PostgresStore;
  readonly to: Store;
}

async function exportStore({ dir, from, to, force }: Export): Promise<number> {
  const databaseId = await from.readId();
  const moved = await readMoved(dir);
  const isKnown = moved.databases[databaseId] !== undefined;
  if (!isKnown && !force && !(await isEmpty(to)))
    throw new StartError(
      `${dir} is the data directory of another gateway, whose keys and settings the export would replace: ` +
        'choose a new directory, or that of an earlier export. With --force it is replaced.',
    );
  const before = findMovedWith(moved, databaseId);
  // An export that is ended early is known when it is repeated.
  if (!isKnown) await writeMovedWith(dir, moved, databaseId, before);
  const rows = joinRowIds(before.rows, await mirrorTables(from, to));
  await writeMovedWith(dir, moved, databaseId, { ...before, rows });
  const progress = createProgress('generations');
  const counted = createCountedSpending(before.counted);
  const count = await copyGenerations({
    from: from.generations,
    to: to.generations,
    findKnown: findOneByOne(to.generations),
    onProgress: progress.show,
    onShared: counted.add,
  }).finally(progress.end);
  await writeMovedWith(dir, moved, databaseId, { rows, counted: counted.list() });
  // Whatever the directory has counted itself, now it says what the database says.
  await copyAudit(from.audit, to.audit);
  const present = await to.generations.listSpending(databaseId);
  const spent = subtractSpending(await from.generations.listSpending(), { sums: present });
  await to.generations.carrySpending(databaseId, spent);
  return count;
}

/** What a store makes in a new directory before its `config.json`: an export may have ended there. */
const FIRST_FILES = /^(?:logs|owner[-.].+|.+\.gateway-tmp)$/;

/** Whether nobody has used a store yet. */
async function isEmpty(store: Store): Promise<boolean> {
  return !(await hasRows(store)) && (await store.generations.page({ limit: 1 })).records.length === 0;
}

/** Refuses a directory with other files in it. */
function checkDirectory(dir: string): void {
  if (!existsSync(dir)) return;
  if (!statSync(dir).isDirectory()) throw new StartError(`${dir} is a file: choose a new directory`);
  const names = readdirSync(dir);
  if (names.includes('config.json') || names.every((name) => FIRST_FILES.test(name))) return;
  throw new StartError(`${dir} is not empty and not a gateway’s data directory: choose a new directory`);
}
