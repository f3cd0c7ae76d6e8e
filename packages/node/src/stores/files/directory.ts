import { chmod, lstat, mkdir, readdir, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import type { Logger } from '@model-gateway/core';

import { sweepTemporaryFiles, syncDirectory } from './atomic-file.ts';
import { errorCode, errorReason, nodeFileSystem, UnusableDirectoryError } from './file-system.ts';

/** The paths of a store's files. Both folders exist. */
export interface DataDirectory {
  /** Path with every symbolic link resolved, so that one directory has one name. */
  readonly path: string;
  readonly logsPath: string;
  /** Folders that did not exist before, the innermost first. */
  readonly made: readonly string[];
}

const OWNER_ONLY = 0o700;
const OTHERS_MAY_WRITE = 0o022;

/**
 * Creates a directory that only its owner can enter, with a `logs` folder, if missing. Throws one clear line when it is
 * unusable. A used directory keeps its permissions, because others may need them; the store's files are closed to
 * others anyway.
 */
export async function prepareDataDirectory(directory: string, logger: Logger | undefined): Promise<DataDirectory> {
  const made: string[] = [];
  try {
    const created = await makeDirectory(resolve(directory), OWNER_ONLY);
    if (created !== undefined) made.push(...foldersBetween(resolve(directory), created));
    const path = await realpath(directory);
    await checkOwner(path, directory);
    if (created !== undefined || (await readdir(path)).length === 0) await chmod(path, OWNER_ONLY);
    else if (((await stat(path)).mode & OTHERS_MAY_WRITE) !== 0 && process.platform !== 'win32') {
      logger?.warn('Other users may write into the data directory; chmod 700 closes it', { directory: path });
    }
    const logsPath = join(path, 'logs');
    if (await prepareLogs(logsPath)) made.unshift(logsPath);
    if (created !== undefined) await syncNames(dirname(path));
    await syncNames(path);
    return { path, logsPath, made };
  } catch (error) {
    await removeMadeFolders(made);
    throw toDirectoryError(directory, error);
  }
}

/** A folder and those above it, up to `outermost`. */
function foldersBetween(folder: string, outermost: string): readonly string[] {
  return folder === outermost ? [folder] : [folder, ...foldersBetween(dirname(folder), outermost)];
}

/** Returns whether it has made the folder. */
async function prepareLogs(logsPath: string): Promise<boolean> {
  const isMade = await mkdir(logsPath, { mode: OWNER_ONLY }).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
      return false;
    },
  );
  // The path must not be a link: the user who created the link would decide where prompts are written.
  if (!(await lstat(logsPath)).isDirectory()) {
    throw new UnusableDirectoryError(
      `${logsPath} is not a directory of its own; remove it or choose another directory`,
    );
  }
  await chmod(logsPath, OWNER_ONLY);
  return isMade;
}

/** Syncs the names of new folders, if the system allows it: some parents can be passed through but not opened. */
async function syncNames(path: string): Promise<void> {
  await syncDirectory(nodeFileSystem, path).catch(() => undefined);
}

async function checkOwner(path: string, directory: string): Promise<void> {
  const found = await stat(path);
  const user = process.getuid?.();
  // Root may use a directory of any user: containers run as root on mounted ones.
  if (user === undefined || user === 0 || found.uid === user) return;
  throw new UnusableDirectoryError(
    `The data directory ${directory} belongs to another user (uid ${found.uid}, this process runs as ${user}); ` +
      'choose another directory, or change its owner with chown',
  );
}

const ADVICE: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a directory; move that file away or choose another directory',
  ENOTDIR: 'a part of the path is a file, not a directory; choose another directory',
  EACCES: 'this user may not use it; change its permissions or choose another directory',
  EPERM: 'this user may not use it; change its permissions or choose another directory',
  EROFS: 'its file system is read-only; choose a directory that can be written',
  ENOENT: 'the path leads nowhere; remove a symbolic link that is broken or choose another directory',
  ELOOP: 'symbolic links there lead in a circle or out of it; remove the link or choose another directory',
  ENOSPC: 'the disk is full; free some space or choose a directory on another disk',
  EDQUOT: 'the disk quota is used up; free some space or choose a directory on another disk',
  ENAMETOOLONG: 'its name is too long; choose a shorter one',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
};

const OF_ANY_FILE = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EMFILE', 'ENFILE']);

/** Whether any file that is made in the directory would have failed like this, and not only a lock. */
export function isOfAnyFile(error: unknown): boolean {
  return OF_ANY_FILE.has(errorCode(error) ?? '');
}

/** Turns a system error of opening a store into one line that says what failed, where, and what to do. */
export function toDirectoryError(directory: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof UnusableDirectoryError) return error;
  const advice = ADVICE[code] ?? errorReason(error);
  const where = pathOf(error) ?? directory;
  const about = where === directory ? '' : ` (at ${where})`;
  return new UnusableDirectoryError(`Cannot use the data directory ${directory}${about}: ${advice} [${code}]`, {
    cause: error,
  });
}

function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}

/**
 * Makes a directory and its missing parents, and returns the first that it made; undefined when it existed. Rejects
 * with the system's error. Node's own `recursive` never ends below a file system without directories (`/proc`).
 */
export async function makeDirectory(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    const code = errorCode(error);
    // A link without a target exists for `mkdir` and not for `stat`; the caller gets the error of `stat`.
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return undefined;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    const madeAbove = await makeDirectory(dirname(path), mode);
    // The parent existed before, so the error has another cause.
    if (madeAbove === undefined) throw error;
    await mkdir(path, { mode });
    return madeAbove;
  }
}

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
