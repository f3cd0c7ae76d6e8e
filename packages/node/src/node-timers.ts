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
const nextTick: (callback: () => void) => void = isFaked
  ? (callback) => afterPromises(() => callback())
  : process.nextTick;

/** Milliseconds since some moment, never set back. */
export const monotonicNow = (): number => performance.now();

/** A timer that does not keep the process running. Returns what cancels it. */
export function setUnrefTimer(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
}

const waitingForTurn: (() => void)[] = [];
let isTurnScheduled = false;

/** Resolves in another turn of the event loop; of all that wait, one in each turn, so that they do not add up. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waitingForTurn.push(resolve);
    scheduleTurn();
  });
}

function scheduleTurn(): void {
  if (isTurnScheduled || waitingForTurn.length === 0) return;
  isTurnScheduled = true;
  setImmediate(resumeFirst);
}

function resumeFirst(): void {
  isTurnScheduled = false;
  waitingForTurn.shift()?.();
  scheduleTurn();
}

type Callback = () => void;

let waitingForEnd: Callback[] = [];
/** True while the callbacks run, and the promise jobs that follow from them. */
let isEnding = false;
/** Its `then` is a promise job as `queueMicrotask` makes one, and no test can put another in its place. */
const ENDED = Promise.resolve();

/**
 * Runs the callback at the end of this turn of the event loop, in a row with all others of the turn. Their calls then
 * take each step one after another, while its code is in the processor's cache (docs/decisions/0021). Within such a
 * callback, runs a further one in the same turn, after all promise jobs. A callback must not throw: later ones would be
 * lost.
 */
export function atEndOfTurn(callback: Callback): void {
  // A tick that a promise job requests runs after all promise jobs.
  if (isEnding) return nextTick(callback);
  if (waitingForEnd.length === 0) setImmediate(endTurn);
  waitingForEnd.push(callback);
}

function endTurn(): void {
  const callbacks = waitingForEnd;
  waitingForEnd = [];
  isEnding = true;
  void ENDED.then(tickBeforeStop);
  for (const callback of callbacks) callback();
}

function tickBeforeStop(): void {
  nextTick(stopEnding);
}

function stopEnding(): void {
  isEnding = false;
}
