import type { Duplex } from 'node:stream';

import { STATUS_CODES } from '../builtin-http.ts';

/** The body of an error below the gateway's own: a fault in HTTP itself. */
export function toRawErrorBody(status: number, message: string): string {
  return JSON.stringify({ error: { code: status, message, metadata: { error_type: 'invalid_request' } } });
}

/** Answers on a connection for which Node has made no response object, and ends it. */
export function answerRawError(socket: Duplex, status: number, message: string): void {
  const body = toRawErrorBody(status, message);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Answers bytes that are no HTTP request. */
export function answerMalformed(error: Error & { readonly code?: string }, socket: Duplex): void {
  // Once an answer has begun on a connection, another would be taken for a part of it.
  const hasAnswered = 'bytesWritten' in socket && socket.bytesWritten !== 0;
  if (!socket.writable || hasAnswered) return void socket.destroy();
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return answerRawError(socket, 431, 'The headers are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return answerRawError(socket, 408, 'The request took too long to arrive');
    default:
      return answerRawError(socket, 400, 'The request is not valid HTTP');
  }
}
