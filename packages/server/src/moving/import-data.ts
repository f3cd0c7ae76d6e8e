import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import {
  GatewayError,
  type SealedRow,
  type SealedTable,
  type SecretBox,
  type SpendingEntry,
  type Store,
  toKeptDays,
} from '@model-gateway/core';
import { resealRow } from '@model-gateway/core/setup';
import { DirectoryInUseError, openSecretBox } from '@model-gateway/node';

import { type Database, findDatabase, KEEPS_ALL, openDatabase, openJsonStore, toStderr } from '../open/find-store.ts';
import { findJournals, isJournalName, takeInJournal } from '../open/open-database.ts';
import { StartError } from '../process/start-error.ts';
import { copyAudit } from './copy-audit.ts';
import { copyGenerations } from './copy-generations.ts';
import { copyTables, describeLeftBehind } from './copy-tables.ts';
import { findInPages, findMovedWith, readMoved, writeMovedWith } from './moved-file.ts';
import { createProgress } from './progress.ts';
import { createCountedSpending, subtractSpending } from './spending.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What is copied, and from where. */
export interface ImportOptions {
  readonly config: string | undefined;
  /** A data directory with a JSON-file store, or with the journals of gateways that are gone. */
  readonly from: string;
}

/** Copies a data directory into the database of a config. */
export async function importData({ from: dir, config }: ImportOptions): Promise<void> {
  const database = await findDatabase(config);
  const found = examineDirectory(dir);
  for (const journal of found.journals) await importJournal(journal, database);
  if (!found.isStore) return;
  const to = await openDatabase(database, { migrates: true });
  try {
    const from = await openJsonStore(dir);
    try {
      await importStore({ dir, from, to, databaseId: await to.readId(), retentionDays: database.retentionDays });
    } finally {
      await from.close();
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new StartError(`The import did not finish: ${error.message}. Run it again; nothing is duplicated.`, {
      cause: error,
    });
  } finally {
    await to.close();
  }
}

/** What there is to import. Throws where there is nothing, before a store is made in a wrong directory. */
function examineDirectory(dir: string): { readonly isStore: boolean; readonly journals: readonly string[] } {
  if (!existsSync(dir)) throw new StartError(`Directory not found: ${dir}`);
  if (!statSync(dir).isDirectory()) throw new StartError(`${dir} is a file: pass its data directory`);
  const logs = existsSync(join(dir, 'logs')) ? readdirSync(join(dir, 'logs')) : [];
  const isStore =
    ['config.json', 'config.copy.json'].some((name) => existsSync(join(dir, name))) ||
    logs.some((name) => name.startsWith('generations-'));
  const isJournal = !isStore && (isJournalName(dir) || logs.some((name) => name.startsWith('records-')));
  const journals = isJournal ? [dir] : findJournals(dir).map((journal) => journal.dir);
  if (isStore || journals.length > 0) return { isStore, journals };
  throw new StartError(
    `${dir} is not a gateway’s data directory: it has neither a JSON-file store (config.json, logs) nor a journal`,
  );
}

async function importJournal(dir: string, { store: { url } }: Database): Promise<void> {
  try {
    const { retentionDays } = KEEPS_ALL;
    const bytes = await takeInJournal(dir, { url, retentionDays, logger: toStderr });
    say(`${dir} is in the database${bytes === 0 ? ': it was empty' : ''}.`);
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error;
    // The gateway that has it writes it into its database itself.
    say(`${dir} is left to its gateway: ${error.message}`);
  }
}

interface Import {
  readonly dir: string;
  readonly from: Store;
  readonly to: Store;
  readonly databaseId: string;
  readonly retentionDays: number;
}

async function importStore({ dir, from, to, databaseId, retentionDays }: Import): Promise<void> {
  const beganAt = performance.now();
  const moved = await readMoved(dir);
  const before = findMovedWith(moved, databaseId);
  const reseal = createReseal(dir);
  const rows = await copyTables({ from, to, copiedBefore: before.rows, reseal: reseal.row });
  await writeMovedWith(dir, moved, databaseId, { ...before, rows });
  // The settings come before the configuration, and those of the directory are in the database by now.
  const { days } = toKeptDays(to.settings.get(), retentionDays);
  const { count, counted } = await importGenerations({ from, to, counted: before.counted, retentionDays: days });
  await writeMovedWith(dir, moved, databaseId, { rows, counted });
  // What was spent on generations that the database never had counts all the same.
  const spent = await from.generations.listSpending(databaseId);
  await to.generations.carrySpending(moved.id, subtractSpending(spent, { entries: counted }));
  await copyAudit(from.audit, to.audit);
  const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
  const keys = rows['keys']?.length ?? 0;
  say(`${dir} is in the database: ${count} generations and ${keys} keys, in ${seconds} s.`);
  const left = await describeLeftBehind(from);
  if (left !== undefined) say(`The import leaves ${left} in ${dir}: contents of files are not in the store.`);
  if (reseal.unopened() > 0) {
    say(
      `The keys in ${reseal.unopened()} rows stay sealed as they are in ${dir}: ` +
        'start gateways with the same GATEWAY_SECRETS_KEY, or with the value in its secrets.key.',
    );
  }
}

interface GenerationImport {
  readonly from: Store;
  readonly to: Store;
  /** What the directory has counted that the database has counted too, as it was noted last. */
  readonly counted: readonly SpendingEntry[];
  readonly retentionDays: number;
}

const LOOK_MS = 100;
const STANDSTILL_MS = 60_000;

/** Resolves once the database has all that waits for it. Rejects where nothing has moved for a minute. */
async function untilNothingWaits(to: Store): Promise<void> {
  let left = Infinity;
  let movedAt = performance.now();
  for (;;) {
    const { waitingRecords = 0 } = to.figures?.() ?? {};
    if (waitingRecords === 0) return;
    if (waitingRecords !== left) movedAt = performance.now();
    left = waitingRecords;
    if (performance.now() - movedAt > STANDSTILL_MS) {
      throw new GatewayError('provider_overloaded', 'the database has not taken anything for a minute');
    }
    await delay(LOOK_MS);
  }
}

/** Copies generations. Resolves with how many both have, and with what was counted for all that both have counted. */
async function importGenerations({ from, to, counted: before, retentionDays }: GenerationImport) {
  const progress = createProgress('generations');
  const counted = createCountedSpending(before);
  const copy = { from: from.generations, to: to.generations, findKnown: findInPages(to.generations) };
  const count = await copyGenerations({
    ...copy,
    whenWritten: () => untilNothingWaits(to),
    // Whole days, as retention drops them.
    sinceMs: Math.floor(Date.now() / DAY_MS - retentionDays) * DAY_MS,
    onProgress: progress.show,
    onShared: counted.add,
  }).finally(progress.end);
  if ((to.retention?.countLate?.() ?? 0) === 0) return { count, counted: counted.list() };
  // Some belong to days that were dropped there: the database has not taken them. What it has is looked up again.
  const found = createCountedSpending(before);
  const taken = await copyGenerations({ ...copy, sinceMs: Infinity, onProgress: () => undefined, onShared: found.add });
  return { count: taken, counted: found.list() };
}

/** Seals keys for providers, which a file of the directory may open, with the key of the environment. */
function createReseal(dir: string) {
  const environmentKey = process.env['GATEWAY_SECRETS_KEY'] ?? '';
  const target: SecretBox | undefined =
    environmentKey.trim() === '' ? undefined : openSecretBox({ environmentKey, dir });
  const source = openSecretBox({ dir });
  let unopened = 0;
  return {
    async row<Row extends SealedRow>(table: SealedTable, row: Row): Promise<Row> {
      if (row.sealed === null) return row;
      if (target !== undefined) {
        for (const from of [target, source]) {
          const sealed = await resealRow(table, row, { from, to: target }).catch(() => undefined);
          if (sealed !== undefined) return sealed;
        }
      }
      unopened += 1;
      return row;
    },
    unopened: () => unopened,
  };
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);
