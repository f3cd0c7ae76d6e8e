import { GatewayError } from '../foundation/errors.ts';
import { createSwapRemoveList } from '../foundation/swap-remove-list.ts';
import type { CallState, FollowedCall, GenerationObserver } from '../generations/observer.ts';
import type { GatewayRequest } from '../http/request.ts';

export interface OpenCall {
  /** Null for a call whose response comes in one piece. */
  readonly stream: OpenStream | null;
  readonly followed: FollowedCall;
  /** Fires when the call is to end. */
  readonly signal: AbortSignal;
  interrupt(error: GatewayError): void;
}

/** A stream under way. */
export type OpenStream = Pick<GenerationObserver, 'ageMs' | 'running'>;

export interface OpenCalls {
  /** The returned function removes the call again. */
  add(call: OpenCall): () => void;
  interruptAll(error: GatewayError): void;
  /** Ends one call. False when it is not under way, or is ending already. */
  interrupt(id: string, error: GatewayError): boolean;
  /** Whether a call is under way, or ending. */
  has(id: string): boolean;
  streams(): Iterable<OpenStream>;
  /** Calls back whenever a stream begins; for one listener. */
  onStream(listener: () => void): void;
  count(): { readonly calls: number; readonly streams: number };
  /** The state of each call that is not ending, those that have run longest first. */
  states(): readonly CallState[];
}

/** Creates an empty list of calls (docs/decisions/0013). */
export function createOpenCalls(): OpenCalls {
  const calls = createSwapRemoveList<OpenCall>();
  let onStream: (() => void) | undefined;
  const running = (): OpenCall[] => calls.entries.map(({ item }) => item).filter((call) => !isEnding(call));
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
    interrupt(id, error) {
      const found = running().find(({ followed }) => followed.id() === id);
      found?.interrupt(error);
      return found !== undefined;
    },
    has: (id) => calls.entries.some(({ item }) => item.followed.id() === id),
    streams: () => calls.entries.flatMap(({ item: { stream } }) => stream ?? []),
    onStream: (listener) => void (onStream = listener),
    count: () => ({
      calls: calls.entries.length,
      streams: calls.entries.filter(({ item }) => item.stream !== null).length,
    }),
    states: () =>
      running()
        .map(({ followed }) => followed.state())
        .toSorted((one, other) => one.startedAt - other.startedAt || (one.call.id < other.call.id ? -1 : 1)),
  };
}

const isEnding = ({ followed, signal }: OpenCall): boolean => signal.aborted || followed.isSettled();

/** A call under way: the signal that ends all its work, and its entry in the list of open calls. */
export interface TrackedCall {
  /** Fires with a `GatewayError` as its reason. */
  readonly signal: AbortSignal;
  interrupt(error: GatewayError): void;
  /** Call once when everything is recorded. */
  end(): void;
}

/** The call that is tracked. */
export type TrackableCall = Pick<OpenCall, 'stream' | 'followed'>;

/** Tracks a call that ends when its client leaves, the gateway closes or its operator cancels it. */
export function trackCall(
  openCalls: OpenCalls,
  { signal, abort }: Pick<GatewayRequest, 'signal' | 'abort'>,
  { stream, followed }: TrackableCall,
): TrackedCall {
  if (abort === undefined) return trackForwarded(openCalls, signal, { stream, followed });
  return { signal, interrupt: abort, end: openCalls.add({ stream, followed, signal, interrupt: abort }) };
}

/** Used for a host's own signal: a second signal fires with it, and for other reasons. */
function trackForwarded(
  openCalls: OpenCalls,
  clientSignal: AbortSignal,
  { stream, followed }: TrackableCall,
): TrackedCall {
  const work = new AbortController();
  const onClientGone = (): void =>
    work.abort(new GatewayError('client_closed_request', 'The client closed the request'));
  if (clientSignal.aborted) onClientGone();
  else clientSignal.addEventListener('abort', onClientGone, { once: true });
  const interrupt = (error: GatewayError): void => work.abort(error);
  const remove = openCalls.add({ stream, followed, signal: work.signal, interrupt });
  return {
    signal: work.signal,
    interrupt,
    end() {
      remove();
      clientSignal.removeEventListener('abort', onClientGone);
    },
  };
}
