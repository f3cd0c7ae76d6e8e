import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { IncomingVideo, ArchivedVideo, VideoArchive } from '@model-gateway/core';

import { removeIfThere, replaceFile, sweepTemporaryFiles } from '../stores/files/atomic-file.ts';
import { makeDirectory } from '../stores/files/directory.ts';
import { ifThere, nodeFileSystem as files, OPEN } from '../stores/files/file-system.ts';

export interface FileVideoArchiveOptions {
  /** Created when missing, closed to other users. Used by this archive only. */
  readonly dir: string;
  /** Limit for the size of all videos together; the oldest are removed to make room for a new one. */
  readonly maxBytes: number;
  /** Videos that are older when it is created are removed. Default: none. */
  readonly maxAgeMs?: number | undefined;
  /** Milliseconds since the epoch; ages are judged by it. Default: the system clock. */
  readonly now?: (() => number) | undefined;
}

/** A film is a file that any player opens; its ending tells its type. */
const ENDING_OF_TYPE: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'video/mpeg': 'mpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/octet-stream': 'bin',
};
const TYPE_OF_ENDING = new Map(Object.entries(ENDING_OF_TYPE).map(([type, ending]) => [ending, type]));
const OWNER_ONLY = 0o700;
const READ_BYTES = 256 * 1024;

interface StoredFile {
  readonly path: string;
  readonly contentType: string;
  readonly bytes: number;
}

/**
 * Creates an archive that stores each video as a file of one directory, on the disk itself and whole or not at all.
 * Rejects when the directory cannot be used.
 */
export async function createFileVideoArchive(options: FileVideoArchiveOptions): Promise<VideoArchive> {
  const { dir, maxBytes } = options;
  const stored = await load(options);
  /** The bytes of all videos that are stored or on their way in. */
  let usedBytes = [...stored.values()].reduce((sum, { bytes }) => sum + bytes, 0);

  const makeRoom = async (): Promise<void> => {
    for (const [name, { path, bytes }] of stored) {
      if (usedBytes <= maxBytes) return;
      stored.delete(name);
      usedBytes -= bytes;
      await removeIfThere(files, path);
    }
  };

  const write = async (path: string, { body, bytes: promised }: IncomingVideo): Promise<number | undefined> => {
    let bytes = 0;
    try {
      await replaceFile(files, path, async (take) => {
        for await (const piece of body) {
          bytes += piece.byteLength;
          usedBytes += piece.byteLength;
          if (usedBytes > maxBytes) await makeRoom();
          if (usedBytes > maxBytes) throw new NoRoomError();
          await take(piece);
        }
        if (bytes === 0 || (promised ?? bytes) !== bytes) {
          throw new Error(`The video ended after ${bytes} of ${promised ?? 'its'} bytes`);
        }
      });
      return bytes;
    } catch (error) {
      usedBytes -= bytes;
      if (error instanceof NoRoomError) return undefined;
      throw error;
    }
  };

  return {
    async find(name) {
      const file = stored.get(name);
      return file && toVideo(file);
    },
    async save(name, video) {
      if (video.bytes !== undefined && video.bytes > maxBytes) {
        await video.body[Symbol.asyncIterator]().return?.();
        return false;
      }
      const type = video.contentType.split(';')[0]?.trim().toLowerCase() ?? '';
      const ending = ENDING_OF_TYPE[type] ?? 'bin';
      const path = join(dir, `${name}.${ending}`);
      const bytes = await write(path, video);
      if (bytes === undefined) return false;
      usedBytes -= stored.get(name)?.bytes ?? 0;
      stored.set(name, { path, bytes, contentType: typeOf(ending) });
      return true;
    },
  };
}

class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
}

const typeOf = (ending: string): string => TYPE_OF_ENDING.get(ending) ?? 'application/octet-stream';

/** Lists the stored files, the oldest first. */
async function load({
  dir,
  maxAgeMs,
  now = () => Date.now(),
}: FileVideoArchiveOptions): Promise<Map<string, StoredFile>> {
  await makeDirectory(dir, OWNER_ONLY);
  await sweepTemporaryFiles(files, dir);
  const found: { readonly name: string; readonly file: StoredFile; readonly storedAt: number }[] = [];
  for (const fileName of await files.list(dir)) {
    const [, name, ending] = /^([\w-]+)\.([a-z0-9]+)$/.exec(fileName) ?? [];
    if (name === undefined || ending === undefined || !TYPE_OF_ENDING.has(ending)) continue;
    const path = join(dir, fileName);
    const { size, mtimeMs } = await stat(path);
    if (maxAgeMs !== undefined && mtimeMs < now() - maxAgeMs) await removeIfThere(files, path);
    else found.push({ name, file: { path, bytes: size, contentType: typeOf(ending) }, storedAt: mtimeMs });
  }
  const oldestFirst = found.toSorted((one, other) => one.storedAt - other.storedAt);
  return new Map(oldestFirst.map(({ name, file }) => [name, file]));
}

const toVideo = ({ path, bytes, contentType }: StoredFile): ArchivedVideo => ({
  contentType,
  bytes,
  read: (start, end) => readPart(path, start, end),
});

/** One piece at a time, when its reader asks for it. Where the file has gone in the meantime it says so. */
async function* readPart(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  const fd = await ifThere(files.open(path, OPEN.read));
  if (fd === undefined) throw new Error('The video has had to make room for others');
  try {
    for (let at = start; at < end;) {
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end - at));
      const count = await files.read(fd, buffer, 0, buffer.length, at);
      if (count === 0) throw new Error('The file of a video is shorter than it was');
      at += count;
      yield buffer.subarray(0, count);
    }
  } finally {
    await files.close(fd);
  }
}
