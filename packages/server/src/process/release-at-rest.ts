import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 5000;
/** How often in a row nothing may be under way before memory is released. */
const LOOKS_AT_REST = 2;
/** Less growth is not worth a collection, which holds the process up for some tens of milliseconds. */
const WORTHWHILE_BYTES = 64 * 1024 * 1024;

export interface RestWatch {
  /** Calls under way. */
  readonly openCalls: () => number;
  /** The process's resident memory. */
  readonly residentBytes: () => number;
  /** Collects all garbage and returns free memory to the system. */
  readonly release: () => void;
}

/**
 * Creates a function to be called every few seconds, which releases memory once when calls have ended and the process
 * rests. V8 collects when something is allocated: without calls the garbage of the last ones would stay for good
 * (docs/decisions/0032).
 */
export function createRestWatch({ openCalls, residentBytes, release }: RestWatch): () => void {
  let looksAtRest = 0;
  let leastBytes = residentBytes();
  return () => {
    looksAtRest = openCalls() === 0 ? looksAtRest + 1 : 0;
    if (looksAtRest !== LOOKS_AT_REST || residentBytes() - leastBytes < WORTHWHILE_BYTES) return;
    release();
    leastBytes = residentBytes();
  };
}

/** Watches the process until the returned function is called. Only for the gateway's own process. */
export function releaseMemoryAtRest(openCalls: () => number): () => void {
  const residentBytes = (): number => process.memoryUsage.rss();
  const timer = setInterval(createRestWatch({ openCalls, residentBytes, release: collectAll }), LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** `last-resort` also gives the pages that the heap no longer needs back to the system. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
