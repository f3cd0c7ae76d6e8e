import process from 'node:process';

type Callback = () => void;

let waiting: Callback[] = [];
/** True while the postponed work is being done, together with all work that follows from it at once. */
let isEnding = false;

/**
 * Calls back at the end of this turn of the event loop, together with everything else that was put off in it. What
 * comes in one turn then takes each step of its way side by side, and the processor has the code of a step at hand
 * (docs/decisions/0021-side-by-side.md). When called from what follows from such a callback, calls back as soon as all
 * of that has been done, in the same turn still. A callback must not throw: those behind it would be lost.
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
