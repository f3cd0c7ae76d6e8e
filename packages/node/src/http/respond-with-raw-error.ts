import type { Duplex } from 'node:stream';

import { STATUS_CODES } from '../builtin-http.ts';

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
