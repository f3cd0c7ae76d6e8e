import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

import type { Platform } from '@model-gateway/core';
import { createNodePlatform } from '@model-gateway/node';
import { createGuardedTransport } from '@model-gateway/node/guarded';
import { expect, onTestFinished, test } from 'vitest';

import { deliverWebhook } from '../../packages/core/src/webhooks/deliver-webhook.ts';

const FASTER = 30;
const LIMIT_MS = 15_000;

/** Real time, but faster: what takes fifteen seconds is over in half a one. */
function createFastPlatform(): Platform {
  const platform = createNodePlatform();
  return {
    ...platform,
    monotonicNow: () => platform.monotonicNow() * FASTER,
    setTimer: (callback, delayMs) => platform.setTimer(callback, delayMs / FASTER),
  };
}

/** A receiver of raw bytes; resolves with its port. */
async function startReceiver(serve: (socket: Socket) => void): Promise<{ port: number; closed: Promise<void>[] }> {
  const closed: Promise<void>[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
    socket.once('data', () => serve(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, closed };
}

function trickle(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), 5);
  socket.once('close', () => clearInterval(timer));
}

/** Sends for as long as it is let. */
function flood(socket: Socket, piece: Buffer | string): void {
  const send = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', send);
  send();
}

const HEAD = 'HTTP/1.1 200 OK\r\n';

test.each<[string, (socket: Socket) => void, object]>([
  ['never answers', () => undefined, { isDelivered: false, result: 'timed out' }],
  ['sends a byte now and then', (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\nx: y'), { isDelivered: false }],
  ['cuts the connection', (socket) => socket.resetAndDestroy(), { isDelivered: false }],
  ['answers nonsense', (socket) => socket.end('nonsense\r\n\r\n'), { isDelivered: false }],
  [
    'sends headers without end',
    (socket) => {
      socket.write(HEAD);
      flood(socket, `x-${'y'.repeat(1000)}: z\r\n`);
    },
    { isDelivered: false },
  ],
  [
    'sends a body without end',
    (socket) => {
      socket.write(`${HEAD}content-length: 1000000000000\r\n\r\n`);
      flood(socket, Buffer.alloc(65_536));
    },
    { isDelivered: true, result: 'HTTP 200' },
  ],
  [
    'sends what calls itself compressed',
    (socket) => {
      socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: 1000000000000\r\n\r\n`);
      flood(socket, Buffer.alloc(65_536));
    },
    { isDelivered: true, result: 'HTTP 200' },
  ],
  [
    'sends the caller elsewhere',
    (socket) => socket.end('HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
    { isDelivered: false, result: 'HTTP 307', isFinal: false },
  ],
])('165: an attempt at a receiver that %s ends in time, and says no address', async (_name, serve, expected) => {
  const platform = createFastPlatform();
  const { port, closed } = await startReceiver(serve);
  const transport = createGuardedTransport({ allowPrivateNetwork: true, platform });
  const options = { transport, objectToUrl: () => undefined };
  const startedAt = platform.monotonicNow();
  const message = { id: 'job-completed', body: '{}' };
  const outcome = await deliverWebhook(`http://127.0.0.1:${port}/hook`, message, options, platform);
  expect(outcome).toMatchObject(expected);
  expect(outcome.result).not.toMatch(/127|ECONN|:\d/);
  expect(platform.monotonicNow() - startedAt).toBeLessThan(LIMIT_MS * 2);
  // Nothing is left open behind it.
  await Promise.all(closed);
});
