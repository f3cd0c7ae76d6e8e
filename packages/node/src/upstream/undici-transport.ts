import {
  createTimerWheel,
  type Platform,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WholeResponse,
} from '@model-gateway/core';

import { createNodePlatform } from '../node-platform.ts';
import { createStreamSink, WholeSink } from './sinks.ts';
import { createTrackedAgent } from './tracked-agent.ts';
import { type ExchangeHost, UpstreamExchange } from './upstream-exchange.ts';

export interface UndiciTransportOptions {
  /** Limit on look-up, connection and TLS handshake together. Default 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** Limit on one decoded response body. Default 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Default: Node's own. Tests pass another clock. */
  readonly platform?: Platform | undefined;
}

export interface UndiciTransport extends Required<Transport> {
  /** Waits for the running calls, then closes all connections. */
  close(): Promise<void>;
}

const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
const KEEP_ALIVE_MS = 30_000;
const MAX_REMEMBERED_URLS = 1000;

/**
 * Creates a transport on its own undici agent, without redirects or proxies from the environment. It calls `dispatch`,
 * at two thirds of the cost of iterating over body streams. Time limits share one wheel, because undici's are coarse.
 */
export function createUndiciTransport(options: UndiciTransportOptions = {}): UndiciTransport {
  const connectTimeoutMs = options.connectTimeoutMs ?? 10_000;
  const maxBodyBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
  const platform = options.platform ?? createNodePlatform();
  const wheel = createTimerWheel(platform);
  const reusingAgent = createTrackedAgent({ connectTimeoutMs, keepAliveMs: KEEP_ALIVE_MS });
  // The connections of this agent are never idle long enough to be reused, so each of its calls gets a new one.
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

  const host: ExchangeHost = { platform, wheel, reusingAgent, freshAgent, connectTimeoutMs, targetOf };

  const send = (request: TransportRequest): Promise<TransportResponse> =>
    new Promise((resolve, reject) => {
      const maxBytes = request.maxBodyBytes ?? maxBodyBytes;
      const sink = createStreamSink({ maxBytes, resolve, reject });
      new UpstreamExchange(host, request, sink).start();
    });

  const sendWhole = (request: TransportRequest): Promise<WholeResponse> =>
    new Promise((resolve, reject) => {
      const sink = new WholeSink(request.maxBodyBytes ?? maxBodyBytes, resolve, reject);
      new UpstreamExchange(host, request, sink).start();
    });

  return {
    send,
    sendWhole,
    async close() {
      await Promise.all([reusingAgent.close(), freshAgent.close()]);
    },
  };
}
