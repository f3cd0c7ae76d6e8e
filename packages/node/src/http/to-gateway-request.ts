import type { IncomingMessage, ServerResponse } from 'node:http';

import { GatewayError, type GatewayRequest } from '@model-gateway/core';

import { atEndOfTurn } from '../node-timers.ts';

export interface NodeRequestOptions {
  /** Largest body in bytes. */
  readonly bodyLimitBytes: number;
  /** Whether the client waits for permission to send its body (`Expect: 100-continue`) and has not received it yet. */
  readonly awaitsContinue?: boolean | undefined;
  /** Path and query as seen from the mount. Default: those of Node's request. */
  readonly url?: string | undefined;
  /** Where the gateway is mounted, without a trailing slash; empty at the root. */
  readonly mountPath?: string | undefined;
  /** Public origin, without a trailing slash: `https://host`. */
  readonly originOf: (request: IncomingMessage) => string;
  /** The body, where an earlier handler has parsed it. */
  readonly json?: unknown;
  readonly remoteAddress?: string | undefined;
  readonly principal?: GatewayRequest['principal'];
  readonly authenticate?: GatewayRequest['authenticate'];
}

/**
 * Builds the core's request from Node's. Its signal fires when the connection closes before the whole response was
 * sent; nothing has to be cleaned up (docs/decisions/0004).
 */
export function toGatewayRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: NodeRequestOptions,
): GatewayRequest {
  const client = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) {
      client.abort(clientLeft());
    }
  });
  const url = options.url ?? request.url ?? '/';
  const queryAt = url.indexOf('?');
  const mountPath = options.mountPath ?? '';
  return {
    // Set by the gateway. Named here, because an object that gets a member later costs more.
    id: undefined,
    method: request.method ?? 'GET',
    path: queryAt === -1 ? url : url.slice(0, queryAt),
    query: queryAt === -1 ? '' : url.slice(queryAt + 1),
    headers: request.headers,
    readBody(limitBytes = options.bodyLimitBytes) {
      if (isTooLong(request, limitBytes)) return Promise.reject(tooLarge(limitBytes));
      if (options.awaitsContinue === true) response.writeContinue();
      return readBody(request, limitBytes);
    },
    async *openBody(limitBytes = options.bodyLimitBytes) {
      if (isTooLong(request, limitBytes)) throw tooLarge(limitBytes);
      if (options.awaitsContinue === true) response.writeContinue();
      yield* openBody(request, limitBytes);
    },
    json: options.json,
    signal: client.signal,
    abort: (reason) => client.abort(reason),
    // Not a getter: an accessor gives each such object a hidden class, which costs more to collect than the request.
    baseUrl: options.originOf(request) + mountPath,
    remoteAddress: options.remoteAddress,
    peerAddress: request.socket.remoteAddress,
    principal: options.principal,
    authenticate: options.authenticate,
  };
}

function readBody(request: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    // The client may leave before the body is read: while the host looks the caller up, for instance.
    if (request.destroyed) return reject(clientLeft());
    const pieces: Buffer[] = [];
    let total = 0;
    request.on('data', (piece: Buffer) => {
      total += piece.byteLength;
      if (total <= limitBytes) return void pieces.push(piece);
      // Present and later bytes are discarded, so that the client can finish sending and read the response.
      pieces.length = 0;
      request.removeAllListeners('data');
      request.resume();
      reject(tooLarge(limitBytes));
    });
    request.on('end', () => {
      const body = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      atEndOfTurn(() => resolve(body));
    });
    request.on('close', () => {
      if (!request.readableEnded) reject(clientLeft());
    });
  });
}

async function* openBody(request: IncomingMessage, limitBytes: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  try {
    // The connection stays open for the response when the pieces are left early.
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      total += piece.byteLength;
      if (total > limitBytes) throw tooLarge(limitBytes);
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof GatewayError || request.readableEnded) throw cause;
    throw clientLeft(cause);
  } finally {
    // Bytes that still arrive are discarded, so that the client can finish sending and read the response.
    request.resume();
  }
}

const isTooLong = ({ headers }: IncomingMessage, limitBytes: number): boolean =>
  Number(headers['content-length'] ?? 0) > limitBytes;

const clientLeft = (cause?: unknown): GatewayError =>
  new GatewayError('client_closed_request', 'The client closed the request', { cause });

const tooLarge = (limitBytes: number): GatewayError =>
  new GatewayError('payload_too_large', `The body is larger than ${limitBytes} bytes`);
