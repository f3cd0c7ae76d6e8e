import { EventEmitter } from 'node:events';

import { expect, test, vi } from 'vitest';

import { createGatewayProcess } from '../../desktop/src/main/gateway/gateway-process.ts';
import type { StartMessage, ToGateway } from '../../desktop/src/shared/gateway-messages.ts';

/** The processes that were started, with what each was told. */
const started = vi.hoisted(() => [] as { readonly told: unknown[]; emit(name: string, value: unknown): boolean }[]);

vi.mock('electron', () => ({
  app: { getLocale: () => 'en' },
  utilityProcess: {
    fork: () => {
      const told: unknown[] = [];
      const child = Object.assign(new EventEmitter(), {
        told,
        postMessage: (message: unknown) => void told.push(message),
        kill: () => child.emit('exit', 0),
      });
      started.push(child);
      return child;
    },
  },
}));

test('a gateway that is restarted begins at the address that was set while the one before it ended', async () => {
  let host = '0.0.0.0';
  const toMessage = () => ({ type: 'start', place: { host, port: 8080, allowedHosts: [] } }) as unknown as StartMessage;
  const gateway = createGatewayProcess('entry.js');
  await gateway.start(toMessage);
  const restarted = gateway.start(toMessage);
  host = '127.0.0.1';
  gateway.listen({ host, port: 8080, allowedHosts: [] });
  started[0]?.emit('message', { type: 'stopped' });
  await restarted;
  const typesOf = (told: readonly unknown[] = []): readonly string[] => told.map((one) => (one as ToGateway).type);
  expect(started[1]?.told).toEqual([{ type: 'start', place: { host: '127.0.0.1', port: 8080, allowedHosts: [] } }]);
  expect(typesOf(started[0]?.told)).toEqual(['start', 'stop']);
});
