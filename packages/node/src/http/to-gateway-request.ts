import type { IncomingMessage, ServerResponse } from 'node:http';

import { GatewayError, type GatewayRequest } from '@model-gateway/core';

export interface NodeRequestOptions {
  /** Largest body in bytes. */
  readonly bodyLimitBytes: number;
  /** Where the gateway is mounted, without a trailing slash; empty at the root. */
  readonly mountPath?: string | undefined;
  /** Public origin, without a trailing slash: `https://host`. */
  readonly originOf: (request: IncomingMessage) => string;
  /** The body, where something before us has parsed it. */
  readonly json?: unknown;
  readonly remoteAddress?: string | undefined;
  readonly principal?: GatewayRequest['principal'];
}

/**
 * Builds the core's request from Node's. Its signal fires when the connection closes before the answer was sent whole;
 * nothing has to be cleaned up.
 */
export function toGatewayRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: NodeRequestOptions,
): GatewayRequest {
  const client = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) client.abort();
  });
  const url = request.url ?? '/';
  const queryAt = url.indexOf('?');
  const mountPath = options.mountPath ?? '';
  return {
    method: request.method ?? 'GET',
    path: queryAt === -1 ? url : url.slice(0, queryAt),
    query: queryAt === -1 ? '' : url.slice(queryAt + 1),
    headers: request.headers,
    readBody: () => readBody(request, options.bodyLimitBytes),
    json: options.json,
    signal: client.signal,
    // Not a getter: an accessor in a literal gives every such object a hidden class of its own, which costs more to
    // collect than all the rest of a request.
    baseUrl: options.originOf(request) + mountPath,
    remoteAddress: options.remoteAddress,
    principal: options.principal,
  };
}

function readBody(request: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const tooLarge = (): void => {
      request.removeAllListeners('data');
      // What is still coming is thrown away, so that the client can finish sending and read the answer.
      request.resume();
      reject(new GatewayError('payload_too_large', `The body is larger than ${limitBytes} bytes`));
    };
    // Events that have happened already do not happen again: waiting for them would be for ever.
    if (request.readableEnded) {
      return reject(new GatewayError('unprocessable', 'The body has been read already, and nothing was left of it'));
    }
    if (request.destroyed && !request.complete) return reject(clientGone());
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) return tooLarge();
    const pieces: Buffer[] = [];
    let total = 0;
    request.on('data', (piece: Buffer) => {
      total += piece.byteLength;
      if (total > limitBytes) return tooLarge();
      pieces.push(piece);
    });
    request.on('end', () => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)));
    request.on('close', () => {
      if (!request.complete) reject(clientGone());
    });
  });
}

const clientGone = (): GatewayError => new GatewayError('client_closed_request', 'The client closed the request');
