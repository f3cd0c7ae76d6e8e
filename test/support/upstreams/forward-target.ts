import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as the target saw it. */
export interface ForwardedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server on loopback that requests are passed through to. */
export interface ForwardTarget {
  /** `http://127.0.0.1:41234/upstream/api/v1` */
  readonly address: string;
  readonly forwarded: readonly ForwardedRequest[];
  /** Responds like this from now on. Before: `{"data":[]}`. */
  respondWith(respond: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

/** Starts a target that notes what it is sent. */
export async function startForwardTarget(): Promise<ForwardTarget> {
  const forwarded: ForwardedRequest[] = [];
  let respond = (response: ServerResponse): void => void response.end('{"data":[]}');
  const server = createServer(({ method = '', url = '', headers }, response) => {
    void text(response.req).then(
      (body) => {
        forwarded.push({ method, url, headers, body });
        respond(response);
      },
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/upstream/api/v1`,
    forwarded,
    respondWith(next) {
      respond = next;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
