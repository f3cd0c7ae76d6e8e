import { setFlagsFromString } from 'node:v8';

/**
 * Sets V8 up for what `serve` does: many short requests, all alike, on few processors. Called before anything else, as
 * V8 counts from the first call of a function. It reads these flags at run time; one that a later version has no more
 * is a line on stderr, nothing else. Only for a process that is the gateway's own.
 */
export function tuneV8(): void {
  // There is little to move, and to wake four helpers for it takes several times the CPU of the work
  // (docs/decisions/0018-collections-without-helpers.md).
  setFlagsFromString('--no-parallel-scavenge');
  // The path of a request is compiled for good within its first two seconds under load, not in its fourth
  // (docs/decisions/0019-compiled-early.md).
  setFlagsFromString('--invocation-count-for-turbofan=1000');
}
