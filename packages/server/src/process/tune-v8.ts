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
  // Half the space for new objects does the same work in less memory (docs/decisions/0036-less-memory-under-load.md).
  if (isAtLeastV8(13)) setFlagsFromString('--scavenger-max-new-space-capacity-mb=16');
}

/** Older ones do not know the flag, and have that space by themselves. */
const isAtLeastV8 = (major: number): boolean => Number.parseInt(process.versions.v8, 10) >= major;
