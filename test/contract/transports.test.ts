import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createFetchTransport, type Transport, type TransportRequest } from '@model-gateway/core';
import { createGuardedTransport } from '@model-gateway/node/guarded';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createVirtualPlatform, settle, type VirtualPlatform } from '../support/async/virtual-platform.ts';
import { chunkings } from '../support/upstreams/chunkings.ts';

const TRANSPORTS: readonly (readonly [string, (platform: VirtualPlatform) => Transport])[] = [
  [
    'undici',
    (platform) => {
      const transport = createUndiciTransport({ platform });
      onTestFinished(() => transport.close());
      return transport;
    },
  ],
  ['guarded', (platform) => createGuardedTransport({ platform, allowPrivateNetwork: true })],
  ['fetch', (platform) => createFetchTransport({ platform })],
];

async function startUpstream(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const toRequest = (url: string, body: TransportRequest['body']): TransportRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/octet-stream' },
  body,
  signal: new AbortController().signal,
  headersTimeoutMs: 5000,
  idleTimeoutMs: 5000,
  totalTimeoutMs: 60_000,
});

async function textOf(pieces: AsyncIterable<Uint8Array> | IncomingMessage): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece as Uint8Array);
  return Buffer.concat(read).toString();
}

/** Sends back what it receives. */
const echo: RequestListener = (request, response) => void textOf(request).then((text) => response.end(text));

describe.each(TRANSPORTS)('the %s transport', (_, create) => {
  test.each(chunkings(['Grüße ', 'an ', 'alle']))('sends a body in pieces, cut %s', async (_name, pieces) => {
    const url = await startUpstream(echo);
    const body = async function* () {
      for (const piece of pieces) yield await Promise.resolve(piece);
    };
    const response = await create(createVirtualPlatform()).send(toRequest(url, body));
    expect(await textOf(response.body)).toBe('Grüße an alle');
  });

  test('gives a slow upload time as long as its pieces come', async () => {
    const url = await startUpstream(echo);
    const platform = createVirtualPlatform();
    const body = async function* () {
      for (const letter of 'abc') {
        await platform.advance(4000);
        yield Buffer.from(letter);
      }
    };
    const response = await create(platform).send(toRequest(url, body));
    expect(await textOf(response.body)).toBe('abc');
    expect(platform.monotonicNow()).toBe(12_000);
  });

  test('rejects with what the pieces throw, and upstream sees no complete request', async () => {
    const received: Promise<unknown>[] = [];
    const url = await startUpstream((request) => {
      received.push(
        textOf(request).then(
          () => 'complete',
          () => 'broken off',
        ),
      );
    });
    const reason = new Error('the client has left');
    const body = async function* () {
      yield Buffer.from('half');
      while (received.length === 0) await new Promise((resolve) => setImmediate(resolve));
      throw reason;
    };
    await expect(create(createVirtualPlatform()).send(toRequest(url, body))).rejects.toBe(reason);
    expect(await Promise.all(received)).toEqual(['broken off']);
  });
});

test('the undici transport begins the pieces again when a connection that was reused dies', async () => {
  const connections = new Set<unknown>();
  let times = 0;
  const url = await startUpstream((request, response) => {
    times += 1;
    if (times === 2) return void request.socket.destroy();
    connections.add(request.socket);
    echo(request, response);
  });
  const transport = createUndiciTransport();
  onTestFinished(() => transport.close());
  let sendings = 0;
  const body = async function* () {
    sendings += 1;
    yield await Promise.resolve(Buffer.from('pieces'));
  };
  await textOf((await transport.send({ ...toRequest(url, undefined), method: 'GET' })).body);
  // The connection is free for reuse a turn after its response was read.
  await settle();
  const response = await transport.send(toRequest(url, body));
  expect(await textOf(response.body)).toBe('pieces');
  expect({ sendings, times, connections: connections.size }).toEqual({ sendings: 2, times: 3, connections: 2 });
});
