import { nextTick, setImmediate } from './node-timers.ts';

type Callback = () => void;

let waiting: Callback[] = [];
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
  if (waiting.length === 0) setImmediate(endTurn);
  waiting.push(callback);
}

function endTurn(): void {
  const callbacks = waiting;
  waiting = [];
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
