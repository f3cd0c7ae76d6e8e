import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

import { loadConfig } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { createPortListener } from '../../desktop/src/gateway/port-listener.ts';
import type { GatewayState } from '../../desktop/src/shared/gateway-messages.ts';
import { createCoreGateway } from '../support/gateways/core-gateway.ts';
import { createScriptedTransport } from '../support/upstreams/scripted-transport.ts';

const HOST = '127.0.0.1';

function createScene() {
  const told: GatewayState[] = [];
  const listener = createPortListener({
    gateway: createCoreGateway(createScriptedTransport()).gateway,
    config: loadConfig({ env: {} }),
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    isDemo: false,
    language: 'en',
    tell: (state) => void told.push(state),
  });
  onTestFinished(() => listener.close(0));
  return { listener, told };
}

async function holdPort() {
  const holder = createServer().listen(0, HOST);
  await once(holder, 'listening');
  const release = (): Promise<void> => new Promise((resolve) => void holder.close(() => resolve()));
  return { port: (holder.address() as AddressInfo).port, release };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, HOST);
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return opened;
}

test('a port that is free by the second try is told as open, however long the first has to find out why it was not', async () => {
  const { listener, told } = createScene();
  const { port, release } = await holdPort();
  const first = listener.open({ host: HOST, port, allowedHosts: [] });
  await release();
  await Promise.all([first, listener.open({ host: HOST, port, allowedHosts: [] })]);
  expect(told.map(({ phase }) => phase)).toEqual(['listening']);
  expect(await isOpen(port)).toBe(true);
});

test('of two addresses at once the last is kept, and no port is opened after a pause', async () => {
  const { listener, told } = createScene();
  const [{ port: one, release }, { port: other, release: releaseOther }] = [await holdPort(), await holdPort()];
  await Promise.all([release(), releaseOther()]);
  const at = (port: number) => ({ host: HOST, port, allowedHosts: [] });
  await Promise.all([listener.open(at(one)), listener.open(at(other))]);
  expect([await isOpen(one), await isOpen(other)]).toEqual([false, true]);
  const opened = listener.open(at(one));
  listener.pause();
  await opened;
  expect([await isOpen(one), await isOpen(other)]).toEqual([false, false]);
  expect(told.at(-1)).toMatchObject({ phase: 'paused' });
});
