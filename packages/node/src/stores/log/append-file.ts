import { removeIfThere } from '../files/atomic-file.ts';
import { type FileSystem, OPEN, readFully, UnusableDirectoryError, writeFully } from '../files/file-system.ts';
import { isWholeLines } from './record-line.ts';

/**
 * A file that grows by whole lines. Writes go to a position, not to the end of the file: the rest of a failed write is
 * cut off before the next write at the latest, so that no torn line lies between good ones.
 */
export interface AppendFile {
  readonly path: string;
  readonly fd: number;
  /** Bytes written in whole batches, at least to the system's cache. */
  end: number;
  /** Bytes that are synced to the disk. */
  synced: number;
  /** Bytes beyond `end` may exist. */
  isTorn: boolean;
  /** Whether the last sync failed: bytes beyond `synced` may be lost although they can still be read. */
  hasFailedSync: boolean;
}

/**
 * Opens a file for appending, or creates it with `firstLine` in it. The caller closes `fd`.
 *
 * A file that ends within a line gets a newline first, so that what follows begins a line of its own.
 */
export async function openAppendFile(
  files: FileSystem,
  path: string,
  firstLine: Uint8Array = new Uint8Array(),
): Promise<AppendFile> {
  const fd = await files.open(path, OPEN.readWriteOrCreate);
  const file: AppendFile = { path, fd, end: 0, synced: 0, isTorn: false, hasFailedSync: false };
  let wasEmpty = false;
  try {
    const stats = await files.stat(fd);
    if (!stats.isFile())
      throw new UnusableDirectoryError(`${path} is not a file; move it away or choose another data directory`);
    wasEmpty = stats.size === 0;
    file.end = stats.size;
    file.synced = stats.size;
    const opening = stats.size === 0 ? firstLine : await missingNewline(files, fd, stats.size);
    await writeAtEnd(files, file, { bytes: opening, length: opening.length });
    file.end += opening.length;
    return file;
  } catch (error) {
    if (file.isTorn) await cutOff(files, file);
    await files.close(fd).catch(() => undefined);
    // An empty file without its first line would look like one that was emptied.
    if (wasEmpty) await removeIfThere(files, path).catch(() => undefined);
    throw error;
  }
}

async function missingNewline(files: FileSystem, fd: number, size: number): Promise<Uint8Array> {
  const last = Buffer.alloc(1);
  await readFully(files, fd, last, size - 1);
  return last.toString() === '\n' ? new Uint8Array() : Buffer.from('\n');
}

/** Lines for a file; `bytes` may have room for more. */
interface Lines {
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** Appends whole lines, without a sync. When it rejects, the file is as it was before. */
export function appendLine(files: FileSystem, file: AppendFile, line: Buffer): Promise<void> {
  return appendTogether(files, [file], [{ bytes: line, length: line.length }]);
}

/** Appends lines to each file, or to none where one of them fails. Without a sync. */
export async function appendTogether(
  files: FileSystem,
  targets: readonly AppendFile[],
  lines: readonly Lines[],
): Promise<void> {
  const writes = targets.map((file, at) => writeAtEnd(files, file, lines[at] as Lines));
  const failure = (await Promise.allSettled(writes)).find((result) => result.status === 'rejected');
  if (failure !== undefined) {
    await Promise.all(targets.map((file) => cutOff(files, file)));
    throw failure.reason;
  }
  for (const [at, file] of targets.entries()) file.end += (lines[at] as Lines).length;
}

/** Writes after `end`, which stays where it is. */
async function writeAtEnd(files: FileSystem, file: AppendFile, { bytes, length }: Lines): Promise<void> {
  if (length === 0) return;
  if (file.isTorn) {
    await files.truncate(file.fd, file.end);
    file.isTorn = false;
  }
  file.isTorn = true;
  await writeFully(files, file.fd, { buffer: bytes, length, position: file.end });
  file.isTorn = false;
}

/** Removes what was written beyond `end`. Never rejects: what remains is removed before the next write. */
async function cutOff(files: FileSystem, file: AppendFile): Promise<void> {
  file.isTorn = true;
  try {
    await files.truncate(file.fd, file.end);
    file.isTorn = false;
  } catch {
    // The next write cuts it off, because `isTorn` stays set.
  }
}

/** Syncs a file and closes it, also where the sync has failed. */
export async function closeSynced(files: FileSystem, file: AppendFile): Promise<void> {
  try {
    await syncFile(files, file);
  } finally {
    await files.close(file.fd);
  }
}

/** Syncs what has been written so far; first repairs what an earlier failed sync may have lost. */
export async function syncFile(files: FileSystem, file: AppendFile): Promise<void> {
  const end = file.end;
  if (file.hasFailedSync) return rewriteUnsynced(files, file);
  if (file.synced === end) return;
  try {
    await files.sync(file.fd);
    file.synced = Math.max(file.synced, end);
  } catch (error) {
    file.hasFailedSync = true;
    throw error;
  }
}

/**
 * Recovers from a failed sync by writing the uncertain bytes again: the system reports lost pages once and then counts
 * them as written. The bytes are checked first, because a lost page may have older content.
 */
async function rewriteUnsynced(files: FileSystem, file: AppendFile): Promise<void> {
  const { end } = file;
  const bytes = Buffer.allocUnsafe(end - file.synced);
  const count = await readFully(files, file.fd, bytes, file.synced);
  if (count !== bytes.length || !isWholeLines(bytes)) {
    throw new Error(`${file.path} has lost what was written after byte ${file.synced}; restart to recover the rest`);
  }
  await writeFully(files, file.fd, { buffer: bytes, length: bytes.length, position: file.synced });
  await files.sync(file.fd);
  file.synced = end;
  file.hasFailedSync = false;
}
