import { setTimeout as delay } from 'node:timers/promises';

import type { Store } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { toContent } from '../support/stores/generation-records.ts';
import { missingPostgres } from './support/engines.ts';
import {
  findMissing,
  type Load,
  makeFolder,
  makeRecord,
  openStore,
  readWritten,
  startLoad,
} from './support/generation-stores.ts';
import { startOwnPostgres } from './support/own-servers.ts';
import { openFaultProxy } from './support/proxied-database.ts';

/** An append that waited for the database would take the five seconds after which its commit is given up. */
const SLOWEST_MS = 4000;

const startServer = () => startOwnPostgres({ fsync: 'on' });

/** Resolves when so many more generations have been acknowledged. */
async function untilMore({ acknowledged }: Load, count: number): Promise<void> {
  const wanted = acknowledged.size + count;
  await expect.poll(() => acknowledged.size, { interval: 10 }).toBeGreaterThanOrEqual(wanted);
}

/** 0 while the database is away. */
async function count({ generations }: Pick<Store, 'generations'>): Promise<number> {
  try {
    return await generations.count();
  } catch {
    return 0;
  }
}

/** Everything that was acknowledged is in the database, once, and counted to the nano-dollar. */
async function expectComplete(url: string, load: Load): Promise<void> {
  await expect.poll(() => findMissing(url, load.acknowledged.keys())).toHaveLength(0);
  const cost = [...load.acknowledged.values()].reduce((sum, costNano) => sum + costNano, 0);
  const { generations, distinct, costNano, spentNano, keysNano } = await readWritten(url);
  expect([generations, distinct]).toEqual([load.acknowledged.size, load.acknowledged.size]);
  expect([costNano, spentNano, keysNano]).toEqual([cost, cost, cost]);
}

test.skipIf(missingPostgres)(
  'a server that is killed under load and comes back costs no call anything, and loses and doubles nothing',
  async () => {
    const { server, url } = await startServer();
    const store = await openStore({ url, dir: await makeFolder() });
    const load = startLoad(store, 300);
    for (let round = 0; round < 3; round += 1) {
      await untilMore(load, 100);
      await server.kill();
      await untilMore(load, 200);
      await server.start();
    }
    await load.stop();
    expect(load.failures).toEqual([]);
    await expectComplete(url, load);
    expect(load.slowestMs).toBeLessThan(SLOWEST_MS);
  },
);

test.skipIf(missingPostgres)(
  'a server that says nothing for a while holds up no call, and a transaction that it had begun doubles nothing',
  async () => {
    const { server, url } = await startServer();
    const store = await openStore({ url, dir: await makeFolder() });
    const load = startLoad(store, 300);
    await delay(500);
    server.pause();
    // Longer than a batch may take, so that its connection is given up in the middle.
    await delay(9000);
    server.resume();
    await delay(200);
    await load.stop();
    expect(load.failures).toEqual([]);
    await expectComplete(url, load);
    expect(load.slowestMs).toBeLessThan(SLOWEST_MS);
  },
);

test.skipIf(missingPostgres)(
  'connections that break in the middle of whatever they do lose and double nothing',
  async () => {
    const { server, url } = await startServer();
    const proxy = await openFaultProxy(server.port);
    const store = await openStore({ url: proxy.through(url), dir: await makeFolder() });
    const load = startLoad(store, 500);
    for (let round = 0; round < 60; round += 1) {
      await delay(20 + round);
      proxy.cut();
      proxy.pass();
    }
    await load.stop();
    expect(load.failures).toEqual([]);
    await expectComplete(url, load);
  },
);

test.skipIf(missingPostgres)('a slow network takes everything in the end', async () => {
  const { server, url } = await startServer();
  const proxy = await openFaultProxy(server.port);
  const store = await openStore({ url: proxy.through(url), dir: await makeFolder() });
  await store.generations.count();
  proxy.slow({ delayMs: 50, bytesPerSecond: 300_000 });
  const load = startLoad(store, 200);
  await delay(3000);
  await load.stop();
  expect(load.failures).toEqual([]);
  expect(load.slowestMs).toBeLessThan(SLOWEST_MS);
  await expectComplete(url, load);
});

test.skipIf(missingPostgres)(
  'while the database is away a process reads and changes what waits in it, and lists fail soon with a 503',
  async () => {
    const { server, url } = await startServer();
    const dir = await makeFolder();
    const store = await openStore({ url, dir });
    const { generations } = store;
    await generations.append(makeRecord(), null);
    await generations.count();
    await server.kill();
    const [plain, changed, emptied] = [makeRecord(), makeRecord(), makeRecord()];
    for (const record of [plain, changed, emptied]) await generations.append(record, toContent(record.generation.id));
    expect(await generations.get(plain.generation.id)).toEqual(plain);
    expect(await generations.getContent(plain.generation.id)).toEqual(toContent(plain.generation.id));
    expect(await generations.getPreview(plain.generation.id)).toMatch(/^Question: gen-/);
    const later = { ...changed, costNanoUsd: 5 };
    await expect.poll(() => generations.update(later)).toBe(true);
    expect(await generations.get(changed.generation.id)).toEqual(later);
    expect(await generations.deleteContent(emptied.generation.id)).toBe(true);
    expect(await generations.getContent(emptied.generation.id)).toBeUndefined();

    const beganAt = performance.now();
    await expect(generations.page({ limit: 5 })).rejects.toMatchObject({ status: 503 });
    await expect(generations.spent({})).rejects.toMatchObject({ status: 503 });
    await expect(generations.get('gen-1')).rejects.toMatchObject({ status: 503 });
    // Each waits for half a second for what is being written, and for five times as long if the outage is not known.
    expect(performance.now() - beganAt).toBeLessThan(6000);
    expect(store.said.filter((line) => line.includes('do not') || line.includes('does not take'))).toHaveLength(1);

    await server.start();
    await expect.poll(() => count(store)).toBe(4);
    expect(await generations.get(changed.generation.id)).toEqual(later);
    expect(await generations.getContent(emptied.generation.id)).toBeUndefined();
    expect(await generations.spentNanoUsd('key-1')).toBe(3005);
  },
);

test.skipIf(missingPostgres)(
  'beyond its bounds what waits loses contents, never facts, says so once, and calls go on',
  async () => {
    const { server, url } = await startServer();
    const store = await openStore({
      url,
      dir: await makeFolder(),
      spool: { memoryBytes: 300_000, journalBytes: 4_000_000 },
    });
    await store.generations.count();
    await server.kill();
    const text = 'x'.repeat(4000);
    const records = Array.from({ length: 1000 }, () => makeRecord());
    for (const record of records) await store.generations.append(record, toContent(text));
    expect(store.said.filter((line) => line.includes('contents of generations are left out'))).toHaveLength(1);
    await server.start();
    await expect.poll(async () => (await readWritten(url)).generations).toBe(1000);
    const { contents, spentNano } = await readWritten(url);
    expect(contents).toBeGreaterThan(300);
    expect(contents).toBeLessThan(1000);
    expect(spentNano).toBe(1_000_000);
    await store.generations.append(makeRecord(), toContent(text));
    expect(store.said.filter((line) => line.includes('There is room again'))).toHaveLength(1);
  },
);

test.skipIf(missingPostgres)(
  'without a journal an append waits for the database, and says after a while that it has not been stored',
  async () => {
    const { server, url } = await startServer();
    const store = await openStore({ url });
    await store.generations.append(makeRecord(), null);
    expect(await readWritten(url)).toMatchObject({ generations: 1 });
    await server.kill();
    await expect(store.generations.append(makeRecord(), null)).rejects.toMatchObject({ status: 503 });
    await server.start();
    await expect.poll(() => count(store)).toBe(2);
  },
);

test.skipIf(missingPostgres)(
  'a store that is opened while its database is away takes generations, and writes them once it is there',
  async () => {
    const { server, url } = await startServer();
    await server.kill();
    const store = await openStore({ url, dir: await makeFolder() });
    expect(store.readiness?.()).toMatchObject({ isReady: false });
    const record = makeRecord();
    await store.generations.append(record, null);
    await server.start();
    await expect.poll(() => findMissing(url, [record.generation.id]).catch(() => ['?'])).toEqual([]);
    // The writer and the opening of the store try again each by its own clock, so either may be the first.
    await expect.poll(() => store.readiness?.()).toEqual({ isReady: true });
  },
);
