import { expect, test } from 'vitest';

import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { askTimes } from './support/ask.ts';
import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { missingEngines, redisUrl } from './support/engines.ts';
import { openProxiedDatabase } from './support/proxied-database.ts';
import { makeFolder, type Served, serveWell, untilReady } from './support/run-command.ts';
import { signalOne } from './support/signal-one.ts';

const CALL = { key: TEST_KEY, model: 'test/text', isStreamed: true };

/** Resolves when a gateway has these generations. */
async function untilFound(gateway: Served, ids: readonly string[]): Promise<void> {
  const isFound = async (id: string): Promise<boolean> =>
    (await gateway.call('GET', `/api/v1/generation?id=${id}`).catch(() => ({ status: 0 }))).status === 200;
  for (const id of ids) await expect.poll(() => isFound(id)).toBe(true);
}

test.skipIf(missingEngines)(
  'what killed workers have acknowledged without a database is there after they are replaced',
  async () => {
    const upstream = await openUpstream();
    const { proxy, proxied } = await openProxiedDatabase();
    const config = toClusterConfig(upstream, { database: proxied, redis: redisUrl() });
    const gateway = await serveWell(config, { args: ['--workers', '2'] });
    await untilReady(gateway);
    await askTimes(1, gateway.url, CALL);
    proxy.cut();
    const ids = await askTimes(20, gateway.url, CALL);
    const before = gateway.workers();
    for (const pid of before) signalOne(pid, 'SIGKILL');
    await expect.poll(() => gateway.workers().filter((pid) => !before.includes(pid)).length).toBe(2);
    proxy.pass();
    await untilFound(gateway, ids);
  },
);

test.skipIf(missingEngines)('a start with fewer workers takes in what the others have left', async () => {
  const upstream = await openUpstream();
  const { proxy, proxied } = await openProxiedDatabase();
  const config = toClusterConfig(upstream, { database: proxied, redis: redisUrl() });
  const dataDir = makeFolder();
  const first = await serveWell(config, { args: ['--workers', '3'], dataDir });
  await untilReady(first);
  proxy.cut();
  const ids = await askTimes(30, first.url, { ...CALL, isStreamed: false });
  for (const pid of [first.pid, ...first.workers()]) signalOne(pid, 'SIGKILL');
  await first.ended;
  proxy.pass();
  const second = await serveWell(config, { dataDir });
  await untilFound(second, ids);
});
