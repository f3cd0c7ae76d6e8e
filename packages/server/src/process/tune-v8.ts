import { setFlagsFromString } from 'node:v8';

/**
 * Sets V8 up for `serve`: many short, similar requests on few processors. Called first, as V8 counts from a function's
 * first call. Read at run time; a flag unknown to V8 is a line on stderr. Only for a process of the gateway's own.
 */
export function tuneV8(): void {
  // Waking four helpers costs several times the CPU of the work (docs/decisions/0018-collections-without-helpers.md).
  setFlagsFromString('--no-parallel-scavenge');
  // A request's path is compiled within two seconds of load, not four (docs/decisions/0019-compiled-after-1000-calls.md).
  setFlagsFromString('--invocation-count-for-turbofan=1000');
}
