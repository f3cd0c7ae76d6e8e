import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { createSwapRemoveList } from '../foundation/timers.ts';
import type { CallObserver, CallState, FollowedCall } from '../generations/observer.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { GenerationRepository, RunningCall } from '../stores/store.ts';

interface OpenCall {
  /** Null for a call whose response comes in one piece. */
  readonly stream: OpenStream | null;
  readonly followed: FollowedCall;
  /** Fires when the call is to end. */
  readonly signal: AbortSignal;
  interrupt(error: GatewayError): void;
}

/** A stream under way. */
type OpenStream = Pick<CallObserver, 'ageMs' | 'running'>;

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
  /** Calls back with the id of every call that has ended; for one listener. */
  onEnd(listener: (id: string) => void): void;
  count(): { readonly calls: number; readonly streams: number };
  /** The state of each call that is not ending, those that have run longest first. */
  states(): readonly CallState[];
}

/** Creates an empty list of calls (docs/decisions/0013). */
export function createOpenCalls(): OpenCalls {
  const calls = createSwapRemoveList<OpenCall>();
  let onStream: (() => void) | undefined;
  let onEnd: ((id: string) => void) | undefined;
  const running = (): OpenCall[] => calls.entries.map(({ item }) => item).filter((call) => !isEnding(call));
  return {
    add(call) {
      const entry = calls.add(call);
      if (call.stream !== null) onStream?.();
      return () => {
        calls.remove(entry);
        onEnd?.(call.followed.id());
      };
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
    onEnd: (listener) => void (onEnd = listener),
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
interface TrackedCall {
  /** Fires with a `GatewayError` as its reason. */
  readonly signal: AbortSignal;
  interrupt(error: GatewayError): void;
  /** Call once when everything is recorded. */
  end(): void;
}

/** The call that is tracked. */
type TrackableCall = Pick<OpenCall, 'stream' | 'followed'>;

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

export interface RunningNotesParts {
  readonly openCalls: Pick<OpenCalls, 'streams' | 'onStream'>;
  readonly generations: Pick<GenerationRepository, 'noteRunning'>;
  readonly platform: Pick<Platform, 'setTimer' | 'isPerRequest'>;
  readonly logger: Logger;
}

/** Notes in the store which streams are under way (docs/decisions/0030). */
export interface RunningNotes {
  /** Notes the present state for the last time. */
  close(): Promise<void>;
}

const NOTE_EVERY_MS = 1000;
/** A younger stream is not noted. */
const LEAST_AGE_MS = 1000;

/**
 * Begins to note: one timer for all streams, none without a stream, and nothing at a piece of a stream. Where timers
 * belong to requests nothing is noted.
 */
export function startRunningNotes(parts: RunningNotesParts): RunningNotes {
  const { openCalls, generations, platform, logger } = parts;
  if (generations.noteRunning === undefined || platform.isPerRequest === true)
    return { close: () => Promise.resolve() };
  let isTicking = false;
  let hasNoted = false;
  let hasFailed = false;
  let isClosed = false;
  let cancelTimer = (): void => undefined;
  let noting: Promise<void> = Promise.resolve();

  const note = async (): Promise<void> => {
    const calls: RunningCall[] = [];
    for (const stream of openCalls.streams()) {
      const call = stream.ageMs() < LEAST_AGE_MS ? undefined : stream.running();
      if (call !== undefined) calls.push(call);
    }
    if (calls.length === 0 && !hasNoted) return;
    try {
      await generations.noteRunning?.(calls);
      hasNoted = calls.length > 0;
      hasFailed = false;
    } catch (error) {
      // Logged once, because it is tried again every second.
      if (!hasFailed) logger.warn('running streams could not be recorded', { reason: String(error) });
      hasFailed = true;
    }
  };
  const hasStreams = (): boolean => !openCalls.streams()[Symbol.iterator]().next().done;
  const tick = (): void => {
    noting = note().then(() => {
      isTicking = false;
      if (hasNoted || hasStreams()) begin();
    });
  };
  const begin = (): void => {
    if (isTicking || isClosed) return;
    isTicking = true;
    cancelTimer = platform.setTimer(tick, NOTE_EVERY_MS);
  };

  openCalls.onStream(begin);
  return {
    async close() {
      isClosed = true;
      cancelTimer();
      await noting;
      await note();
    },
  };
}

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
