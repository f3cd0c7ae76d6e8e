import {
  close,
  constants,
  fstat,
  fsync,
  ftruncate,
  link,
  open,
  read,
  readdir,
  rename,
  type Stats,
  unlink,
  write,
  writeSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * The calls by which the store uses its files. Each can fail on its own: tests let the nth call fail or write too
 * little. All calls take a descriptor, so that a name is resolved only once.
 */
export interface FileSystem {
  open(path: string, flags: number): Promise<number>;
  close(fd: number): Promise<void>;
  stat(fd: number): Promise<Stats>;
  /** May read less than asked for; 0 at the end. */
  read(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  /** May write less than asked for: `writeFully` is what callers want. */
  write(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  sync(fd: number): Promise<void>;
  truncate(fd: number, length: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, created: string): Promise<void>;
  unlink(path: string): Promise<void>;
  list(directory: string): Promise<string[]>;
}

// A link planted in the directory must not lead a write elsewhere. Windows knows no such flag.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Flags for `open`, none of which follows a symbolic link in the last part of the path. */
export const OPEN = {
  read: constants.O_RDONLY | NO_FOLLOW,
  readWriteOrCreate: constants.O_RDWR | constants.O_CREAT | NO_FOLLOW,
  createNew: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW,
} as const;

/**
 * Up to this size writes are synchronous: they only copy to the system's cache, and a thread costs ten times as much.
 * Syncs wait for the disk, so a thread does them (docs/decisions/0003).
 */
const SYNCHRONOUS_WRITE_BYTES = 256 * 1024;

const OWNER_ONLY = 0o600;
const openFile = promisify(open);

/** The file system of this machine. Files it creates are readable by their owner only. */
export const nodeFileSystem: FileSystem = {
  open: (path, flags) => openFile(path, flags, OWNER_ONLY),
  close: promisify(close),
  stat: promisify<number, Stats>(fstat),
  read: (fd, buffer, offset, length, position) =>
    new Promise((resolve, reject) => {
      read(fd, buffer, offset, length, position, (error, count) => (error ? reject(error) : resolve(count)));
    }),
  write: (fd, buffer, offset, length, position) =>
    new Promise((resolve, reject) => {
      if (length <= SYNCHRONOUS_WRITE_BYTES) return resolve(writeSync(fd, buffer, offset, length, position));
      write(fd, buffer, offset, length, position, (error, count) => (error ? reject(error) : resolve(count)));
    }),
  sync: promisify(fsync),
  truncate: promisify<number, number>(ftruncate),
  rename: promisify(rename),
  link: promisify(link),
  unlink: promisify(unlink),
  list: promisify<string, string[]>(readdir),
};

/** Writes all `length` bytes at `position`. A file system may write fewer at a time without an error. */
export async function writeFully(
  files: FileSystem,
  fd: number,
  bytes: { readonly buffer: Uint8Array; readonly length: number; readonly position: number },
): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const count = await files.write(fd, bytes.buffer, done, bytes.length - done, bytes.position + done);
    if (count === 0) throw Object.assign(new Error('The file system took no more bytes'), { code: 'ENOSPC' });
    done += count;
  }
}

/** Fills `buffer` from `position`; returns how many bytes there were, fewer only at the end of the file. */
export async function readFully(files: FileSystem, fd: number, buffer: Uint8Array, position: number): Promise<number> {
  let done = 0;
  while (done < buffer.length) {
    const count = await files.read(fd, buffer, done, buffer.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Opens a file for as long as `use` takes. */
export async function withFile<Result>(
  files: FileSystem,
  path: string,
  flags: number,
  use: (fd: number) => Promise<Result>,
): Promise<Result> {
  const fd = await files.open(path, flags);
  try {
    return await use(fd);
  } finally {
    await files.close(fd);
  }
}

/** The length of a file. */
export async function sizeOf(files: FileSystem, path: string): Promise<number> {
  return withFile(files, path, OPEN.read, async (fd) => (await files.stat(fd)).size);
}

/** Settles as the work with a file does; undefined where there is no such file. */
export async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

/** The system's code of an error (`ENOENT`); undefined for any other thrown value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A one-line reason fit for a log or a message. */
export function errorReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * A file system that makes, renames and removes nothing once another directory has the path of the one that was taken,
 * or none: moving a directory away and starting a gateway at its path would else put two in one. Files that are
 * open stay with their directory.
 */
export async function holdDirectory(files: FileSystem, directory: string): Promise<FileSystem> {
  const taken = await stat(directory);
  const check = async (): Promise<void> => {
    const found = await stat(directory).catch(() => undefined);
    if (found?.ino === taken.ino && found.dev === taken.dev) return;
    throw new UnusableDirectoryError(
      `The data directory ${directory} was moved or removed while it is in use; stop the gateway and start it again`,
    );
  };
  const checked =
    <Arguments extends unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      await check();
      return call(...given);
    };
  const make = checked(files.open);
  return {
    ...files,
    open: (path, flags) => (flags === OPEN.read ? files.open(path, flags) : make(path, flags)),
    rename: checked(files.rename),
    link: checked(files.link),
    unlink: checked(files.unlink),
  };
}

/** The data directory, or a file in it, is not what a store can work with; the message says what to do. */
export class UnusableDirectoryError extends Error {
  override readonly name = 'UnusableDirectoryError';
}
