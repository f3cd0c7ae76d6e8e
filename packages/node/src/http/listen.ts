import { createServer, type IncomingMessage, STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import {
  createTimerWheel,
  DEFAULT_TIMEOUTS,
  type Gateway,
  type GatewayError,
  type Logger,
  toErrorBody,
} from '@model-gateway/core';

import { createNodePlatform } from '../node-platform.ts';
import { createRequestGuard, type RequestGuard } from './guard-request.ts';
import { createPublicView } from './public-origin.ts';
import { toGatewayRequest } from './to-gateway-request.ts';
import { type WriteOptions, writeResponse } from './write-response.ts';

export interface ListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** 0 picks a free one. */
  readonly port: number;
  /** Default 32 MiB. */
  readonly bodyLimitBytes?: number | undefined;
  /** The address clients know us by, where it differs from the one listened on. */
  readonly publicUrl?: string | null | undefined;
  /** Addresses or CIDR ranges of proxies whose forwarded headers are believed. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Web origins whose pages may call us. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Further `Host` names served on loopback. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly clientWriteTimeoutMs?: number | undefined;
  readonly logger?: Pick<Logger, 'error'> | undefined;
}

export interface Listener {
  /** `http://127.0.0.1:8855` */
  readonly url: string;
  readonly port: number;
  /**
   * Takes no more connections and closes idle ones; resolves when the others have ended, or have been cut after
   * `drainMs`. Close the gateway first, so that open streams end properly.
   */
  close(drainMs?: number): Promise<void>;
}

const DEFAULT_BODY_LIMIT_BYTES = 32 * 1024 * 1024;
/** Slow senders of headers and bodies are cut off; Node's own defaults are a minute and five. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Serves a gateway over HTTP. Resolves when it listens; rejects with Node's error when it cannot (`EADDRINUSE`,
 * `EACCES`). The gateway stays the caller's to close.
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
  });
  // The guard counts headers itself, because Node drops the surplus without a word.
  server.maxHeadersCount = 0;
  server.on('clientError', answerMalformed);
  await startListening(server, host, options.port);

  const { port } = server.address() as AddressInfo;
  const guard = createRequestGuard({
    host,
    port,
    publicUrl: options.publicUrl ?? null,
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
  });
  const view = createPublicView({ publicUrl: options.publicUrl ?? null, trustedProxies: options.trustedProxies ?? [] });
  const bodyLimitBytes = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
  const write: WriteOptions = {
    wheel: createTimerWheel(createNodePlatform()),
    clientWriteTimeoutMs: options.clientWriteTimeoutMs ?? DEFAULT_TIMEOUTS.clientWriteMs,
  };
  let isClosing = false;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isClosing) response.shouldKeepAlive = false;
    try {
      guard.check(request);
    } catch (error) {
      return refuse(request, response, error as GatewayError);
    }
    const cors = guard.corsHeaders(request);
    if (request.method === 'OPTIONS') return answerPreflight(response, guard, request);
    const answer = await gateway.handle(
      toGatewayRequest(request, response, {
        bodyLimitBytes,
        originOf: view.originOf,
        remoteAddress: view.clientAddressOf(request),
      }),
    );
    // A body that was not read to its end would be taken for the next request.
    if (answer.status >= 400 && !request.complete) response.shouldKeepAlive = false;
    await writeResponse(response, answer, { ...write, headers: cors });
  };

  server.on('request', (request, response) => {
    serve(request, response).catch((error: unknown) => {
      options.logger?.error('an answer could not be written', { reason: String(error) });
      response.destroy();
    });
  });

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    close(drainMs = 0) {
      isClosing = true;
      return new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), drainMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
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

function answerPreflight(response: ServerResponse, guard: RequestGuard, request: IncomingMessage): void {
  response.writeHead(204, {
    ...guard.corsHeaders(request),
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? 'authorization, content-type',
    'access-control-max-age': '600',
  });
  response.end();
}

/** Answers without reading the body, and closes: what follows on the connection is not worth trusting. */
function refuse(request: IncomingMessage, response: ServerResponse, error: GatewayError): void {
  const body = JSON.stringify({ error: toErrorBody(error) });
  response.shouldKeepAlive = false;
  response.writeHead(error.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
  request.resume();
}

/** Bytes that are no HTTP request; there is no response object for them. */
function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy();
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'The headers are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'The request took too long to arrive']
        : [400, 'The request is not valid HTTP'];
  const body = JSON.stringify({ error: { code: status, message } });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
