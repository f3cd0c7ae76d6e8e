import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

import type * as Undici from 'undici';

import { serveCalls } from '../processes/worker.ts';

/** Calls that the bare proxy's process serves. */
export type BareProxyCalls = {
  /** The port it listens on. */
  port(): Promise<number>;
};

// The same undici that the gateway uses, so that the two differ only in what the gateway does.
const { Pool } = createRequire(import.meta.resolve('@model-gateway/node'))('undici') as typeof Undici;

const upstream = new Pool(`http://127.0.0.1:${process.argv[2]}`, { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body = JSON.stringify(JSON.parse(Buffer.concat(pieces).toString()));
    const headers = { 'content-type': 'application/json', authorization: 'Bearer upstream-secret' };
    upstream.dispatch(
      { path: request.url?.slice('/api'.length) ?? '/', method: 'POST', headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, status, responseHeaders) => void response.writeHead(status, responseHeaders),
        onResponseData(controller, bytes) {
          if (response.destroyed) return controller.abort(new Error('the client has gone'));
          if (response.write(bytes)) return;
          controller.pause();
          response.once('drain', () => controller.resume());
        },
        onResponseEnd: () => void response.end(),
        onResponseError: () => void response.destroy(),
      },
    );
  });
});

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const calls: BareProxyCalls = { port: async () => (server.address() as AddressInfo).port };
  serveCalls(calls);
});
