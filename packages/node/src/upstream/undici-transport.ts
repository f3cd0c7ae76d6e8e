import {
  createTimerWheel,
  type Platform,
  type Transport,
  TransportError,
  type TransportPhase,
  type TransportRequest,
  type TransportResponse,
} from '@model-gateway/core';
import type { Dispatcher } from 'undici';

import { createNodePlatform } from '../node-platform.ts';
import { createBodyQueue } from './body-queue.ts';
import { decodeBody } from './decode-body.ts';
import { mayRetryOnFreshConnection, toTransportError } from './to-transport-error.ts';
import { type Connection, createTrackedAgent, type TrackedAgent, type TrackedHandler } from './tracked-agent.ts';

export interface UndiciTransportOptions {
  /** Limit on look-up, connection and TLS handshake together. Default 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** Limit on one decoded answer. Default 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Default: Node's own. Tests hand in another clock. */
  readonly platform?: Platform | undefined;
}

export interface UndiciTransport extends Transport {
  /** Waits for calls under way, then closes all connections. */
  close(): Promise<void>;
}

const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
const KEEP_ALIVE_MS = 30_000;
const MAX_REMEMBERED_URLS = 1000;

/**
 * Creates a transport on an undici agent of its own. Redirects are not followed, proxies in the environment not used.
 *
 * Speaks to undici's `dispatch`, which costs two thirds of iterating over its body streams. All time limits are kept
 * here, on one wheel, because undici's own are coarse.
 */
export function createUndiciTransport(options: UndiciTransportOptions = {}): UndiciTransport {
  const connectTimeoutMs = options.connectTimeoutMs ?? 10_000;
  const maxBodyBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
  const platform = options.platform ?? createNodePlatform();
  const wheel = createTimerWheel(platform);
  const reusingAgent = createTrackedAgent({ connectTimeoutMs, keepAliveMs: KEEP_ALIVE_MS });
  // Its connections are never idle long enough to be reused, so each of its calls gets a new one.
  const freshAgent = createTrackedAgent({ connectTimeoutMs, keepAliveMs: 1 });
  const targets = new Map<string, { origin: string; path: string }>();

  const targetOf = (url: string): { origin: string; path: string } => {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const { origin, pathname, search } = new URL(url);
    const target = { origin, path: pathname + search };
    if (targets.size < MAX_REMEMBERED_URLS) targets.set(url, target);
    return target;
  };

  const send = (request: TransportRequest): Promise<TransportResponse> =>
    new Promise((resolve, reject) => {
      const { signal } = request;
      let phase: TransportPhase = 'connect';
      let controller: Dispatcher.DispatchController | undefined;
      let connection: Connection | undefined;
      let wasReused = false;
      let hasAnswerBegun = false;
      let isRetry = false;
      let isOver = false;

      const deadline = wheel.add(() => {
        const limit = phase === 'connect' ? 'connect' : phase === 'headers' ? 'header' : 'idle or total';
        const requestSent = phase !== 'connect';
        giveUp(new TransportError(`the ${limit} time limit ran out`, { phase, requestSent, timedOut: true }));
      });
      const totalAt = platform.monotonicNow() + request.totalTimeoutMs;
      const limitTo = (limitMs: number): void => {
        if (!isOver) deadline.set(Math.min(limitMs, totalAt - platform.monotonicNow()));
      };

      const body = createBodyQueue({
        maxBytes: request.maxBodyBytes ?? maxBodyBytes,
        // While the reader is the slow side, upstream's silence is not what is waited for.
        onUnread: () => limitTo(Number.POSITIVE_INFINITY),
        onTaken: () => limitTo(request.idleTimeoutMs),
        onPause: () => controller?.pause(),
        onResume: () => controller?.resume(),
        onAbandon: (reason, graceMs) => {
          if (graceMs === 0 || signal.aborted) giveUp(reason);
          else limitTo(graceMs);
        },
      });

      /** Ends the exchange exactly once: with an error, or without one when the message was complete. */
      const end = (error: Error | undefined): void => {
        if (isOver) return;
        isOver = true;
        deadline.clear();
        signal.removeEventListener('abort', onAbort);
        if (error !== undefined) reject(error);
        body.end(error);
      };

      const giveUp = (reason: Error): void => {
        if (isOver) return;
        end(reason);
        if (controller !== undefined) controller.abort(reason);
        // What is being opened is for this call alone.
        else if (connection?.isOpening === true) connection.socket?.destroy(reason);
      };

      const onAbort = (): void => giveUp(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });

      const { origin, path } = targetOf(request.url);
      const { method, headers } = request;
      const handler: TrackedHandler = {
        onConnection(given) {
          connection = given;
        },
        onRequestStart(started) {
          // A call that was given up while it waited for its connection must not be sent any more.
          if (isOver) return started.abort(new Error('the call was given up before it was sent'));
          controller = started;
          wasReused = (connection?.answers ?? 0) > 0;
          phase = 'headers';
          limitTo(request.headersTimeoutMs);
        },
        onResponseStarted() {
          hasAnswerBegun = true;
        },
        onResponseStart(_, status, answered) {
          if (status < 200 || isOver) return;
          phase = 'body';
          limitTo(request.idleTimeoutMs);
          const flat = flattenHeaders(answered);
          const limit = request.maxBodyBytes ?? maxBodyBytes;
          resolve({ status, headers: flat, body: decodeBody(body.iterable, flat['content-encoding'], limit) });
        },
        onResponseData(_, bytes) {
          if (!isOver) body.push(bytes);
        },
        onResponseEnd() {
          if (connection !== undefined) retire(connection);
          end(undefined);
        },
        onResponseError(_, error) {
          if (isOver) return;
          const mayRetry = !isRetry && mayRetryOnFreshConnection(error, wasReused && !hasAnswerBegun);
          if (!mayRetry) return end(toTransportError(error, phase));
          isRetry = true;
          dispatchTo(freshAgent);
        },
      };
      const dispatchTo = (agent: TrackedAgent): void => {
        phase = 'connect';
        controller = undefined;
        connection = undefined;
        wasReused = false;
        limitTo(connectTimeoutMs);
        agent.dispatch({ origin, path, method, headers, body: request.body ?? null }, handler);
      };
      dispatchTo(reusingAgent);
    });

  return {
    send,
    async close() {
      await Promise.all([reusingAgent.close(), freshAgent.close()]);
    },
  };
}

/** Notes the end of an answer. One that came before all of its request was sent leaves the next one no way through. */
function retire(connection: Connection): void {
  connection.answers += 1;
  if (connection.socket !== undefined && connection.socket.writableLength > 0) connection.socket.destroy();
}

function flattenHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}
