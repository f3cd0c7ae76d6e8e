import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

import { onTestFinished } from 'vitest';

/** One request of an agent, as it left. */
export interface TappedRequest {
  /** `POST /api/v1/responses` */
  readonly line: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Of the response; undefined before there is one. */
  status: number | undefined;
  /** What has come of the response. */
  response: string;
}

/** Stands between an agent and the gateway, and notes what is said, uncompressed. It goes with the test. */
export async function tapGateway(
  gateway: string,
): Promise<{ readonly url: string; readonly requests: readonly TappedRequest[] }> {
  const requests: TappedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const pieces: Buffer[] = [];
    const seen: TappedRequest = {
      line: `${method} ${url}`,
      headers,
      get body() {
        return Buffer.concat(pieces).toString();
      },
      status: undefined,
      response: '',
    };
    requests.push(seen);
    const onward = request(`${gateway}${url}`, {
      method,
      headers: { ...headers, host: new URL(gateway).host, 'accept-encoding': 'identity' },
    });
    onward.on('response', (response) => {
      seen.status = response.statusCode;
      const decoder = new TextDecoder();
      response.on('data', (piece: Buffer) => {
        seen.response += decoder.decode(piece, { stream: true });
      });
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      // Whichever side ends first, the other ends with it.
      pipeline(response, outgoing, () => undefined);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    pipeline(incoming, onward, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
