import process from 'node:process';

type Callback = () => void;

let waiting: Callback[] = [];
/** True while the callbacks run, and the promise jobs that follow from them. */
let isEnding = false;

/**
 * Runs the callback at the end of this turn of the event loop, in a row with all others of the turn. Their calls then
 * take each step one after another, while its code is in the processor's cache (docs/decisions/0021). Within such a
 * callback, runs a further one in the same turn, after all promise jobs. A callback must not throw: later ones would be
 * lost.
 */
export function atEndOfTurn(callback: Callback): void {
  // A tick that a promise job requests runs after all promise jobs.
  if (isEnding) return process.nextTick(callback);
  if (waiting.length === 0) setImmediate(endTurn);
  waiting.push(callback);
}

function endTurn(): void {
  const callbacks = waiting;
  waiting = [];
  isEnding = true;
  queueMicrotask(() => process.nextTick(stopEnding));
  for (const callback of callbacks) callback();
}

function stopEnding(): void {
  isEnding = false;
}
