import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { type CoreGateway, createCoreGateway } from '../../../../test/support/gateways/core-gateway.ts';
import { createLocalChannels } from '../../../../test/support/shared/local-channels.ts';
import { createSessions } from './sessions.ts';
import { createShareFailures } from './wrong-keys.ts';

/** Gateways that share their channels. */
function openGateways(count: number): CoreGateway[] {
  const shared = { openChannel: createLocalChannels().open };
  return Array.from({ length: count }, () => createCoreGateway([], { models: [], shared }));
}

test('wrong keys of an address count for all processes together', async () => {
  const gateways = openGateways(4);
  const statuses: number[] = [];
  for (const core of [...gateways, ...gateways, ...gateways]) {
    const headers = { authorization: `Bearer sk-wrong-${statuses.length}` };
    statuses.push((await core.chat({}, { headers, remoteAddress: '203.0.113.7' })).status);
    await core.platform.advance(100);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
});

test('failed sign-ins of an address count for all processes together', async () => {
  const channels = createLocalChannels();
  const platform = createVirtualPlatform();
  const { signal } = new AbortController();
  const open = () => createSessions(platform, undefined, createShareFailures(channels.open('x'), platform, signal));
  const [one, other] = [open(), open()];
  for (let i = 0; i < 10; i += 1) {
    one.noteFailure('203.0.113.7');
    other.noteFailure('203.0.113.7');
  }
  await platform.advance(100);
  expect([one.waitSeconds('203.0.113.7'), other.waitSeconds('203.0.113.7')]).toEqual([60, 60]);
  expect(one.waitSeconds('203.0.113.8')).toBe(0);
});

test('many failures are told in few messages, of which none is too large', async () => {
  const channels = createLocalChannels();
  const platform = createVirtualPlatform();
  const end = new AbortController();
  const noted = new Map<string, number>();
  const open = () => createShareFailures(channels.open('x'), platform, end.signal);
  open()((address, count) => void noted.set(address, (noted.get(address) ?? 0) + count));
  const tell = open()(() => undefined);
  for (let i = 0; i < 5000; i += 1) tell(`address ${i % 2000}`);
  await platform.advance(100);
  expect(channels.published).toHaveLength(2);
  expect([noted.size, noted.get('address 0'), noted.get('address 1')]).toEqual([1001, 1, 3]);
  end.abort();
  tell('address 0');
  expect(noted.get('address 0')).toBe(1);
});
