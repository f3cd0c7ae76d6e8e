import type { Platform } from './platform.ts';

/** The end of a gateway: decided once, and announced to what is under way. */
export interface Closing {
  hasBegun(): boolean;
  /** Fires when it begins. Where signals belong to requests, one that never fires: such a host ends without notice. */
  signal(): AbortSignal;
  begin(reason: Error): void;
}

/** Creates no signal before the first one is asked for: some runtimes have none outside of requests. */
export function createClosing({ isPerRequest }: Pick<Platform, 'isPerRequest'>): Closing {
  let reason: Error | undefined;
  let shared: AbortController | undefined;
  return {
    hasBegun: () => reason !== undefined,
    signal() {
      if (reason !== undefined) return AbortSignal.abort(reason);
      if (isPerRequest === true) return new AbortController().signal;
      return (shared ??= new AbortController()).signal;
    },
    begin(why) {
      reason ??= why;
      shared?.abort(reason);
    },
  };
}
