import process from 'node:process';

type Callback = () => void;

let waiting: Callback[] = [];
/** True while the postponed work is being done, together with all work that follows from it at once. */
let isEnding = false;

/**
 * Calls back at the end of this turn of the event loop, with everything else put off in it: the work of a turn takes
 * each step side by side, with the step's code at hand (docs/decisions/0021-side-by-side.md). Within such a callback,
 * calls back in the same turn, after all that follows from it. A callback must not throw: later ones would be lost.
 */
export function atEndOfTurn(callback: Callback): void {
  // A tick that is asked for within a promise's job comes when no promise has anything to do any more.
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
