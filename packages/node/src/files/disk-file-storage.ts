import { createHash, randomUUID } from 'node:crypto';
import { stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import { createTurns, type FileStorage, type StoredFileContent } from '@model-gateway/core';

import {
  removeIfThere,
  renameFile,
  sweepTemporaryFiles,
  syncDirectory,
  temporaryPath,
} from '../stores/files/atomic-file.ts';
import { makeDirectory } from '../stores/files/directory.ts';
import { ifThere, nodeFileSystem as files, OPEN, writeFully } from '../stores/files/file-system.ts';

export interface DiskFileStorageOptions {
  /** Created when missing, closed to other users. Used by this storage only. */
  readonly dir: string;
  /** Milliseconds since the epoch. Default: the system clock. */
  readonly now?: (() => number) | undefined;
}

const OWNER_ONLY = 0o700;
const READ_BYTES = 256 * 1024;
const WRITE_BYTES = 256 * 1024;
const NAME = /^[0-9a-f]{64}$/;

/**
 * Creates a storage that holds each content as a file of one directory, called by its SHA-256, so that equal contents
 * take their room once. A content is on the disk whole or not at all. Rejects when the directory cannot be used.
 */
export async function createDiskFileStorage({
  dir,
  now = () => Date.now(),
}: DiskFileStorageOptions): Promise<FileStorage> {
  await makeDirectory(dir, OWNER_ONLY);
  await sweepTemporaryFiles(files, dir);
  const pathOf = (name: string): string => join(dir, name);
  // A content that a sweep has found to be old may be saved again before it is removed.
  const inTurn = createTurns();
  const renewed = new Set<string>();

  return {
    async save(pieces) {
      const temporary = temporaryPath(pathOf(randomUUID()));
      const hash = createHash('sha256');
      const bytes = await writeWhole(temporary, pieces, (piece) => hash.update(piece));
      const name = hash.digest('hex');
      // The rename replaces an equal content, and so gives it the time of this one.
      const savedAt = new Date(now());
      await utimes(temporary, savedAt, savedAt);
      const put = inTurn(() => {
        renewed.add(name);
        return renameFile(files, temporary, pathOf(name));
      });
      await put.catch(async (error: unknown) => {
        await removeIfThere(files, temporary).catch(() => undefined);
        throw error;
      });
      await syncDirectory(files, dir);
      return { name, bytes };
    },
    async find(name) {
      if (!NAME.test(name)) return undefined;
      const found = await ifThere(stat(pathOf(name)));
      return found && toContent(pathOf(name), found.size);
    },
    async sweep(findUsed, savedBeforeMs) {
      renewed.clear();
      const old: string[] = [];
      for (const name of await files.list(dir)) {
        if (!NAME.test(name)) continue;
        const found = await ifThere(stat(pathOf(name)));
        if (found !== undefined && found.mtimeMs < savedBeforeMs) old.push(name);
      }
      if (old.length === 0) return;
      const used = await findUsed();
      for (const name of old) {
        if (used.has(name)) continue;
        await inTurn(async () => {
          if (!renewed.has(name)) await removeIfThere(files, pathOf(name));
        });
      }
    },
  };
}

/**
 * Writes a new file and syncs it; after a failure there is none. Its one buffer is used again and again: what comes in
 * faster than memory is tidied up would otherwise pile up. Resolves with the length.
 */
async function writeWhole(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  onWrite: (piece: Uint8Array) => void,
): Promise<number> {
  const fd = await files.open(path, OPEN.createNew);
  try {
    const buffer = Buffer.allocUnsafeSlow(WRITE_BYTES);
    let gathered = 0;
    let position = 0;
    const flush = async (): Promise<void> => {
      onWrite(buffer.subarray(0, gathered));
      await writeFully(files, fd, { buffer, length: gathered, position });
      position += gathered;
      gathered = 0;
    };
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length;) {
        const part = piece.subarray(at, at + buffer.length - gathered);
        buffer.set(part, gathered);
        gathered += part.length;
        at += part.length;
        if (gathered === buffer.length) await flush();
      }
    }
    await flush();
    const { size } = await files.stat(fd);
    if (size !== position) throw new Error(`Only ${size} of ${position} bytes of ${path} arrived on disk`);
    await files.sync(fd);
    await files.close(fd);
    return position;
  } catch (error) {
    await files.close(fd).catch(() => undefined);
    await removeIfThere(files, path).catch(() => undefined);
    throw error;
  }
}

const toContent = (path: string, bytes: number): StoredFileContent => ({ bytes, read: () => readFrom(path, bytes) });

/** One piece at a time, when its reader asks for it. A file that is removed meanwhile is read to its end. */
async function* readFrom(path: string, bytes: number): AsyncGenerator<Uint8Array> {
  const fd = await ifThere(files.open(path, OPEN.read));
  if (fd === undefined) throw new Error('The content of a file has been removed');
  try {
    for (let at = 0; at < bytes;) {
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, bytes - at));
      const count = await files.read(fd, buffer, 0, buffer.length, at);
      if (count === 0) throw new Error('The content of a file is shorter than it was');
      at += count;
      yield buffer.subarray(0, count);
    }
  } finally {
    await files.close(fd);
  }
}
