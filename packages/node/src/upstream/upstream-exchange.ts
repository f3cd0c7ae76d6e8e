import { Readable } from 'node:stream';

import {
  type Deadline,
  type DeadlineOwner,
  type Platform,
  type TimerWheel,
  TransportError,
  type TransportPhase,
  type TransportRequest,
  watchPieces,
} from '@model-gateway/core';
import type { Dispatcher } from 'undici';

import { mayRetryOnFreshConnection, toTransportError } from './to-transport-error.ts';
import type { Connection, TrackedAgent, TrackedHandler } from './tracked-agent.ts';

/** The receiver of a response while it arrives. */
export interface ResponseSink {
  /** Header names are lower-case. */
  begin(exchange: UpstreamExchange, status: number, headers: Record<string, string>): void;
  push(exchange: UpstreamExchange, bytes: Uint8Array): void;
  /** Called once, whether or not a response has begun: with an error, or without one when the message was complete. */
  end(error: Error | undefined): void;
}

/** The parts that all exchanges of a transport share. */
export interface ExchangeHost {
  readonly platform: Pick<Platform, 'monotonicNow'>;
  readonly wheel: TimerWheel;
  readonly reusingAgent: TrackedAgent;
  readonly freshAgent: TrackedAgent;
  readonly connectTimeoutMs: number;
  /** Returns the origin and path of a URL in the form that undici needs. */
  readonly targetOf: (url: string) => { readonly origin: string; readonly path: string };
}

/** How long the upstream may take to end the message after the reader left, so that the connection is reused. */
const LINGER_MS = 1000;
/**
 * A connection that had died while it was idle breaks within a round trip of being used. One that breaks later may have
 * given its request to the upstream, which may be at work on it.
 */
const STALE_WITHIN_MS = 1000;

/**
 * One request to an upstream and its response, with every time limit, at most one retry, and exactly one end. The same
 * object is undici's handler and owns the deadline: as closures they were a call's largest allocation
 * (docs/decisions/0016).
 */
export class UpstreamExchange implements TrackedHandler, DeadlineOwner {
  private readonly host: ExchangeHost;
  private readonly request: TransportRequest;
  private readonly sink: ResponseSink;
  private readonly totalAt: number;
  private readonly deadline: Deadline;
  private phase: TransportPhase = 'connect';
  private onAbort: (() => void) | undefined = undefined;
  private controller: Dispatcher.DispatchController | undefined = undefined;
  private connection: Connection | undefined = undefined;
  private wasReused = false;
  /** Bytes that the connection had sent for earlier calls. */
  private bytesBefore = 0;
  /** Time from which bytes of this request may have been sent, on the monotonic clock. */
  private sentAt = 0;
  private hasResponseBegun = false;
  private isRetry = false;
  private isOver = false;

  constructor(host: ExchangeHost, request: TransportRequest, sink: ResponseSink) {
    this.host = host;
    this.request = request;
    this.sink = sink;
    this.totalAt = host.platform.monotonicNow() + request.totalTimeoutMs;
    this.deadline = host.wheel.addFor(this);
  }

  /** Sends the request. The response and every failure go to the sink. */
  start(): void {
    const { signal } = this.request;
    if (signal.aborted) return this.giveUpWith(signal.reason);
    // First a constant: as `handleEvent`, or assigned where it is written, it would be an old object of V8
    // (docs/decisions/0017).
    const onAbort = (): void => this.giveUpWith(signal.reason);
    this.onAbort = onAbort;
    signal.addEventListener('abort', onAbort);
    this.dispatchTo(this.host.reusingAgent);
  }

  /** Notes whether the reader waits for data now; silence of the upstream counts only while it does. */
  setAwaited(isAwaited: boolean): void {
    this.limitTo(isAwaited ? this.request.idleTimeoutMs : Number.POSITIVE_INFINITY);
  }

  pause(): void {
    this.controller?.pause();
  }

  resume(): void {
    this.controller?.resume();
  }

  /** Called when the reader has all the data it needs. The upstream may still end the message properly for a while. */
  leave(reason: Error): void {
    if (this.request.signal.aborted) this.giveUp(reason);
    else this.limitTo(LINGER_MS);
  }

  /** Ends the exchange at once, and its connection with it. */
  giveUp(reason: Error): void {
    if (this.isOver) return;
    this.end(reason);
    if (this.controller !== undefined) this.controller.abort(reason);
    // A connection that is still being opened is for this call alone.
    else if (this.connection?.isOpening === true) this.connection.socket?.destroy(reason);
  }

  onExpire(): void {
    const { phase } = this;
    const limit = phase === 'connect' ? 'connect' : phase === 'headers' ? 'header' : 'idle or total';
    const requestSent = phase !== 'connect';
    this.giveUp(new TransportError(`the ${limit} time limit ran out`, { phase, requestSent, timedOut: true }));
  }

  onConnection(given: Connection): void {
    this.connection = given;
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    // A call that was given up while it waited for its connection must not be sent any more.
    if (this.isOver) return started.abort(new Error('the call was given up before it was sent'));
    this.controller = started;
    this.wasReused = (this.connection?.responses ?? 0) > 0;
    this.phase = 'headers';
    this.sentAt = this.host.platform.monotonicNow();
    if (this.wasReused) this.bytesBefore = this.connection?.socket?.bytesWritten ?? 0;
    this.limitTo(this.request.headersTimeoutMs);
  }

  onResponseStarted(): void {
    this.hasResponseBegun = true;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200 || this.isOver) return;
    this.phase = 'body';
    this.limitTo(this.request.idleTimeoutMs);
    this.sink.begin(this, status, flattenHeaders(headers));
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (!this.isOver) this.sink.push(this, bytes);
  }

  onResponseEnd(): void {
    if (this.connection !== undefined) retire(this.connection);
    this.end(undefined);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.isOver) return;
    if (this.isRetry || !mayRetryOnFreshConnection(error, this.wasStale()))
      return this.end(toTransportError(error, this.phase));
    this.isRetry = true;
    this.dispatchTo(this.host.freshAgent);
  }

  /** Whether the connection had died before this call used it, so that the upstream has not seen its request. */
  private wasStale(): boolean {
    if (!this.wasReused || this.hasResponseBegun) return false;
    const wasWritten = (this.connection?.socket?.bytesWritten ?? 0) > this.bytesBefore;
    return !wasWritten || this.host.platform.monotonicNow() - this.sentAt <= STALE_WITHIN_MS;
  }

  private giveUpWith(reason: unknown): void {
    this.giveUp(reason instanceof Error ? reason : new Error('aborted'));
  }

  private dispatchTo(agent: TrackedAgent): void {
    const { url, method, headers, body } = this.request;
    const { origin, path } = this.host.targetOf(url);
    this.phase = 'connect';
    this.controller = undefined;
    this.connection = undefined;
    this.wasReused = false;
    this.limitTo(this.host.connectTimeoutMs);
    const sent = typeof body === 'function' ? this.toStream(body()) : (body ?? null);
    agent.dispatch({ origin, path, method, headers, body: sent }, this);
  }

  /** The time limit on the headers starts again with each piece: a long upload is not silence of the upstream. */
  private toStream(pieces: AsyncIterable<Uint8Array>): Readable {
    let isFirst = true;
    const onPiece = (): void => {
      // Nothing was sent before, the headers neither.
      if (isFirst) this.sentAt = this.host.platform.monotonicNow();
      isFirst = false;
      if (this.phase === 'headers') this.limitTo(this.request.headersTimeoutMs);
    };
    return Readable.from(watchPieces(pieces, onPiece, (error) => this.giveUp(error)));
  }

  private limitTo(limitMs: number): void {
    if (this.isOver) return;
    this.deadline.setAt(Math.min(this.host.platform.monotonicNow() + limitMs, this.totalAt));
  }

  /** Ends the exchange exactly once: with an error, or without one when the message was complete. */
  private end(error: Error | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.deadline.clear();
    if (this.onAbort !== undefined) this.request.signal.removeEventListener('abort', this.onAbort);
    this.sink.end(error);
  }
}

/** Notes the end of a response. One that ended before its request was sent leaves the connection unusable. */
function retire(connection: Connection): void {
  connection.responses += 1;
  if (connection.socket !== undefined && connection.socket.writableLength > 0) connection.socket.destroy();
}

/** Returns the headers unchanged where none is repeated, which is nearly always the case. */
export function flattenHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  let isFlat = true;
  for (const name in headers) if (typeof headers[name] !== 'string') isFlat = false;
  if (isFlat) return headers as Record<string, string>;
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}
