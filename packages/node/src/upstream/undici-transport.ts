import {
  createTimerWheel,
  type Platform,
  type Transport,
  TransportError,
  type TransportPhase,
  type TransportRequest,
  type TransportResponse,
} from '@model-gateway/core';
import { Agent, buildConnector, type Dispatcher } from 'undici';

import { createNodePlatform } from '../node-platform.ts';
import { createBodyQueue } from './body-queue.ts';
import { decodeBody } from './decode-body.ts';
import { mayRetryOnFreshConnection, noteBytesRead, toTransportError } from './to-transport-error.ts';

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
  const connector = buildConnector({ timeout: connectTimeoutMs, allowH2: false });
  const connect: buildConnector.connector = (target, callback) => {
    connector(target, (...[error, socket]) => {
      // On failure the socket is null by its types and undefined in fact.
      if (!socket) return callback(error ?? new Error('no socket'), null);
      socket.prependListener('error', (failure: Error) => noteBytesRead(failure, socket.bytesRead));
      callback(null, socket);
    });
  };
  const limits = { connect, allowH2: false, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 };
  const agent = new Agent({ ...limits, keepAliveTimeout: KEEP_ALIVE_MS });
  // Its connections are never idle long enough to be reused, so each of its calls gets a new one.
  const freshAgent = new Agent({ ...limits, keepAliveTimeout: 1, keepAliveMaxTimeout: 1 });
  const targets = new Map<string, { origin: string; path: string }>();

  const targetOf = (url: string): { origin: string; path: string } => {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const { origin, pathname, search } = new URL(url);
    const target = { origin, path: pathname + search };
    if (targets.size < MAX_REMEMBERED_URLS) targets.set(url, target);
    return target;
  };

  const exchange = (request: TransportRequest, dispatcher: Dispatcher): Promise<TransportResponse> =>
    new Promise((resolve, reject) => {
      const { signal } = request;
      let phase: TransportPhase = 'connect';
      let controller: Dispatcher.DispatchController | undefined;
      let isOver = false;

      const deadline = wheel.add(() => {
        const limit = phase === 'connect' ? 'connect' : phase === 'headers' ? 'header' : 'idle or total';
        const error = new TransportError(`the ${limit} time limit ran out`, {
          phase,
          requestSent: phase !== 'connect',
          timedOut: true,
        });
        end(error);
        controller?.abort(error);
      });
      const totalAt = platform.monotonicNow() + request.totalTimeoutMs;
      const limitTo = (limitMs: number): void => deadline.set(Math.min(limitMs, totalAt - platform.monotonicNow()));

      const body = createBodyQueue({
        maxBytes: maxBodyBytes,
        onFirstPiece: () => limitTo(request.idleTimeoutMs),
        onPause: () => {
          // While the reader is the slow side, upstream's silence is our own doing.
          deadline.set(totalAt - platform.monotonicNow());
          controller?.pause();
        },
        onResume: () => {
          limitTo(request.idleTimeoutMs);
          controller?.resume();
        },
        onAbandon: (reason, graceMs) => {
          if (isOver) return;
          if (graceMs === 0 || signal.aborted) {
            end(reason);
            controller?.abort(reason);
          } else deadline.set(graceMs);
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

      const onAbort = (): void => {
        const reason = signal.reason instanceof Error ? signal.reason : new Error('aborted');
        end(reason);
        controller?.abort(reason);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      limitTo(connectTimeoutMs);

      const { origin, path } = targetOf(request.url);
      dispatcher.dispatch(
        { origin, path, method: request.method, headers: request.headers, body: request.body ?? null },
        {
          onRequestStart(started) {
            // A call that was given up while it waited for its connection must not be sent any more.
            if (isOver) return started.abort(new Error('the call was given up before it was sent'));
            controller = started;
            phase = 'headers';
            limitTo(request.headersTimeoutMs);
          },
          onResponseStart(_, status, headers) {
            if (status < 200 || isOver) return;
            phase = 'body';
            limitTo(request.idleTimeoutMs);
            const flat = flattenHeaders(headers);
            resolve({ status, headers: flat, body: decodeBody(body.iterable, flat['content-encoding'], maxBodyBytes) });
          },
          onResponseData(_, bytes) {
            if (!isOver) body.push(bytes);
          },
          onResponseEnd: () => end(undefined),
          onResponseError(_, error) {
            if (isOver) return;
            end(
              phase !== 'body' && mayRetryOnFreshConnection(error)
                ? new StaleConnection(error)
                : toTransportError(error, phase),
            );
          },
        },
      );
    });

  return {
    async send(request) {
      try {
        return await exchange(request, agent);
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error;
      }
      try {
        return await exchange(request, freshAgent);
      } catch (error) {
        throw error instanceof StaleConnection ? toTransportError(error.cause, 'headers') : error;
      }
    },
    async close() {
      await Promise.all([agent.close(), freshAgent.close()]);
    },
  };
}

/** An idle connection turned out dead; the call it was given is sent once more. Never leaves this file. */
class StaleConnection extends Error {
  declare readonly cause: Error;
  constructor(cause: Error) {
    super('stale connection', { cause });
  }
}

function flattenHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}
