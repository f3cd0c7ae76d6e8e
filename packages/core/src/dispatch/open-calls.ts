import { createSwapRemoveList } from '../foundation/async/swap-remove-list.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { GenerationObserver } from '../generations/observe/observe-generation.ts';
import type { GatewayRequest } from '../http/request.ts';

export interface OpenCall {
  /** Null for a call whose response comes in one piece. */
  readonly stream: OpenStream | null;
  interrupt(error: GatewayError): void;
}

/** A stream under way. */
export type OpenStream = Pick<GenerationObserver, 'ageMs' | 'running'>;

export interface OpenCalls {
  /** The returned function removes the call again. */
  add(call: OpenCall): () => void;
  interruptAll(error: GatewayError): void;
  streams(): Iterable<OpenStream>;
  /** Calls back whenever a stream begins; for one listener. */
  onStream(listener: () => void): void;
  count(): { readonly calls: number; readonly streams: number };
}

/** Creates an empty list of calls (docs/decisions/0013). */
export function createOpenCalls(): OpenCalls {
  const calls = createSwapRemoveList<OpenCall>();
  let onStream: (() => void) | undefined;
  return {
    add(call) {
      const entry = calls.add(call);
      if (call.stream !== null) onStream?.();
      return () => calls.remove(entry);
    },
    interruptAll(error) {
      // An interrupted call leaves the list.
      for (const { item } of calls.entries.slice()) item.interrupt(error);
    },
    streams: () => calls.entries.flatMap(({ item: { stream } }) => stream ?? []),
    onStream: (listener) => void (onStream = listener),
    count: () => ({
      calls: calls.entries.length,
      streams: calls.entries.filter(({ item }) => item.stream !== null).length,
    }),
  };
}

/** A call under way: the signal that ends all its work, and its entry in the list of open calls. */
export interface TrackedCall {
  /** Fires with a `GatewayError` as its reason. */
  readonly signal: AbortSignal;
  interrupt(error: GatewayError): void;
  /** Call once when everything is recorded. */
  end(): void;
}

/** Tracks a call that ends when its client leaves or the gateway closes. */
export function trackCall(
  openCalls: OpenCalls,
  { signal, abort }: Pick<GatewayRequest, 'signal' | 'abort'>,
  stream: OpenStream | null,
): TrackedCall {
  if (abort === undefined) return trackForwarded(openCalls, signal, stream);
  return { signal, interrupt: abort, end: openCalls.add({ stream, interrupt: abort }) };
}

/** Used for a host's own signal: a second signal fires with it, and for other reasons. */
function trackForwarded(openCalls: OpenCalls, clientSignal: AbortSignal, stream: OpenStream | null): TrackedCall {
  const work = new AbortController();
  const onClientGone = (): void =>
    work.abort(new GatewayError('client_closed_request', 'The client closed the request'));
  if (clientSignal.aborted) onClientGone();
  else clientSignal.addEventListener('abort', onClientGone, { once: true });
  const interrupt = (error: GatewayError): void => work.abort(error);
  const remove = openCalls.add({ stream, interrupt });
  return {
    signal: work.signal,
    interrupt,
    end() {
      remove();
      clientSignal.removeEventListener('abort', onClientGone);
    },
  };
}
