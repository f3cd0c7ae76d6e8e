import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

import { createGuardedTransport } from '@model-gateway/node/guarded';
import { expect, onTestFinished, test } from 'vitest';

import { deliverWebhook } from '../../packages/core/src/webhooks/webhooks.ts';
import { createDeferred } from '../support/async/deferred.ts';
import { createVirtualPlatform } from '../support/async/virtual-platform.ts';

const LIMIT_MS = 15_000;
const STEP_MS = 1000;

/** Behaves in some way towards a socket; returns what it does every second where it goes on until the attempt ends. */
type Serve = (socket: Socket) => (() => void) | void;

interface Receiver {
  readonly port: number;
  /** Resolves at the first request, with what is to be done every second. */
  readonly reached: Promise<(() => void) | void>;
  readonly closed: readonly Promise<void>[];
}

/** Starts a receiver of raw bytes. */
async function startReceiver(serve: Serve): Promise<Receiver> {
  const closed: Promise<void>[] = [];
  const reached = createDeferred<(() => void) | void>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
    socket.once('data', () => reached.resolve(serve(socket)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, reached: reached.promise, closed };
}

/** Sends a byte at each call. */
function trickle(socket: Socket, text: string): () => void {
  let at = 0;
  return () => void socket.write(text[at++ % text.length] ?? '');
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

test.each<[string, Serve, object]>([
  ['never answers', () => () => undefined, { isDelivered: false, result: 'timed out' }],
  [
    'sends a byte now and then',
    (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\nx: y'),
    { isDelivered: false, result: 'timed out' },
  ],
  ['cuts the connection', (socket) => void socket.resetAndDestroy(), { isDelivered: false }],
  ['answers nonsense', (socket) => void socket.end('nonsense\r\n\r\n'), { isDelivered: false }],
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
    (socket) => void socket.end('HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
    { isDelivered: false, result: 'HTTP 307', isFinal: false },
  ],
])('165: an attempt at a receiver that %s ends in time, and says no address', async (_name, serve, expected) => {
  const platform = createVirtualPlatform();
  const { port, reached, closed } = await startReceiver(serve);
  const transport = createGuardedTransport({ allowPrivateNetwork: true, platform });
  const options = { transport, findUrlProblem: () => undefined };
  const message = { id: 'job-completed', body: '{}' };
  const attempt = deliverWebhook(`http://127.0.0.1:${port}/hook`, message, options, platform);
  const sendMore = await reached;
  for (let passedMs = 0; sendMore !== undefined && passedMs < LIMIT_MS; passedMs += STEP_MS) {
    sendMore();
    await platform.advance(STEP_MS);
  }
  const outcome = await attempt;
  expect(outcome).toMatchObject(expected);
  expect(outcome.result).not.toMatch(/127|ECONN|:\d/);
  // Nothing is left open behind it.
  await Promise.all(closed);
});
