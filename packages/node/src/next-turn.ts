import { setImmediate } from './node-timers.ts';

const waiting: (() => void)[] = [];
let isScheduled = false;

/** Resolves in another turn of the event loop; of all that wait, one in each turn, so that they do not add up. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  setImmediate(resumeFirst);
}

function resumeFirst(): void {
  isScheduled = false;
  waiting.shift()?.();
  schedule();
}
