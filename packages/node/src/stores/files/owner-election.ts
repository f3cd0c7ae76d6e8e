import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { temporaryPath } from './atomic-file.ts';
import { errorCode, errorReason } from './file-system.ts';

/** The result of an attempt to take a directory. */
export type Claim =
  | { readonly isTaken: false; release(): Promise<void> }
  /** `pid` is undefined where it cannot be known. */
  | { readonly isTaken: true; readonly pid: number | undefined; readonly by: OwnerResponse };

/** This process's socket, under a name where others look for it. */
interface Candidate {
  readonly name: string;
  readonly socket: OwnerSocket;
}

interface Rival {
  readonly name: string;
  readonly pid: number;
  readonly response: OwnerResponse;
}

/** How to reach a directory. */
interface ClaimPlace {
  readonly directory: string;
  /** A path of the same directory that is short enough for the address of a socket. */
  readonly socketDirectory: string;
  readonly respondWithinMs: number;
}

const CLAIM_NAME = /^owner-(\d+)-[0-9a-f]{16}\.sock$/;
/** Bytes of the longest name that a socket gets here. */
const LONGEST_NAME = 40;
/** The system's limit of a socket's path is 108 bytes with the zero at its end; longer ones would be cut silently. */
const LONGEST_ADDRESS = 107;
const FOR_EVERYONE = 0o666;
const WAIT_MS = 10;
/** Far more than candidates need among themselves. */
const MOST_ROUNDS = 1000;

/**
 * Takes a directory by a socket in it, which is found by whatever path and from whatever namespace, and to which nobody
 * can connect once its process has gone (docs/decisions/0028).
 *
 * Each candidate puts up a socket under a name of its own, then looks for others, and becomes the owner when it finds
 * nobody. Of any two, one was up before the other looked, so never do both find nobody. Of candidates that find each
 * other, the one with the lowest name waits for the others to leave. A socket listens before it gets its name, and no
 * name is used twice: so one that refuses a connection is dead for ever, and any process may remove it.
 *
 * The few calls to the file system are synchronous: a start has nothing else to do, and threads would cost it more.
 */
export async function electOwner(directory: string, respondWithinMs: number): Promise<Claim> {
  const isShort = Buffer.byteLength(directory) + 1 + LONGEST_NAME <= LONGEST_ADDRESS;
  if (isShort) return elect({ directory, socketDirectory: directory, respondWithinMs });
  const folder = openSync(directory, 'r');
  try {
    return await elect({ directory, socketDirectory: `/proc/self/fd/${folder}`, respondWithinMs });
  } finally {
    closeSync(folder);
  }
}

async function elect(place: ClaimPlace): Promise<Claim> {
  let candidate: Candidate | undefined;
  let isElected = false;
  try {
    for (let round = 1; ; round += 1) {
      const rivals = await findRivals(place, candidate);
      const other = rivals.find(({ response }) => isOwner(response) || round > MOST_ROUNDS);
      if (other !== undefined) return { isTaken: true, pid: other.pid, by: other.response };
      if (rivals.length > 0) {
        if (candidate !== undefined && mustYield(candidate, rivals)) {
          await withdraw(place.directory, candidate);
          candidate = undefined;
        }
        await delay(WAIT_MS);
      } else if (candidate === undefined) {
        candidate = await createCandidate(place);
      } else {
        await checkReachable(place, candidate);
        const owner = candidate;
        owner.socket.becomeOwner();
        isElected = true;
        return { isTaken: false, release: () => withdraw(place.directory, owner) };
      }
    }
  } finally {
    if (candidate !== undefined && !isElected) await withdraw(place.directory, candidate);
  }
}

/** A process that listens without responding has to be taken for the owner. */
function isOwner({ state }: OwnerResponse): boolean {
  return state === 'owner' || state === 'silent';
}

function mustYield(candidate: Candidate, rivals: readonly Rival[]): boolean {
  return rivals.some(({ name }) => name < candidate.name);
}

/** Lists the others that live, and removes the sockets of those that have gone. */
async function findRivals(place: ClaimPlace, candidate: Candidate | undefined): Promise<readonly Rival[]> {
  const rivals: Rival[] = [];
  for (const name of readdirSync(place.directory)) {
    const pid = CLAIM_NAME.exec(name)?.[1];
    if (pid === undefined || name === candidate?.name) continue;
    const response = await askOwner(join(place.socketDirectory, name), place.respondWithinMs);
    if (response.state === 'gone') rmSync(join(place.directory, name), { force: true });
    else rivals.push({ name, pid: Number(pid), response });
  }
  return rivals;
}

/** Puts up a socket. Undefined when the owner has swept the socket away before it had its name. */
async function createCandidate({ directory, socketDirectory }: ClaimPlace): Promise<Candidate | undefined> {
  const temporary = temporaryPath('owner.sock');
  const name = `owner-${process.pid}-${randomBytes(8).toString('hex')}.sock`;
  const socket = await listenAsOwner(join(socketDirectory, temporary));
  try {
    // A process that may enter the directory may ask: a dead socket of another user must not look like one that is silent.
    chmodSync(join(directory, temporary), FOR_EVERYONE);
    renameSync(join(directory, temporary), join(directory, name));
    return { name, socket };
  } catch (error) {
    await socket.close();
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A file system may take a socket and still not lead to it. */
async function checkReachable({ socketDirectory }: ClaimPlace, { name }: Candidate): Promise<void> {
  await connectTo(join(socketDirectory, name)).catch((cause: unknown) => {
    throw new Error(`a socket in it cannot be connected to (${errorReason(cause)})`, { cause });
  });
}

async function withdraw(directory: string, { name, socket }: Candidate): Promise<void> {
  try {
    rmSync(join(directory, name), { force: true });
  } catch {
    // The next start removes it, as the name of a dead socket.
  }
  await socket.close();
}

/** What is at an address where an owner, or a process that wants to become one, listens. */
export type OwnerResponse =
  /** No process listens there, and none will again. */
  | { readonly state: 'gone' }
  /** A process listens and does not respond in time: a stopped process, or one that is very busy. */
  | { readonly state: 'silent' }
  /** The connection was closed without a response: a process has just stopped listening. */
  | { readonly state: 'leaving' }
  | SpeakingOwner;

/** A process that has responded. */
interface SpeakingOwner {
  readonly state: 'owner' | 'candidate';
  readonly pid: number;
  readonly isThisProcess: boolean;
  /** The name of its machine or container, where that is not this one. */
  readonly host: string | undefined;
  /** Whether it is of a version whose lock is only a name that is made from the path. */
  readonly isOlder: boolean;
}

/** A socket where other processes ask for this one. It does not keep the process alive. */
export interface OwnerSocket {
  /** Until then those who ask are told that this process only wants to become the owner. */
  becomeOwner(): void;
  close(): Promise<void>;
}

/** Two processes in different containers may have the same PID. */
const INSTANCE_ID = randomUUID();
/** Longer than any response. */
const MAX_RESPONSE_CHARACTERS = 1000;

/** Listens at an address: a path, a name of Linux that begins with a zero byte, or a pipe of Windows. */
export function listenAsOwner(address: string): Promise<OwnerSocket> {
  let state: SpeakingOwner['state'] = 'candidate';
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.unref();
      socket.on('error', () => socket.destroy());
      // This side closes the connection: a process that asks and then hangs must not delay `close`. The PID is first,
      // because older versions read a number and nothing behind it.
      socket.end(`${process.pid} ${state} ${INSTANCE_ID} ${hostname()}`, () => socket.destroy());
    });
    server.once('error', reject);
    server.listen(address, () => {
      server.removeListener('error', reject);
      // Later errors concern one connection only; the socket stays.
      server.on('error', () => undefined);
      server.unref();
      resolve({
        becomeOwner: () => void (state = 'owner'),
        close: () => new Promise((closed) => server.close(() => closed())),
      });
    });
  });
}

/** Asks who listens at an address. Rejects when that cannot be found out. */
export function askOwner(address: string, respondWithinMs: number): Promise<OwnerResponse> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(address);
    const end = (response: OwnerResponse): void => {
      socket.destroy();
      resolve(response);
    };
    socket.setEncoding('utf8');
    socket.setTimeout(respondWithinMs, () => end({ state: 'silent' }));
    socket.on('data', (piece) => {
      if (text.length < MAX_RESPONSE_CHARACTERS) text += String(piece);
    });
    socket.once('end', () => end(parseResponse(text)));
    socket.once('error', (error) => {
      const state = STATE_OF_ERROR[errorCode(error) ?? ''];
      if (state !== undefined) return end({ state });
      socket.destroy();
      reject(error);
    });
  });
}

/** Connects and leaves again without a question. Rejects when no process listens. */
function connectTo(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

const STATE_OF_ERROR: Readonly<Record<string, Exclude<OwnerResponse['state'], SpeakingOwner['state']>>> = {
  ECONNREFUSED: 'gone',
  ENOENT: 'gone',
  ENOTSOCK: 'gone',
  ECONNRESET: 'leaving',
  EPIPE: 'leaving',
  // The queue of a listener that accepts nothing is full.
  EAGAIN: 'silent',
  EACCES: 'silent',
  EPERM: 'silent',
};

function parseResponse(text: string): OwnerResponse {
  const [first = '', state, instance, host] = text.split(' ');
  const pid = Number.parseInt(first, 10);
  if (Number.isNaN(pid)) return { state: 'leaving' };
  const isOlder = state === undefined;
  return {
    state: state === 'candidate' ? 'candidate' : 'owner',
    pid,
    isThisProcess: isOlder ? pid === process.pid : instance === INSTANCE_ID,
    host: host === hostname() ? undefined : host,
    isOlder,
  };
}
