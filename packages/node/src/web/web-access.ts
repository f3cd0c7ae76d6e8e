import { Worker } from 'node:worker_threads';

import { createSearchEngine, GatewayError, type SearchEngineName, type WebAccess } from '@model-gateway/core';

import { createGuardedTransport } from '../guarded/guarded-transport.ts';
import { isPeerMissing } from '../load-peer.ts';
import { clearTimeout, setTimeout } from '../node-timers.ts';
import { GIVEN_UP, IN_NATIVE, type NativeGate } from '../recognition/native-gate.ts';
import type { ReadingResult, ReadingTask } from './reading.ts';

export interface WebAccessOptions {
  /** Limit on look-up, connection and TLS handshake together. Default 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** The engine that searches the web. Default: none. */
  readonly search?:
    | {
        readonly engine: SearchEngineName;
        /** Default: the engine's public address; SearXNG has none. */
        readonly baseUrl?: string | undefined;
        readonly apiKey?: string | undefined;
      }
    | undefined;
}

/** Creates the access to the web for server tools and plugins: public addresses only, and text from pages and PDFs. */
export function createWebAccess({ connectTimeoutMs, search }: WebAccessOptions = {}): WebAccess {
  // The engine's address is the operator's choice, and often on the same machine.
  const toEngine = createGuardedTransport({ connectTimeoutMs, allowPrivateNetwork: true });
  const readInWorker = createReadInWorker();
  const recogniseInWorker = createReadInWorker(SCAN_LIMITS);
  return {
    transport: createGuardedTransport({ connectTimeoutMs }),
    readHtml: (html) => readInWorker({ kind: 'html', html }),
    readPdf: (bytes) => readInWorker({ kind: 'pdf', bytes }),
    recognisePdf: (bytes, { pages, signal }) => recogniseInWorker({ kind: 'scan', bytes, pages }, signal),
    searchEngine: search && createSearchEngine(search.engine, { ...search, transport: toEngine }),
  };
}

interface ReadingLimits {
  /** Readings under way at a time; others wait. */
  readonly maxThreads: number;
  /** Further ones are refused. */
  readonly maxWaiting: number;
  readonly timeoutMs: number;
  /** The memory of one thread. */
  readonly maxMemoryMb: number;
}

const DEFAULT_READING_LIMITS: ReadingLimits = { maxThreads: 4, maxWaiting: 200, timeoutMs: 15_000, maxMemoryMb: 256 };
/** A scanned page takes a second or two of one processor, and its models 300 MB beside what is counted here. */
const SCAN_LIMITS: ReadingLimits = { maxThreads: 1, maxWaiting: 20, timeoutMs: 180_000, maxMemoryMb: 512 };

/**
 * On the sources, as tests run, Node.js takes the types out of the file by itself. Found out when something is read: in
 * a bundle of CommonJS there is no `import.meta.url`, and all else works without.
 */
const findReadingWorker = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? './reading-worker.ts' : './reading-worker.js', import.meta.url);

/**
 * Reads an untrusted page or file. Rejects for one that cannot be read within the limits, and as soon as the signal
 * fires.
 */
type ReadInWorker = <Kind extends ReadingTask['kind']>(
  task: Extract<ReadingTask, { kind: Kind }>,
  signal?: AbortSignal,
) => Promise<ReadingResult[Kind]>;

/** A thread that reads. */
interface Reading {
  readonly result: Promise<unknown>;
  /** Resolves when the thread is over, which is later where it was given up within native code. Never rejects. */
  readonly exited: Promise<void>;
}

/**
 * Creates a reader that does each reading in a thread of its own, which is ended when it takes too long or too much
 * memory: a page or a file that was made to occupy a parser must not delay the calls of others (docs/decisions/0015).
 * A thread counts until it is over, so that there are never more of them.
 */
export function createReadInWorker(
  limits: ReadingLimits = DEFAULT_READING_LIMITS,
  start: typeof startWorker = startWorker,
): ReadInWorker {
  const waiting = new Set<() => void>();
  let running = 0;
  const enter = async (signal: AbortSignal | undefined): Promise<void> => {
    if (running >= limits.maxThreads) await takeTurn(signal);
    else running += 1;
  };
  const takeTurn = async (signal: AbortSignal | undefined): Promise<void> => {
    if (waiting.size >= limits.maxWaiting) {
      throw new GatewayError('provider_overloaded', 'Too many pages and files wait to be read; try again shortly', {
        retryAfterSeconds: 10,
      });
    }
    await new Promise<void>((resolve, reject) => {
      const onTurn = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        waiting.delete(onTurn);
        reject(signal?.reason as Error);
      };
      waiting.add(onTurn);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  };
  /** The place goes to the one that has waited for longest. */
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) return void (running -= 1);
    waiting.delete(next);
    next();
  };
  return async (task, signal) => {
    signal?.throwIfAborted();
    await enter(signal);
    let reading: Reading;
    try {
      signal?.throwIfAborted();
      reading = start(task, limits, signal);
    } catch (error) {
      leave();
      throw error;
    }
    void reading.exited.then(leave);
    return (await reading.result) as never;
  };
}

function startWorker(
  task: ReadingTask,
  { timeoutMs, maxMemoryMb }: Pick<ReadingLimits, 'timeoutMs' | 'maxMemoryMb'>,
  signal: AbortSignal | undefined,
): Reading {
  const gate: NativeGate = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(findReadingWorker(), {
    workerData: { ...task, gate },
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
    // Text that libraries print must not appear in the gateway's own output.
    stdout: true,
    stderr: true,
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const result = new Promise<unknown>((resolve, reject) => {
    const timer = setTimeout(() => end(new Error('reading took too long')), timeoutMs);
    const onAbort = (): void => end(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    const end = (error: Error | null, read?: unknown): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (error === null) resolve(read);
      else reject(error);
      Atomics.store(gate, GIVEN_UP, 1);
      // A thread that is ended inside of native code takes the process with it. It ends by itself when that returns.
      if (Atomics.load(gate, IN_NATIVE) === 0) worker.terminate().catch(() => undefined);
    };
    worker.once('message', (read) => end(null, read));
    worker.once('error', (error) => end(toReadingError(error)));
    worker.once('exit', () => end(new Error('reading ended without a result')));
  });
  return { result, exited };
}

/** No other page or file can be read either: the caller learns why, unlike of what a parser says. */
function toReadingError(error: Error): Error {
  return isPeerMissing(error) ? new GatewayError('invalid_request', error.message, { cause: error }) : error;
}
