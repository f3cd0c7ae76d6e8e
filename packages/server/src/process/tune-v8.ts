import { setFlagsFromString } from 'node:v8';

/**
 * Sets V8's flags for `serve`: many short, similar requests on few processors. Must be called first, because V8 counts
 * a function's calls from its first one. An unknown flag prints a line on stderr. Only for the gateway's own process.
 */
export function tuneV8(): void {
  // Waking four helpers costs several times the CPU of the work (docs/decisions/0018-collections-without-helpers.md).
  setFlagsFromString('--no-parallel-scavenge');
  // A request's path is compiled within two seconds of load, not four (docs/decisions/0019-compiled-after-1000-calls.md).
  setFlagsFromString('--invocation-count-for-turbofan=1000');
}
