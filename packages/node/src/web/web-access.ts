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
  readonly timeoutMs: number;
  /** The memory of one thread. */
  readonly maxMemoryMb: number;
}

const DEFAULT_READING_LIMITS: ReadingLimits = { maxThreads: 4, timeoutMs: 15_000, maxMemoryMb: 256 };
/** A scanned page takes a second or two of one processor, and its models 300 MB beside what is counted here. */
const SCAN_LIMITS: ReadingLimits = { maxThreads: 1, timeoutMs: 180_000, maxMemoryMb: 512 };

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

/**
 * Creates a reader that does each reading in a thread of its own, which is ended when it takes too long or too much
 * memory: a page or a file that was made to occupy a parser must not delay the calls of others (docs/decisions/0015).
 */
export function createReadInWorker(limits: ReadingLimits = DEFAULT_READING_LIMITS): ReadInWorker {
  const waiting: (() => void)[] = [];
  let running = 0;
  const enter = async (): Promise<void> => {
    if (running >= limits.maxThreads) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
  };
  const leave = (): void => {
    running -= 1;
    waiting.shift()?.();
  };
  return async (task, signal) => {
    await enter();
    try {
      signal?.throwIfAborted();
      return (await runWorker(task, limits, signal)) as never;
    } finally {
      leave();
    }
  };
}

function runWorker(
  task: ReadingTask,
  { timeoutMs, maxMemoryMb }: ReadingLimits,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const gate: NativeGate = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(findReadingWorker(), {
      workerData: { ...task, gate },
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
      // Text that libraries print must not appear in the gateway's own output.
      stdout: true,
      stderr: true,
    });
    const timer = setTimeout(() => end(new Error('reading took too long')), timeoutMs);
    const onAbort = (): void => end(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    const end = (error: Error | null, result?: unknown): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (error === null) resolve(result);
      else reject(error);
      Atomics.store(gate, GIVEN_UP, 1);
      // A thread that is ended inside of native code takes the process with it. It ends by itself when that returns.
      if (Atomics.load(gate, IN_NATIVE) === 0) worker.terminate().catch(() => undefined);
    };
    worker.once('message', (result) => end(null, result));
    worker.once('error', (error) => end(toReadingError(error)));
    worker.once('exit', () => end(new Error('reading ended without a result')));
  });
}

/** No other page or file can be read either: the caller learns why, unlike of what a parser says. */
function toReadingError(error: Error): Error {
  return isPeerMissing(error) ? new GatewayError('invalid_request', error.message, { cause: error }) : error;
}
