import { once } from 'node:events';
import net from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { type FaultProxy, startFaultProxy } from './support/fault-proxy.ts';

/** A server that sends back what it gets, with a proxy in front. */
async function startEcho(): Promise<FaultProxy> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await startFaultProxy((server.address() as net.AddressInfo).port);
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  return proxy;
}

async function connect({ port }: FaultProxy): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Sends a text and resolves with the same number of bytes that come back. */
async function echo(socket: net.Socket, text: string): Promise<string> {
  socket.write(text);
  return readBytes(socket, text.length);
}

async function readBytes(socket: net.Socket, length: number): Promise<string> {
  let got = '';
  while (got.length < length) got += String((await once(socket, 'data'))[0]);
  return got;
}

test('bytes pass both ways, in order, and both ends of a connection end', async () => {
  const proxy = await startEcho();
  const socket = await connect(proxy);
  const long = Array.from({ length: 500_000 }, (_, i) => i % 10).join('');
  expect(await echo(socket, long)).toBe(long);
  expect(proxy.connections).toBe(1);
  expect(proxy.passed).toEqual({ toServer: long.length, toClient: long.length });
  socket.end();
  await once(socket, 'close');
  expect(socket.errored).toBeNull();
});

test('an address leads through the proxy with everything else of it as it was', async () => {
  const proxy = await startEcho();
  expect(proxy.through('postgres://a:b@localhost:5432/c?d=e')).toBe(`postgres://a:b@127.0.0.1:${proxy.port}/c?d=e`);
  expect(proxy.through('redis://:b@127.0.0.1:6379/2')).toBe(`redis://:b@127.0.0.1:${proxy.port}/2`);
});

test('a cut resets connections, and new ones until it ends', async () => {
  const proxy = await startEcho();
  const socket = await connect(proxy);
  expect(await echo(socket, 'a')).toBe('a');
  const broken = once(socket, 'error');
  proxy.cut();
  expect((await broken)[0]).toMatchObject({ code: 'ECONNRESET' });
  const late = net.connect(proxy.port, '127.0.0.1');
  expect((await once(late, 'error'))[0]).toMatchObject({ code: 'ECONNRESET' });
  proxy.pass();
  expect(await echo(await connect(proxy), 'b')).toBe('b');
});

test('while it holds, nothing comes; afterwards all of it does', async () => {
  const proxy = await startEcho();
  const socket = await connect(proxy);
  proxy.hold();
  const late = await connect(proxy);
  const back = Promise.all([echo(socket, 'abc'), echo(late, 'def')]);
  // A connection at the same server that is not held tells when the first two would have had their bytes.
  await echo(await connect(await startEcho()), 'x');
  expect(proxy.passed).toEqual({ toServer: 0, toClient: 0 });
  proxy.pass();
  expect(await back).toEqual(['abc', 'def']);
});

test('it can hold what the server sends while the server gets everything', async () => {
  const proxy = await startEcho();
  const socket = await connect(proxy);
  proxy.hold(['toClient']);
  const back = echo(socket, 'abc');
  await expect.poll(() => proxy.passed.toServer).toBe(3);
  expect(proxy.passed.toClient).toBe(0);
  proxy.pass();
  expect(await back).toBe('abc');
});

test('a slow network delays each piece without piling up the delays, and limits the bytes a second', async () => {
  const proxy = await startEcho();
  const socket = await connect(proxy);
  proxy.slow({ delayMs: 50 });
  let from = performance.now();
  socket.write('a');
  await echo(socket, 'b'.repeat(100));
  const delayedMs = performance.now() - from;
  expect(delayedMs).toBeGreaterThanOrEqual(95);
  proxy.slow({ bytesPerSecond: 10_000 });
  from = performance.now();
  await echo(socket, 'c'.repeat(1000));
  expect(performance.now() - from).toBeGreaterThanOrEqual(190);
});

test('what waits for a slow network passes at once when that ends', async () => {
  const proxy = await startEcho();
  const socket = await connect(proxy);
  proxy.hold();
  const back = echo(socket, 'abc');
  proxy.slow({});
  expect(await back).toBe('abc');
});
