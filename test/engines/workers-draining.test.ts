import { expect, test } from 'vitest';

import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { openClusterConfig } from './support/cluster-config.ts';
import { missingEngines } from './support/engines.ts';
import { askReady, isAlive, type Served, serveWell, untilReady } from './support/run-command.ts';

const TWO = ['--workers', '2'];
const DRAINING = { timeouts: { drainMs: 10_000 } };

/** Begins streams that wait for the upstream; resolves when all have begun. */
async function beginStreams(gateway: Served, count: number) {
  const responses = await Promise.all(
    Array.from({ length: count }, () =>
      fetch(`${gateway.url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/held', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
      }),
    ),
  );
  return responses.map(async (response) => {
    const text = await response.text();
    return response.status === 200 && text.trimEnd().endsWith('data: [DONE]') && !text.includes('"error"');
  });
}

test.skipIf(missingEngines)('SIGTERM lets the streams of all workers end, and leaves no process', async () => {
  const { upstream, config } = await openClusterConfig(DRAINING);
  const gateway = await serveWell(config, { args: TWO });
  await untilReady(gateway);
  const workers = gateway.workers();
  const streams = await beginStreams(gateway, 20);
  gateway.send('SIGTERM');
  await expect.poll(() => gateway.output.stderr).toContain('stopping: open calls may end');
  upstream.release();
  expect(await Promise.all(streams)).toEqual(Array.from({ length: 20 }, () => true));
  expect((await gateway.ended).code).toBe(0);
  expect(workers.filter(isAlive)).toEqual([]);
});

test.skipIf(missingEngines)('workers whose primary is killed let their streams end, and go', async () => {
  const { upstream, config } = await openClusterConfig(DRAINING);
  const gateway = await serveWell(config, { args: TWO });
  await untilReady(gateway);
  const workers = gateway.workers();
  const streams = await beginStreams(gateway, 10);
  gateway.send('SIGKILL');
  await expect.poll(() => isAlive(gateway.pid)).toBe(false);
  upstream.release();
  expect(await Promise.all(streams)).toEqual(Array.from({ length: 10 }, () => true));
  await expect.poll(() => workers.filter(isAlive)).toEqual([]);
});

test.skipIf(missingEngines)('a rolling restart on one database breaks none of 200 open streams', async () => {
  const { upstream, config } = await openClusterConfig({ timeouts: { drainMs: 30_000 } });
  const former = await serveWell(config, { args: TWO });
  await untilReady(former);
  const streams = await beginStreams(former, 100);
  const next = await serveWell(config, { args: TWO });
  await untilReady(next);
  former.send('SIGTERM');
  await expect.poll(() => askReady(former).catch(() => ({ status: 0 }))).not.toMatchObject({ status: 200 });
  streams.push(...(await beginStreams(next, 100)));
  upstream.release();
  expect((await Promise.all(streams)).filter((isWhole) => !isWhole)).toEqual([]);
  expect((await former.ended).code).toBe(0);
  expect(await askReady(next)).toMatchObject({ status: 200 });
});
