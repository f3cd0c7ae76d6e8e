import { once } from 'node:events';
import net from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { toDatabaseAddress } from './errors.ts';
import { createListener } from './notifications.ts';

/** `AuthenticationOk` and `ReadyForQuery`. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

test('a connection that is lost before it listens is made again', { timeout: 15_000 }, async () => {
  let connections = 0;
  // It lets clients in, and then the network loses everything.
  const server = net.createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.once('data', () => void socket.write(WELCOME));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as net.AddressInfo;
  const url = `postgres://gateway@127.0.0.1:${port}/gateway`;
  const notifications = createListener({
    config: { connectionString: url },
    address: toDatabaseAddress(url),
    logger: undefined,
  });
  onTestFinished(() => notifications.close());
  notifications.listen('some', () => undefined);
  await expect.poll(() => connections, { timeout: 10_000 }).toBeGreaterThan(1);
  expect(notifications.isConnected()).toBe(false);
});
