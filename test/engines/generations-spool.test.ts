import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { toContent } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { type FaultProxy, startFaultProxy } from './support/fault-proxy.ts';
import { makeFolder, makeRecord, openStore, openStoreOnFaultyDisk, readWritten } from './support/generation-stores.ts';

/** A database, and the way to it that a test can break. */
async function openBreakable(): Promise<{ readonly direct: string; readonly url: string; readonly proxy: FaultProxy }> {
  const direct = await openDatabase();
  const proxy = await startFaultProxy(Number(new URL(direct).port));
  onTestFinished(() => proxy.close());
  return { direct, url: proxy.through(direct), proxy };
}

test.skipIf(missingPostgres)(
  'while neither disk nor database takes generations, memory holds a bounded number, and the end says that they are lost',
  async () => {
    const { url, proxy } = await openBreakable();
    const spool = { memoryBytes: 30_000 };
    const { store, files, said } = await openStoreOnFaultyDisk({ url, dir: await makeFolder(), spool });
    await store.generations.append(makeRecord(), null);
    await store.generations.count();
    files.failAll('write', { code: 'ENOSPC' });
    proxy.cut();
    const appended = Array.from({ length: 30 }, () => store.generations.append(makeRecord(), toContent('x')));
    const outcomes = await Promise.allSettled(appended);
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 'rejected'));
    expect(said.filter(({ message }) => message.includes('journal does not take'))).toHaveLength(1);
    await store.close();
    const lost = said.find(({ message }) => message.includes('Generations are lost'))?.fields?.['generations'];
    expect(lost).toBeGreaterThan(1);
    expect(lost).toBeLessThan(20);
  },
);

test.skipIf(missingPostgres)('generations that are lost a second time are said a second time', async () => {
  const { url, proxy } = await openBreakable();
  const dir = await makeFolder();
  const spool = { memoryBytes: 1, journalBytes: 20_000 };
  const { store, journal, said } = await openStoreOnFaultyDisk({ url, dir, spool });
  await store.generations.append(makeRecord(), null);
  await store.generations.count();
  for (const times of [1, 2]) {
    proxy.cut();
    for (let index = 0; index < 60; index += 1) await store.generations.append(makeRecord(), null);
    expect(said.filter(({ message }) => message.includes('generations are lost'))).toHaveLength(times);
    proxy.pass();
    await expect.poll(() => journal.bytes).toBe(0);
    await store.generations.append(makeRecord(), null);
    expect(said.filter(({ message }) => message.includes('There is room'))).toHaveLength(times);
  }
});

test.skipIf(missingPostgres)('what memory had no room for reaches the database though nothing follows', async () => {
  const { direct, url, proxy } = await openBreakable();
  const { generations } = await openStore({ url, dir: await makeFolder(), spool: { memoryBytes: 1 } });
  await generations.append(makeRecord(), null);
  await generations.count();
  proxy.slow({ delayMs: 30 });
  for (let index = 0; index < 30; index += 1) {
    await generations.append(makeRecord(), null);
    await delay(10);
  }
  await expect.poll(async () => (await readWritten(direct)).generations).toBe(31);
});

test.skipIf(missingPostgres)(
  'an append whose commit was answered into a broken connection has been stored, once, and says so',
  async () => {
    const { direct, url, proxy } = await openBreakable();
    const { generations } = await openStore({ url });
    await generations.append(makeRecord(), null);
    proxy.slow({ delayMs: 300 });
    const appended = generations.append(makeRecord(), toContent('x'));
    await expect.poll(async () => (await readWritten(direct)).generations, { interval: 10 }).toBe(2);
    proxy.cut();
    proxy.pass();
    await appended;
    expect(await readWritten(direct)).toMatchObject({ generations: 2, contents: 1, spentNano: 2000 });
  },
);
