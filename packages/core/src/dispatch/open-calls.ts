import type { GatewayError } from '../foundation/errors.ts';
import { addTo, type ListedItem, removeFrom } from '../foundation/swap-remove-list.ts';

/** A call under way. */
export interface OpenCall {
  readonly isStream: boolean;
  /** Ends the call with this error. */
  interrupt(error: GatewayError): void;
}

/** The calls under way. */
export interface OpenCalls {
  /** The returned function takes the call out again. */
  add(call: OpenCall): () => void;
  /** Ends every call that is left. */
  interruptAll(error: GatewayError): void;
  count(): { readonly calls: number; readonly streams: number };
}

interface ListedCall extends OpenCall, ListedItem {}

/** Creates an empty list of calls. */
export function createOpenCalls(): OpenCalls {
  const calls: ListedCall[] = [];
  return {
    add({ isStream, interrupt }) {
      const listed: ListedCall = { place: -1, isStream, interrupt };
      addTo(calls, listed);
      return () => removeFrom(calls, listed);
    },
    interruptAll(error) {
      for (const call of calls.slice()) call.interrupt(error);
    },
    count: () => ({ calls: calls.length, streams: calls.filter(({ isStream }) => isStream).length }),
  };
}
