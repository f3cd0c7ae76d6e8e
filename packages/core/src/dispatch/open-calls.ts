import type { GatewayError } from '../foundation/errors.ts';
import { createSwapRemoveList } from '../foundation/swap-remove-list.ts';

/** A call under way. */
export interface OpenCall {
  readonly isStream: boolean;
  /** Ends the call with this error. */
  interrupt(error: GatewayError): void;
}

/** The calls under way. */
export interface OpenCalls {
  /** The returned function removes the call again. */
  add(call: OpenCall): () => void;
  /** Ends every call that is left. */
  interruptAll(error: GatewayError): void;
  count(): { readonly calls: number; readonly streams: number };
}

/** Creates an empty list of calls (docs/decisions/0013). */
export function createOpenCalls(): OpenCalls {
  const calls = createSwapRemoveList<OpenCall>();
  return {
    add(call) {
      const entry = calls.add(call);
      return () => calls.remove(entry);
    },
    interruptAll(error) {
      // An interrupted call leaves the list.
      for (const { item } of calls.entries.slice()) item.interrupt(error);
    },
    count: () => ({
      calls: calls.entries.length,
      streams: calls.entries.filter(({ item }) => item.isStream).length,
    }),
  };
}
