import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
  DEFAULT_BODY_LIMIT_BYTES,
  DEFAULT_TIMEOUTS,
  type Gateway,
  type GatewayError,
  type GatewayRequest,
  type Logger,
  NO_SNIFFING,
  requestIdOf,
  toErrorResponse,
} from '@model-gateway/core';

import { createServer } from '../builtin-http.ts';
import { createNodePlatform } from '../node-platform.ts';
import {
  createPublicView,
  createRequestGuard,
  isLoopbackHost,
  type ReachOptions,
  type RequestGuard,
} from './guard-request.ts';
import { respondEarly, respondToMalformed, respondWithRawError, toRawErrorBody } from './respond-early.ts';
import { createBodyMemory, toGatewayRequest } from './to-gateway-request.ts';
import { trackConnections } from './track-connections.ts';
import { writeResponse } from './write-response.ts';

export interface ListenOptions extends ReachOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** The port; 0 selects a free one. */
  readonly port: number;
  /** Default 32 MiB. */
  readonly bodyLimitBytes?: number | undefined;
  /**
   * Bytes that bodies beyond 8 MiB may have together, except forms; what comes on top is refused with 503. A single one
   * is always served. Default: 512 MiB, or four bodies of the largest size.
   */
  readonly bodyMemoryBytes?: number | undefined;
  /**
   * Whether only known `Host` names are served. Default: true on a loopback address, where the gateway has no other
   * names.
   */
  readonly onlyKnownHosts?: boolean | undefined;
  readonly clientWriteTimeoutMs?: number | undefined;
  readonly logger?: Pick<Logger, 'error'> | undefined;
}

export interface Listener {
  /** The address of the listener, such as `http://127.0.0.1:8855`. */
  readonly url: string;
  readonly port: number;
  /**
   * Accepts no more connections, closes idle ones, and closes each of the others after its last response; resolves when
   * all are closed, or have been cut after `drainMs`. Close the gateway first, so that open streams end properly.
   */
  close(drainMs?: number): Promise<void>;
}

/** Slow senders of headers and bodies are disconnected; Node's own defaults are one minute and five minutes. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** A body is held up to four times: as bytes, as text, as what was read of it, and as the text for upstream. */
const BODY_MEMORY_BYTES = 512 * 1024 * 1024;
const BODIES_AT_ONCE = 4;

/**
 * Serves a gateway over HTTP; the caller closes the gateway. Resolves when the server listens; rejects with Node's
 * error when it cannot (`EADDRINUSE`, `EACCES`). A client that ends its side after its request gets its response, if it
 * still reads.
 */
export async function listen(gateway: Gateway, options: ListenOptions): Promise<Listener> {
  const host = options.host ?? '127.0.0.1';
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: 5000,
    noDelay: true,
    // Keep-alive detects a client that has gone without closing its connection, even where nothing is sent.
    keepAlive: true,
    // The guard checks the Host header, in HTTP/1.0 too, and responds with JSON.
    requireHostHeader: false,
  });
  // The guard counts headers itself, because Node drops the surplus without an error.
  server.maxHeadersCount = 0;
  // Node does not document this setting. Without it, a client that ends its side is cut off.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('clientError', respondToMalformed);
  server.on('connect', (_, socket) => respondWithRawError(socket, 405, 'This is no proxy'));
  const connections = trackConnections(server);
  await startListening(server, host, options.port);

  const { port } = server.address() as AddressInfo;
  const { onlyKnownHosts = isLoopbackHost(host) } = options;
  const guard = createRequestGuard({ ...options, host, port, onlyKnownHosts });
  const view = createPublicView(options);
  const bodyLimitBytes = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
  const { bodyMemoryBytes = Math.max(BODY_MEMORY_BYTES, BODIES_AT_ONCE * bodyLimitBytes) } = options;
  const bodyMemory = createBodyMemory(bodyMemoryBytes);
  const write = { clientWriteTimeoutMs: options.clientWriteTimeoutMs ?? DEFAULT_TIMEOUTS.clientWriteMs };
  /** Serves one request. Never rejects. */
  const serve = async (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): Promise<void> => {
    let coreRequest: GatewayRequest | undefined;
    try {
      connections.noteRequest(request, response);
      const refusal = findRefusal(guard, request);
      if (refusal !== undefined) return respondEarly(request, response, toErrorResponse(refusal, headersOf(request)));
      const cors = guard.corsHeaders(request);
      if (request.method === 'OPTIONS') return respondToPreflight(response, guard, request);
      coreRequest = toGatewayRequest(request, response, {
        bodyLimitBytes,
        bodyMemory,
        awaitsContinue,
        originOf: view.originOf,
        remoteAddress: view.clientAddressOf(request),
      });
      const coreResponse = await gateway.handle(coreRequest);
      if (coreResponse.status >= 400 && !request.complete && typeof coreResponse.body === 'string') {
        const { status, headers, body } = coreResponse;
        return respondEarly(request, response, { status, headers: { ...headers, ...cors }, body });
      }
      const written = writeResponse(response, coreResponse, cors === undefined ? write : { ...write, headers: cors });
      if (written !== undefined) await written;
    } catch (error) {
      const told = { requestId: coreRequest?.id, reason: String(error) };
      options.logger?.error('a response could not be written', told);
      response.destroy();
    }
  };
  server.on('request', (request, response) => void serve(request, response, false));
  server.on('checkContinue', (request, response) => void serve(request, response, true));
  server.on('checkExpectation', (request, response) => {
    connections.noteRequest(request, response);
    const headers = { ...headersOf(request), 'content-type': 'application/json' };
    const body = toRawErrorBody(417, 'No expectation but 100-continue can be met');
    respondEarly(request, response, { status: 417, headers, body });
  });

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    close: (drainMs = 0) => connections.close(drainMs),
  };
}

const platform = createNodePlatform();

/** Headers of a response that does not come from the gateway. */
const headersOf = (request: IncomingMessage): Record<string, string> => ({
  ...NO_SNIFFING,
  'x-request-id': requestIdOf(request, platform),
});

function findRefusal(guard: RequestGuard, request: IncomingMessage): GatewayError | undefined {
  try {
    guard.check(request);
    return undefined;
  } catch (error) {
    return error as GatewayError;
  }
}

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function respondToPreflight(response: ServerResponse, guard: RequestGuard, request: IncomingMessage): void {
  response.writeHead(204, {
    ...headersOf(request),
    ...guard.corsHeaders(request),
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? 'authorization, content-type',
    'access-control-max-age': '600',
  });
  response.end();
}
