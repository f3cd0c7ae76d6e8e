import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import type { GatewayResponse } from '@model-gateway/core';

import { STATUS_CODES } from '../builtin-http.ts';
import { hostWheel } from './write-response.ts';

/** How long a client may continue to send a body that the gateway does not use. */
const LINGER_MS = 30_000;

/**
 * Responds to a request whose body still arrives, and then closes. Before that, bytes are discarded for a while:
 * closing on unread data resets the connection, and a client that is still sending would lose the response.
 */
export function respondEarly(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: GatewayResponse & { readonly body: string },
): void {
  response.shouldKeepAlive = false;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  // The client knows by the content length that the response is complete.
  response.write(body);
  const end = (): void => {
    limit.clear();
    response.end();
  };
  const limit = hostWheel.add(end);
  limit.set(LINGER_MS);
  request.once('close', end);
  request.resume();
}

/** Returns the body of an error outside the gateway: a fault in HTTP itself. */
export function toRawErrorBody(status: number, message: string): string {
  return JSON.stringify({ error: { code: status, message, metadata: { error_type: 'invalid_request' } } });
}

/** Writes an error response to a connection for which Node has created no response object, and ends the connection. */
export function respondWithRawError(socket: Duplex, status: number, message: string): void {
  const body = toRawErrorBody(status, message);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
      'x-content-type-options: nosniff\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Responds to bytes that are not an HTTP request. */
export function respondToMalformed(error: Error & { readonly code?: string }, socket: Duplex): void {
  // After a response has begun on a connection, the client would read a second one as a part of it.
  const hasResponded = 'bytesWritten' in socket && socket.bytesWritten !== 0;
  if (!socket.writable || hasResponded) return void socket.destroy();
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return respondWithRawError(socket, 431, 'The headers are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return respondWithRawError(socket, 408, 'The request took too long to arrive');
    default:
      return respondWithRawError(socket, 400, 'The request is not valid HTTP');
  }
}
