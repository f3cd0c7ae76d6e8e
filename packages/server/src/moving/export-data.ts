import { existsSync, readdirSync } from 'node:fs';
import process from 'node:process';

import { GatewayError } from '@model-gateway/core';

import { findDatabase, openDatabase, openJsonStore } from '../commands/find-store.ts';
import { StartError } from '../process/start-error.ts';
import { copyGenerations } from './copy-generations.ts';
import { mirrorTables } from './copy-tables.ts';
import { findOneByOne } from './find-known.ts';
import type { ExportOptions } from './parse-export.ts';
import { createProgress } from './progress.ts';

/** Copies the database of a config into a JSON-file store. */
export async function exportData({ to: dir, config }: ExportOptions): Promise<void> {
  checkDirectory(dir);
  const beganAt = performance.now();
  const from = await openDatabase(await findDatabase(config));
  try {
    const to = await openJsonStore(dir);
    try {
      await mirrorTables(from, to);
      const progress = createProgress('generations');
      const count = await copyGenerations({
        from: from.generations,
        to: to.generations,
        findKnown: findOneByOne(to.generations),
        onProgress: progress.show,
      }).finally(progress.end);
      const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
      process.stderr.write(`The database is in ${dir}: ${count} generations, in ${seconds} s.\n`);
    } finally {
      await to.close();
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new StartError(`The export has not come to its end: ${error.message}. Run it again.`, { cause: error });
  } finally {
    await from.close();
  }
}

/** Refuses a directory with other things in it. */
function checkDirectory(dir: string): void {
  if (!existsSync(dir)) return;
  const names = readdirSync(dir);
  if (names.length === 0 || names.includes('config.json')) return;
  throw new StartError(`${dir} is not empty, and no data directory of a gateway: name a new directory`);
}
