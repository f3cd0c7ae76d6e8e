import type { IncomingMessage, ServerResponse } from 'node:http';

import type { GatewayResponse } from '@model-gateway/core';

import { hostWheel } from './host-wheel.ts';

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
