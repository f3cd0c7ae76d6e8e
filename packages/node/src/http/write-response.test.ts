import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import { createTimerWheel } from '@model-gateway/core';
import { expect, onTestFinished, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
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
