import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Sets V8's flags for `serve`: many short, similar requests on few processors. Must be called first, because V8 counts
 * a function's calls from its first one. An unknown flag prints a line on stderr. Only for the gateway's own process.
 */
export function tuneV8(): void {
  // Waking four helpers costs several times the CPU of the work (docs/decisions/0018-collections-without-helpers.md).
  setFlagsFromString('--no-parallel-scavenge');
  // A request's path is compiled within two seconds of load, not four (docs/decisions/0019-compiled-after-1000-calls.md).
  setFlagsFromString('--invocation-count-for-turbofan=1000');
  // The heap grows by four fifths between two full collections (docs/decisions/0036-less-memory-under-load.md).
  setFlagsFromString('--heap-growing-percent=80');
}

const LOOK_EVERY_MS = 5000;
/**
 * How often in a row nothing may have been done before memory is released, 45 to 50 s. The collection also drops compiled
 * code, which costs the calls after it most of a second of CPU: it is for a rest, not for a pause between two calls.
 */
const LOOKS_AT_REST = 10;
/** Work between two looks that does not end a rest: timers, a look at the state. */
const IDLE_CPU_MICROSECONDS = 100_000;
/** Less growth is not worth a collection, which holds the process up for some tens of milliseconds. */
const WORTHWHILE_BYTES = 64 * 1024 * 1024;

interface RestWatch {
  /** Calls under way. */
  readonly openCalls: () => number;
  /** CPU time that the process has used so far. */
  readonly cpuMicroseconds: () => number;
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
export function createRestWatch({ openCalls, cpuMicroseconds, residentBytes, release }: RestWatch): () => void {
  let looksAtRest = 0;
  let leastBytes = residentBytes();
  let cpuSoFar = cpuMicroseconds();
  return () => {
    const cpu = cpuMicroseconds();
    // Short calls begin and end between two looks: they show in the CPU time alone.
    const isAtRest = openCalls() === 0 && cpu - cpuSoFar < IDLE_CPU_MICROSECONDS;
    cpuSoFar = cpu;
    looksAtRest = isAtRest ? looksAtRest + 1 : 0;
    if (looksAtRest !== LOOKS_AT_REST || residentBytes() - leastBytes < WORTHWHILE_BYTES) return;
    release();
    leastBytes = residentBytes();
  };
}

/** Watches the process until the returned function is called. Only for the gateway's own process. */
export function releaseMemoryAtRest(openCalls: () => number): () => void {
  const residentBytes = (): number => process.memoryUsage.rss();
  const cpuMicroseconds = (): number => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  const look = createRestWatch({ openCalls, cpuMicroseconds, residentBytes, release: collectAll });
  const timer = setInterval(look, LOOK_EVERY_MS);
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
