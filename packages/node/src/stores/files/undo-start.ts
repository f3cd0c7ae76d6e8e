import { readdir, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { sweepTemporaryFiles } from './atomic-file.ts';
import { nodeFileSystem } from './file-system.ts';

interface Folders {
  readonly path: string;
  readonly logsPath: string;
}

/** Whether there is nothing of a store in a directory yet. Only its owner can tell: others may be about to begin. */
export async function isUnused({ path, logsPath }: Folders, storeFiles: readonly string[]): Promise<boolean> {
  const names = await readdir(path);
  return !names.some((name) => storeFiles.includes(name)) && (await readdir(logsPath)).length === 0;
}

/** Removes what a start that failed has made in a directory that was unused before. Its owner calls it. */
export async function removeStore({ path, logsPath }: Folders, storeFiles: readonly string[]): Promise<void> {
  await sweepTemporaryFiles(nodeFileSystem, path);
  for (const name of [...storeFiles, basename(logsPath)]) await rm(join(path, name), { recursive: true, force: true });
}

/** Removes the folders that were made for a directory, as long as they are empty. */
export async function removeMadeFolders(made: readonly string[]): Promise<void> {
  // The innermost is first. One that is not empty keeps those above it.
  for (const folder of made) await rmdir(folder).catch(() => undefined);
}
