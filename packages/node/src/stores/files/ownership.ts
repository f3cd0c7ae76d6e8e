import { createHash } from 'node:crypto';
import { constants, open as openWithCallback, statfsSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import type { Logger } from '@model-gateway/core';

import { type DataDirectory, isOfAnyFile, removeMadeFolders, toDirectoryError } from './directory.ts';
import { errorCode, errorReason, nodeFileSystem, UnusableDirectoryError } from './file-system.ts';
import {
  askOwner,
  type Claim,
  electOwner,
  listenAsOwner,
  type OwnerResponse,
  type OwnerSocket,
} from './owner-election.ts';

/** Options of everything that opens a directory of its own. */
export interface DirectoryOptions {
  /** Created when missing, closed to other users. A file system that machines share is refused where it can be told. */
  readonly dir: string;
  /** Receives messages about damage, repairs and failed writes; without it they are lost. */
  readonly logger?: Logger | undefined;
  /** Milliseconds since the epoch; it decides which day a generation belongs to. Default: the system clock. */
  readonly now?: (() => number) | undefined;
  /** Goes on, with a warning, where the system offers no way to keep a second process out. Default: false. */
  readonly lockOptional?: boolean | undefined;
}

/**
 * Takes a directory for this process. Throws `DirectoryInUseError` where another has it, and one clear line where that
 * cannot be ensured. Undefined where that is optional.
 */
export async function takeDirectory(
  { dir, logger, lockOptional }: DirectoryOptions,
  directory: DataDirectory,
): Promise<DirectoryOwner | undefined> {
  try {
    return await ownDirectory(directory.path);
  } catch (error) {
    // Its owner may be about to use the folders that were made here.
    if (error instanceof DirectoryInUseError) throw error;
    const reason = describeOwnershipFailure(error);
    if (lockOptional === true && !isOfAnyFile(error)) {
      logger?.warn(reason, { directory: directory.path });
      return undefined;
    }
    await removeMadeFolders(directory.made);
    if (isOfAnyFile(error)) throw toDirectoryError(dir, error);
    throw new UnusableDirectoryError(
      `Cannot use the data directory ${dir}: ${reason}; put it on a local disk, ` +
        'or open the store with lockOptional to go on without',
      { cause: error },
    );
  }
}

/** The right to use a directory, held until it is released or the process dies. */
export interface DirectoryOwner {
  release(): Promise<void>;
}

/** What has files open in a directory. */
export interface Closable {
  close(): Promise<void>;
}

/**
 * Closes all that is open in a directory, in order, also where some of it fails, and then lets the directory go. Rejects
 * with the first failure, after which something may not be durable.
 */
export async function closeAndRelease(opened: readonly Closable[], owner: DirectoryOwner | undefined): Promise<void> {
  const failures: unknown[] = [];
  for (const each of opened) await each.close().catch((error: unknown) => failures.push(error));
  await owner?.release();
  if (failures.length > 0) throw failures[0];
}

/** Thrown when another process, or another store in this one, uses the directory. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
  /** Undefined when it cannot be known. Processes in other containers have PIDs of their own. */
  readonly ownerPid: number | undefined;

  constructor(directory: string, ownerPid: number | undefined, response: OwnerResponse) {
    super(`The data directory ${directory} is in use by ${describeOwner(ownerPid, response)}`);
    this.ownerPid = ownerPid;
  }
}

/** Options for tests: conditions that this machine does not have or that would take long. */
interface OwnerOptions {
  readonly platform?: NodeJS.Platform | undefined;
  /** After this time an owner counts as one that does not respond. */
  readonly respondWithinMs?: number | undefined;
  /** What `statfs` says about the directory. */
  readonly fileSystemType?: number | undefined;
}

const RESPOND_WITHIN_MS = 2000;
const LONGEST_SOCKET_PATH = 100;
const MOST_ATTEMPTS = 4;

/**
 * Takes a directory by what the kernel lets go of with the process: there is no lock to be left behind, no clock is
 * compared, and a stopped process keeps its directories. It is the directory that is taken, not its path: bind mounts,
 * containers and symbolic links lead to the same owner (docs/decisions/0028). Does not keep the process alive. Throws
 * `DirectoryInUseError` when it is taken, and another error where that cannot be ensured.
 */
export async function ownDirectory(directory: string, options: OwnerOptions = {}): Promise<DirectoryOwner> {
  const { platform = process.platform, respondWithinMs = RESPOND_WITHIN_MS } = options;
  const olderName = olderNameOf(directory, platform);
  const claim = canLockFiles(platform)
    ? await takeByFile(directory, { platform, respondWithinMs, olderName })
    : await takeBySocket(directory, respondWithinMs, options.fileSystemType);
  if (claim.isTaken) throw new DirectoryInUseError(directory, claim.pid, claim.by);
  try {
    const older = await takeOlderName(directory, { platform, respondWithinMs, olderName });
    return {
      async release() {
        await older?.close();
        await claim.release();
      },
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

async function takeBySocket(directory: string, respondWithinMs: number, givenType?: number): Promise<Claim> {
  const shared = findSharedFileSystem(givenType ?? statfsSync(directory).type);
  if (shared !== undefined) {
    throw new Error(
      `it is on ${shared}, which several machines can use at once, and the others would not see its owner`,
    );
  }
  return electOwner(directory, respondWithinMs);
}

interface OlderPlace {
  readonly platform: NodeJS.Platform;
  readonly respondWithinMs: number;
  readonly olderName: string;
}

async function takeByFile(directory: string, { platform, respondWithinMs, olderName }: OlderPlace): Promise<Claim> {
  const file = await openExclusively(directory, platform);
  if (file !== undefined) return { isTaken: false, ...file };
  // The file says only that there is an owner; its PID is told where older versions look for it.
  const by = await askOwner(olderName, respondWithinMs).catch((): OwnerResponse => ({ state: 'silent' }));
  return { isTaken: true, pid: 'pid' in by ? by.pid : undefined, by };
}

/** What was the whole lock of earlier versions: a name that is made from the path. */
function olderNameOf(directory: string, platform: NodeJS.Platform): string {
  const name = `model-gateway-${createHash('sha256').update(directory).digest('hex')}`;
  if (platform === 'linux') return `\0${name}`;
  if (platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const inside = join(directory, 'owner.sock');
  return inside.length <= LONGEST_SOCKET_PATH ? inside : join(tmpdir(), `${name.slice(0, 40)}.sock`);
}

/**
 * Takes the name by which older versions lock, once the directory is taken: so they are kept out, and are seen. On
 * Linux, containers with one network may have different directories under one path; a version that takes directories
 * themselves has another one then. Undefined where the name cannot be had and no process of an older version has it.
 */
async function takeOlderName(directory: string, place: OlderPlace): Promise<OwnerSocket | undefined> {
  const { platform, respondWithinMs, olderName } = place;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const socket = await listenAsOwner(olderName);
      socket.becomeOwner();
      return socket;
    } catch (error) {
      const code = errorCode(error);
      // A pipe of another Windows user fails with EACCES.
      if (code !== 'EADDRINUSE' && !(code === 'EACCES' && platform === 'win32')) return undefined;
    }
    const response = await askOwner(olderName, respondWithinMs);
    if ('isOlder' in response && !response.isOlder) return undefined;
    if (response.state === 'owner' || response.state === 'silent' || attempt >= MOST_ATTEMPTS) {
      throw new DirectoryInUseError(directory, 'pid' in response ? response.pid : undefined, response);
    }
    const isFile = platform !== 'linux' && platform !== 'win32';
    if (isFile && response.state === 'gone') await unlink(olderName).catch(() => undefined);
  }
}

function describeOwner(ownerPid: number | undefined, response: OwnerResponse): string {
  if ('isThisProcess' in response && response.isThisProcess) {
    return `this very process (PID ${ownerPid}); close the store that has it first`;
  }
  const who = ownerPid === undefined ? 'another process' : `the process with PID ${ownerPid}`;
  const where =
    'host' in response && response.host !== undefined ? ` of the container or machine ${response.host}` : '';
  const how = response.state === 'silent' ? ', which does not answer (it may be stopped)' : '';
  return `${who}${where}${how}; end it, or choose another directory`;
}

/** Explains why a directory could not be taken although it has no owner. */
export function describeOwnershipFailure(error: unknown): string {
  return `One process per directory cannot be ensured here: ${describeFailure(error)}`;
}

function describeFailure(error: unknown): string {
  switch (errorCode(error)) {
    case 'EPERM':
    case 'EOPNOTSUPP':
    case 'ENOTSUP':
    case 'ENOSYS':
    case 'EINVAL':
      return `its file system has no sockets or locks (${errorReason(error)})`;
    default:
      return errorReason(error);
  }
}

/** File systems that several machines can use at once, by the number that `statfs` of Linux gives. */
const SHARED_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0xbacbacbc, 'VMware shared folders'],
  [0x786f4256, 'VirtualBox shared folders'],
  [0x7c7c6673, 'Parallels shared folders'],
]);

/** The name of a file system that machines share; undefined for one of this machine, or that is not known. */
function findSharedFileSystem(statfsType: number): string | undefined {
  // On 32-bit machines the number has a sign.
  return SHARED_TYPES.get(statfsType >>> 0);
}

const openHandle = promisify(openWithCallback);

/** `O_EXLOCK` of macOS and the BSDs, and libuv's flag for Windows; neither is among Node's constants. */
const BSD_LOCK = 0x20 | (constants.O_NONBLOCK ?? 0);
const LOCK_FLAGS: Partial<Record<NodeJS.Platform, number>> = {
  darwin: BSD_LOCK,
  freebsd: BSD_LOCK,
  netbsd: BSD_LOCK,
  openbsd: BSD_LOCK,
  win32: 0x10000000,
};
const OWNER_ONLY = 0o600;
/** Programs that look at new files (virus scanners) hold them for a moment. */
const WINDOWS_ATTEMPTS = 5;
const WINDOWS_WAIT_MS = 50;

/** Whether a system locks files as it opens them. */
function canLockFiles(platform: NodeJS.Platform): boolean {
  return LOCK_FLAGS[platform] !== undefined;
}

/**
 * Opens the file `owner.lock` of a directory so that the system refuses to open it again: in other processes too, and by
 * whatever path. The kernel lets go of it with the process. The file stays. Undefined when another has it; rejects
 * where the system or the file system does not lock.
 */
async function openExclusively(
  directory: string,
  platform: NodeJS.Platform,
): Promise<{ release(): Promise<void> } | undefined> {
  const path = join(directory, 'owner.lock');
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (LOCK_FLAGS[platform] ?? 0);
  const fd = await openUnlessLocked(path, flags, platform);
  if (fd === undefined) return undefined;
  // Where the flag does nothing, a second opening succeeds as the first has.
  const second = await openUnlessLocked(path, flags, platform, 1).catch(() => undefined);
  if (second === undefined) return { release: () => nodeFileSystem.close(fd) };
  await nodeFileSystem.close(second);
  await nodeFileSystem.close(fd);
  throw new Error('its file system locks no files');
}

async function openUnlessLocked(
  path: string,
  flags: number,
  platform: NodeJS.Platform,
  attempts = platform === 'win32' ? WINDOWS_ATTEMPTS : 1,
): Promise<number | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await openHandle(path, flags, OWNER_ONLY);
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'EAGAIN' && code !== 'EBUSY') throw error;
      if (attempt >= attempts) return undefined;
      await delay(WINDOWS_WAIT_MS);
    }
  }
}
