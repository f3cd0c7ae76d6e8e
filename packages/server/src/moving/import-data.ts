import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { GatewayError, resealProviderRow, type SecretBox, type Store, type StoredProvider } from '@model-gateway/core';
import { openSecretBox } from '@model-gateway/node';

import { findDatabase, openDatabase, openJsonStore } from '../commands/find-store.ts';
import type { ImportOptions } from '../commands/parse-command.ts';
import { describeAddress } from '../open-store.ts';
import { StartError } from '../process/start-error.ts';
import { copyGenerations } from './copy-generations.ts';
import { copyTables } from './copy-tables.ts';
import { readImported, writeImported } from './imported-file.ts';
import { createProgress } from './progress.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Copies a data directory into the database of a config. */
export async function importData({ from: dir, config }: ImportOptions): Promise<void> {
  checkDirectory(dir);
  const database = await findDatabase(config);
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

/** Refuses a directory before a store is made in it. */
function checkDirectory(dir: string): void {
  if (!existsSync(dir)) throw new StartError(`There is no directory ${dir}`);
  if (['config.json', 'config.copy.json', 'logs'].some((name) => existsSync(join(dir, name)))) return;
  throw new StartError(`${dir} is no data directory of a gateway: it has neither config.json nor logs`);
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
  const ids = await copyTables({ from, to, copiedBefore: imported[place] ?? {}, reseal: reseal.row });
  await writeImported(dir, { ...imported, [place]: ids });
  const progress = createProgress('generations');
  const sinceMs = Date.now() - retentionDays * DAY_MS;
  const count = await copyGenerations({
    from: from.generations,
    to: to.generations,
    sinceMs,
    onProgress: progress.show,
  }).finally(progress.end);
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
