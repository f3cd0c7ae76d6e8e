import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { errorCode, errorReason } from './file-system.ts';

/** The right to use a directory, held until it is released or the process dies. */
export interface DirectoryOwner {
  release(): Promise<void>;
}

/** Thrown when another process, or another store in this one, uses the directory. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
  /** Undefined when the owner does not respond, for instance because it is stopped. */
  readonly ownerPid: number | undefined;

  constructor(directory: string, ownerPid: number | undefined) {
    super(`The data directory ${directory} is in use by ${describeOwner(ownerPid)}`);
    this.ownerPid = ownerPid;
  }
}

/** Options for tests: conditions that this machine does not have or that would take long. */
export interface OwnerOptions {
  readonly platform?: NodeJS.Platform | undefined;
  /** After this time an owner counts as one that does not respond. */
  readonly respondWithinMs?: number | undefined;
}

const RESPOND_WITHIN_MS = 1000;
const LONGEST_SOCKET_PATH = 100;

/**
 * Takes a directory by a socket that the kernel closes with the process: there is no lock file to be left behind, no
 * clock is compared, and a stopped process keeps its directories. Other processes ask the socket for the owner's PID;
 * it does not keep the process alive. Symbolic links of `directory` are resolved. Throws `DirectoryInUseError` at once
 * when it is taken. On Linux the name lives in the network namespace: containers that share a volume do not see one
 * another's.
 */
export async function ownDirectory(
  directory: string,
  { platform = process.platform, respondWithinMs = RESPOND_WITHIN_MS }: OwnerOptions = {},
): Promise<DirectoryOwner> {
  const address = addressOf(directory, platform);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listenAt(address);
    } catch (error) {
      const code = errorCode(error);
      // A pipe of another Windows user fails with EACCES.
      if (code !== 'EADDRINUSE' && !(code === 'EACCES' && platform === 'win32')) throw error;
    }
    const response = await askOwner(address, respondWithinMs);
    if (response.isAlive || attempt > 3) throw new DirectoryInUseError(directory, response.pid);
    // Only a socket in the file system outlives its process. When two processes start here at once, both can remove it,
    // and the first to listen loses its name. That is accepted: this is for systems that offer nothing better.
    if (isFile(platform)) await unlink(address).catch(() => undefined);
  }
}

function addressOf(directory: string, platform: NodeJS.Platform): string {
  const name = `model-gateway-${createHash('sha256').update(directory).digest('hex')}`;
  if (platform === 'linux') return `\0${name}`;
  if (platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const inside = join(directory, 'owner.sock');
  return inside.length <= LONGEST_SOCKET_PATH ? inside : join(tmpdir(), `${name.slice(0, 40)}.sock`);
}

function isFile(platform: NodeJS.Platform): boolean {
  return platform !== 'linux' && platform !== 'win32';
}

function listenAt(address: string): Promise<DirectoryOwner> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.unref();
      socket.on('error', () => socket.destroy());
      // The owner closes the connection itself: a process that asks and then hangs must not delay `release`.
      socket.end(String(process.pid), () => socket.destroy());
    });
    server.once('error', reject);
    server.listen(address, () => {
      server.removeListener('error', reject);
      // Later errors concern one connection only; the directory stays taken.
      server.on('error', () => undefined);
      server.unref();
      resolve({ release: () => closeServer(server) });
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function askOwner(
  address: string,
  respondWithinMs: number,
): Promise<{ readonly isAlive: boolean; readonly pid: number | undefined }> {
  return new Promise((resolve) => {
    let response = '';
    const socket = connect(address);
    const end = (isAlive: boolean): void => {
      socket.destroy();
      const pid = Number.parseInt(response, 10);
      resolve({ isAlive, pid: Number.isNaN(pid) ? undefined : pid });
    };
    socket.setEncoding('latin1');
    socket.setTimeout(respondWithinMs, () => end(true));
    socket.on('data', (text) => (response += String(text)));
    socket.once('end', () => end(true));
    socket.once('error', (error) => end(!isGone(error)));
  });
}

function isGone(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(errorCode(error) ?? '');
}

function describeOwner(ownerPid: number | undefined): string {
  if (ownerPid === undefined) {
    return 'another process that does not answer (it may be stopped); end it, or choose another directory';
  }
  return ownerPid === process.pid
    ? `this very process (PID ${ownerPid}); close the store that has it first`
    : `the process with PID ${ownerPid}; end it, or choose another directory`;
}

/** Explains why a directory could not be taken although it has no owner, on a system that forbids such sockets. */
export function describeOwnershipFailure(error: unknown): string {
  return `One process per directory cannot be ensured here: ${errorReason(error)}`;
}
