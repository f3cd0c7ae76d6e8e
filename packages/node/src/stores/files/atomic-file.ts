import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { errorCode, type FileSystem, ifThere, OPEN, readFully, withFile, writeFully } from './file-system.ts';

const TEMPORARY = /\.[0-9a-f]{12}\.gateway-tmp$/;
/** What else is made under a name of its own for a moment: the file of the owner's address, and scratch files. */
const MOMENTARY = /^(?:owner\.json\.\d+\.tmp|\.scratch-[0-9a-f-]{36})$/;
const RENAME_ATTEMPTS = 5;
const WRITE_BYTES = 1024 * 1024;

/** A new name beside `path` for a file that replaces it when complete. `sweepTemporaryFiles` knows the form. */
export function temporaryPath(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.gateway-tmp`;
}

/** Writes a file's content piece by piece; a piece must not be changed afterwards. */
export type Fill = (write: (piece: Uint8Array) => Promise<void>) => Promise<void>;

/**
 * Replaces a file as a whole: even after a power failure it holds the old bytes or the new ones. With `previousPath`
 * the old file is kept under that name. A `Fill` may read the old file. Rejects with the file system's error and leaves
 * the old file alone. Checks the length before the rename: a full disk may cut a write short without an error.
 */
export async function replaceFile(
  files: FileSystem,
  path: string,
  content: Uint8Array | Fill,
  options: { readonly previousPath?: string | undefined } = {},
): Promise<void> {
  const temporary = temporaryPath(path);
  try {
    await writeNewFile(files, temporary, content);
    if (options.previousPath !== undefined) await saveAs(files, path, options.previousPath);
    await renameFile(files, temporary, path);
  } catch (error) {
    await removeIfThere(files, temporary).catch(() => undefined);
    throw error;
  }
  await syncDirectory(files, dirname(path));
}

/** Creates a file, which must not exist, and syncs it; after a failure there is none. The name is not synced. */
export async function writeNewFile(files: FileSystem, path: string, content: Uint8Array | Fill): Promise<void> {
  const fd = await files.open(path, OPEN.createNew);
  try {
    const length = await writePieces(files, fd, content instanceof Uint8Array ? (write) => write(content) : content);
    const { size } = await files.stat(fd);
    if (size !== length) throw new Error(`Only ${size} of ${length} bytes of ${path} arrived on disk`);
    await files.sync(fd);
  } catch (error) {
    await files.close(fd).catch(() => undefined);
    await removeIfThere(files, path).catch(() => undefined);
    throw error;
  }
  await files.close(fd);
}

async function writePieces(files: FileSystem, fd: number, fill: Fill): Promise<number> {
  let pieces: Uint8Array[] = [];
  let gathered = 0;
  let position = 0;
  const flush = async (): Promise<void> => {
    const buffer = Buffer.concat(pieces, gathered);
    pieces = [];
    gathered = 0;
    await writeFully(files, fd, { buffer, length: buffer.length, position });
    position += buffer.length;
  };
  await fill(async (piece) => {
    pieces.push(piece);
    gathered += piece.length;
    if (gathered >= WRITE_BYTES) await flush();
  });
  await flush();
  return position;
}

/** Gives the file a second name and replaces the file that had it. `path` exists all the time. */
async function saveAs(files: FileSystem, path: string, targetPath: string): Promise<void> {
  const temporary = temporaryPath(targetPath);
  if (!(await linkOrCopy(files, path, temporary))) return;
  try {
    await renameFile(files, temporary, targetPath);
  } catch (error) {
    await removeIfThere(files, temporary).catch(() => undefined);
    throw error;
  }
}

/** False when there is nothing to link. Copies where the file system knows no hard links (FAT, some network shares). */
async function linkOrCopy(files: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    await files.link(from, to);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return false;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP') throw error;
  }
  await writeNewFile(files, to, await readWholeFile(files, from));
  return true;
}

/**
 * Keeps a damaged file for people to look at, as `<name>.corrupt-<time>`, and returns that path. The file keeps its own
 * name, too, until `replaceFile` or a rename puts a clean one there: a crash in between loses nothing.
 */
export async function setAside(files: FileSystem, path: string, nowMs: number): Promise<string> {
  const time = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
  for (let attempt = 0; ; attempt += 1) {
    const kept = `${path}.corrupt-${time}${attempt === 0 ? '' : `-${attempt}`}`;
    try {
      await linkOrCopy(files, path, kept);
      return kept;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Reads a file that fits in memory. Rejects with `ENOENT` when there is none, with `ELOOP` when it is a link. */
export async function readWholeFile(files: FileSystem, path: string): Promise<Buffer> {
  return withFile(files, path, OPEN.read, async (fd) => {
    const { size } = await files.stat(fd);
    const buffer = Buffer.alloc(size);
    return buffer.subarray(0, await readFully(files, fd, buffer, 0));
  });
}

/** Renames, trying a few times on Windows, where a virus scanner may hold the file for a moment. */
export async function renameFile(files: FileSystem, from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await files.rename(from, to);
    } catch (error) {
      const isHeld = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '');
      if (!isHeld || attempt >= RENAME_ATTEMPTS) throw error;
      await delay(attempt * 50);
    }
  }
}

/** Makes created, renamed and removed names durable. */
export async function syncDirectory(files: FileSystem, directory: string): Promise<void> {
  // Windows cannot open a directory to sync it and journals its names by itself.
  if (process.platform !== 'win32') await withFile(files, directory, OPEN.read, (fd) => files.sync(fd));
}

/** Removes what killed processes have left of unfinished writes, and nothing else. */
export async function sweepTemporaryFiles(files: FileSystem, directory: string): Promise<void> {
  for (const name of await files.list(directory)) {
    if (TEMPORARY.test(name) || MOMENTARY.test(name)) await removeIfThere(files, join(directory, name));
  }
}

/** Removes a file, if it exists. */
export async function removeIfThere(files: FileSystem, path: string): Promise<void> {
  await ifThere(files.unlink(path));
}
