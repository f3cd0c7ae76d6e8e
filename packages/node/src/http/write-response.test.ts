import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import process from 'node:process';

import { createTimerWheel } from '@model-gateway/core';
import compression from 'compression';
import { expect, onTestFinished, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { toGatewayRequest } from './to-gateway-request.ts';
import { type WriteOptions, writeResponse } from './write-response.ts';

const MORE_THAN_BUFFERS_HOLD = 32 * 1024 * 1024;

/** Writes a long body to a client that never reads; `closed` resolves when its connection has been closed. */
async function writeToStalledClient(
  options: WriteOptions,
): Promise<{ written: Promise<void>; closed: Promise<unknown> }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.pause();
  onTestFinished(() => void client.destroy());
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [request, response] = await once(server, 'request');
  const body = 'x'.repeat(MORE_THAN_BUFFERS_HOLD);
  const closed = once(request.socket, 'close');
  return { written: Promise.resolve(writeResponse(response, { status: 200, headers: {}, body }, options)), closed };
}

test('disconnects a client that reads nothing, without a timer of the host', async () => {
  const { written, closed } = await writeToStalledClient({ clientWriteTimeoutMs: 100 });
  await expect(written).resolves.toBeUndefined();
  await closed;
});

test('uses the timer wheel of a host that has one', async () => {
  const platform = createVirtualPlatform();
  const wheel = createTimerWheel(platform);
  const { written, closed } = await writeToStalledClient({ wheel, clientWriteTimeoutMs: 600_000 });
  while (platform.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
  await platform.advance(601_000);
  await expect(written).resolves.toBeUndefined();
  await closed;
});

const OPTIONS = { bodyLimitBytes: 1000, originOf: () => 'http://host' };

test('a client that has left before the gateway is asked has left', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  expect(toGatewayRequest(request, response, OPTIONS).signal.aborted).toBe(false);
  client.destroy();
  await once(response, 'close');
  expect(toGatewayRequest(request, response, OPTIONS).signal.aborted).toBe(true);
});

test('ends a stream over HTTP/2 whose client cancels it, or reads nothing for too long', async () => {
  const server = createHttp2Server();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  for (const leaves of [true, false]) {
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    const [request, response] = (await once(server, 'request')) as unknown as [IncomingMessage, ServerResponse];
    const { signal } = toGatewayRequest(request, response, OPTIONS);
    const aborted = once(signal, 'abort');
    let isReturned = false;
    const body: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: new Uint8Array(65_536) }),
        return: async () => ((isReturned = true), { done: true, value: undefined }),
      }),
    };
    const written = writeResponse(response, { status: 200, headers: {}, body }, { clientWriteTimeoutMs: 200 });
    await once(stream, 'response');
    if (leaves) stream.close(8);
    await written;
    expect([leaves, isReturned]).toEqual([leaves, true]);
    await aborted;
  }
});

test('leaves no listeners on the stream of compression(), however often its client is slow', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const compress = compression();
  const server = createServer((request, response) => {
    compress(request as never, response as never, () => {
      const body = 'some text, '.repeat(1_000_000);
      void writeResponse(response, { status: 200, headers: { 'content-type': 'text/plain' }, body }, CLIENT);
    });
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(response.headers.get('content-encoding')).not.toBeNull();
  expect((await response.text()).length).toBe(11_000_000);
  expect(warnings).toEqual([]);
});

const CLIENT: WriteOptions = { clientWriteTimeoutMs: 10_000 };
