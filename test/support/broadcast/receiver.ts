import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

/** One request that reached a receiver. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** When it was complete, in milliseconds on the monotonic clock. */
  readonly at: number;
}

/** A server on loopback that destinations are pointed at. */
export interface Receiver {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** Resolves once so many requests have come. */
  received(count: number): Promise<readonly ReceivedRequest[]>;
  close(): Promise<void>;
}

export type RespondToRequest = (response: ServerResponse, request: ReceivedRequest, index: number) => void;

/** Starts a receiver that ends with the test. By default it takes everything. */
export async function startReceiver(
  respond: RespondToRequest = (response) => response.writeHead(200).end(),
  port = 0,
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    buffer(request).then(
      (body) => {
        const received: ReceivedRequest = { method, url, headers, body, at: performance.now() };
        requests.push(received);
        respond(response, received, requests.length - 1);
        for (const check of waiting) check();
      },
      () => response.destroy(),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  onTestFinished(close);
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    received: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (requests.length < count) return;
          waiting.delete(check);
          resolve(requests);
        };
        waiting.add(check);
        check();
      }),
    close,
  };
}

/** The JSON that a request carried. */
export function jsonIn(request: ReceivedRequest | undefined): unknown {
  return JSON.parse(request?.body.toString() ?? 'null');
}
