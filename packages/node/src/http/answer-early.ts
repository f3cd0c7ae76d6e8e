import type { IncomingMessage, ServerResponse } from 'node:http';

import type { GatewayResponse } from '@model-gateway/core';

import { hostWheel } from './host-wheel.ts';

/** How long a client may go on sending a body that nobody wants. */
const LINGER_MS = 30_000;

/**
 * Answers a request whose body is still arriving, and then closes the connection.
 *
 * What arrives is thrown away for a while before that: to close on unread data resets the connection, and a client
 * that is still sending would lose the answer to the reset.
 */
export function answerEarly(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: GatewayResponse & { readonly body: string },
): void {
  response.shouldKeepAlive = false;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  // By its length the client knows the answer to be complete.
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
