import { performance } from 'node:perf_hooks';
import process from 'node:process';
import timers from 'node:timers';
import { callbackify } from 'node:util';

/*
 * The timers of Node.js, taken when this module is loaded. Tests put others in the place of the global ones and decide
 * when those fire (`vi.useFakeTimers()`, Jest's too): a gateway in the same process would wait for ever. Its dates do
 * follow such tests, because they ask for no more than what time it is.
 */
export const { clearTimeout, setImmediate, setTimeout } = timers;

/** Those whose timers Jest has faked before this was loaded have its copy of `process`, and know it by the mark. */
const isFaked = 'clock' in process.nextTick;
const afterPromises = callbackify(() => Promise.resolve());

/** Runs the callback after all promise jobs. What Node.js itself does so by is beyond the reach of Jest. */
export const nextTick: (callback: () => void) => void = isFaked
  ? (callback) => afterPromises(() => callback())
  : process.nextTick;

/** Milliseconds since some moment, never set back. */
export const monotonicNow = (): number => performance.now();

/** A timer that does not keep the process running. Returns what cancels it. */
export function setUnrefTimer(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
}
