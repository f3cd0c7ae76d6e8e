import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import {
  createSpendingBook,
  GatewayError,
  resealProviderRow,
  type SecretBox,
  type Store,
  type StoredProvider,
  toSpending,
} from '@model-gateway/core';
import { DirectoryInUseError, openSecretBox } from '@model-gateway/node';

import { type Database, findDatabase, openDatabase, openJsonStore, toStderr } from '../commands/find-store.ts';
import { findJournals, isJournalName, takeInJournal } from '../open-database.ts';
import { describeAddress } from '../open-store.ts';
import { StartError } from '../process/start-error.ts';
import { copyGenerations } from './copy-generations.ts';
import { copyTables } from './copy-tables.ts';
import { createCountedSpending } from './counted-spending.ts';
import { findInPages } from './find-known.ts';
import { readImported, writeImported } from './imported-file.ts';
import type { ImportOptions } from './parse-import.ts';
import { createProgress } from './progress.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Copies a data directory into the database of a config. */
export async function importData({ from: dir, config }: ImportOptions): Promise<void> {
  const database = await findDatabase(config);
  const found = examineDirectory(dir);
  for (const journal of found.journals) await importJournal(journal, database);
  if (!found.isStore) return;
  const to = await openDatabase(database);
  try {
    const from = await openJsonStore(dir);
    try {
      const place = describeAddress(database.store.url);
      await importStore({ dir, from, to, place, retentionDays: database.retentionDays });
    } finally {
      await from.close();
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new StartError(`The import has not come to its end: ${error.message}. Run it again; nothing is doubled.`, {
      cause: error,
    });
  } finally {
    await to.close();
  }
}

/** What there is to import. Throws where there is nothing, before a store is made in a wrong directory. */
function examineDirectory(dir: string): { readonly isStore: boolean; readonly journals: readonly string[] } {
  if (!existsSync(dir)) throw new StartError(`There is no directory ${dir}`);
  const logs = existsSync(join(dir, 'logs')) ? readdirSync(join(dir, 'logs')) : [];
  const isStore =
    ['config.json', 'config.copy.json'].some((name) => existsSync(join(dir, name))) ||
    logs.some((name) => name.startsWith('generations-'));
  const isJournal = !isStore && (isJournalName(dir) || logs.some((name) => name.startsWith('records-')));
  const journals = isJournal ? [dir] : findJournals(dir).map((journal) => journal.dir);
  if (isStore || journals.length > 0) return { isStore, journals };
  throw new StartError(
    `${dir} is no data directory of a gateway: it has neither a JSON-file store (config.json, logs) nor a journal`,
  );
}

async function importJournal(dir: string, { store: { url }, retentionDays }: Database): Promise<void> {
  try {
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
  /** The database, as it is named in the note of what has been imported. */
  readonly place: string;
  readonly retentionDays: number;
}

async function importStore({ dir, from, to, place, retentionDays }: Import): Promise<void> {
  const beganAt = performance.now();
  const imported = await readImported(dir);
  const reseal = createReseal(dir);
  const ids = await copyTables({ from, to, copiedBefore: imported.rows[place] ?? {}, reseal: reseal.row });
  const noted = { ...imported, rows: { ...imported.rows, [place]: ids } };
  await writeImported(dir, noted);
  const left = createSpendingBook();
  for (const sum of from.generations.listSpending?.() ?? []) left.add(sum);
  const progress = createProgress('generations');
  const counted = createCountedSpending(imported.counted?.[place] ?? []);
  // Whole days, as retention drops them.
  const sinceMs = Math.floor(Date.now() / DAY_MS - retentionDays) * DAY_MS;
  const count = await copyGenerations({
    from: from.generations,
    to: to.generations,
    findKnown: findInPages(to.generations),
    sinceMs,
    onProgress: progress.show,
    onCopied: (record) => counted.add(toSpending(record)),
  }).finally(progress.end);
  await writeImported(dir, { ...noted, counted: { ...noted.counted, [place]: counted.list() } });
  for (const sum of counted.list()) left.subtract(sum);
  // What was spent on generations that are too old to be there counts all the same.
  await to.generations.carrySpending?.(imported.id, left.entries());
  const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
  const keys = ids['keys']?.length ?? 0;
  say(`${dir} is in the database: ${count} generations and ${keys} keys, in ${seconds} s.`);
  if (reseal.unopened() > 0) {
    say(
      `The keys of ${reseal.unopened()} providers stay sealed as they are in ${dir}: ` +
        'start gateways with GATEWAY_SECRETS_KEY as it was there, or as it stands in its secrets.key.',
    );
  }
}

/** Seals keys of providers, which a file of the directory may open, with the key of the environment. */
function createReseal(dir: string) {
  const environmentKey = process.env['GATEWAY_SECRETS_KEY'] ?? '';
  const target: SecretBox | undefined =
    environmentKey.trim() === '' ? undefined : openSecretBox({ environmentKey, dir });
  const source = openSecretBox({ dir });
  let unopened = 0;
  return {
    async row(row: StoredProvider): Promise<StoredProvider> {
      if (row.sealed === null) return row;
      if (target !== undefined) {
        for (const from of [target, source]) {
          const sealed = await resealProviderRow(row, { from, to: target }).catch(() => undefined);
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
