import { performance } from 'node:perf_hooks';
import process from 'node:process';
import timers from 'node:timers';

/*
 * The timers of Node.js, taken when this module is loaded. Tests put others in the place of the global ones and decide
 * when those fire (`vi.useFakeTimers()`, Jest's too): a gateway in the same process would wait for ever. Its dates do
 * follow such tests, because they ask for no more than what time it is.
 */
export const { clearTimeout, setImmediate, setTimeout } = timers;

/** Not `process` itself: Jest gives each test file a copy, and has changed it before this is loaded if told to. */
export const { nextTick } = process.getBuiltinModule('node:process');

/** Milliseconds since some moment, never set back. */
export const monotonicNow = (): number => performance.now();

/** A timer that does not keep the process running. Returns what cancels it. */
export function setUnrefTimer(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
}
