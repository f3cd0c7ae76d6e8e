import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';

import { errorCode } from './file-system.ts';

/** What is at an address where an owner, or a process that wants to become one, listens. */
export type OwnerResponse =
  /** Nobody listens there, and nobody will again. */
  | { readonly state: 'gone' }
  /** Somebody listens and does not respond in time: a stopped process, or one that is very busy. */
  | { readonly state: 'silent' }
  /** The connection was closed without a response: somebody has just stopped listening. */
  | { readonly state: 'leaving' }
  | SpeakingOwner;

/** A process that has responded. */
export interface SpeakingOwner {
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
const INSTANCE = randomUUID();
/** Longer than any response. */
const MOST_CHARACTERS = 1000;

/** Listens at an address: a path, a name of Linux that begins with a zero byte, or a pipe of Windows. */
export function listenAsOwner(address: string): Promise<OwnerSocket> {
  let state: SpeakingOwner['state'] = 'candidate';
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.unref();
      socket.on('error', () => socket.destroy());
      // This side closes the connection: a process that asks and then hangs must not delay `close`. The PID is first,
      // because older versions read a number and nothing behind it.
      socket.end(`${process.pid} ${state} ${INSTANCE} ${hostname()}`, () => socket.destroy());
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
      if (text.length < MOST_CHARACTERS) text += String(piece);
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

/** Connects and leaves again without a question. Rejects when nobody listens. */
export function connectTo(address: string): Promise<void> {
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
    isThisProcess: isOlder ? pid === process.pid : instance === INSTANCE,
    host: host === hostname() ? undefined : host,
    isOlder,
  };
}
