import { randomBytes } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Store } from '@model-gateway/core';
import { openRecordJournal } from '@model-gateway/node';
import { createPostgresStore } from '@model-gateway/postgres';
import { expect, onTestFinished, test } from 'vitest';

import { openJournalOn } from '../../packages/node/src/stores/record-journal.ts';
import { createManualTimers } from '../support/async/manual-timers.ts';
import { createFaultyFileSystem } from '../support/stores/faulty-file-system.ts';
import { toContent } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { findMissing, makeFolder, makeId, makeRecord, openStore, readWritten } from './support/generation-stores.ts';
import { medianOf } from './support/median-of.ts';
import { runStatement } from './support/postgres-server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The days that have a partition. */
async function listDays(url: string): Promise<string[]> {
  const rows = await runStatement(
    url,
    `select substring(inhrelid::regclass::text from '\\d{8}$') as day from pg_inherits
     where inhparent = 'gateway.contents'::regclass order by 1`,
  );
  return rows.map((row) => (row as { day: string }).day.replace(/(....)(..)(..)/, '$1-$2-$3'));
}

test.skipIf(missingPostgres)('a generation is on every process within a second, with its content', async () => {
  const url = await openDatabase();
  const [one, other] = [await openStore({ url, dir: await makeFolder() }), await openStore({ url })];
  await one.generations.append(makeRecord(), null);
  await one.generations.count();
  const tookMs: number[] = [];
  let record = makeRecord();
  for (let count = 0; count < 5; count += 1) {
    record = makeRecord();
    const beganAt = performance.now();
    await one.generations.append(record, toContent('shared'));
    await expect.poll(() => other.generations.get(record.generation.id), { interval: 10 }).toEqual(record);
    tookMs.push(performance.now() - beganAt);
  }
  expect(medianOf(tookMs)).toBeLessThan(1000);
  expect(await other.generations.getContent(record.generation.id)).toEqual(toContent('shared'));
});

test.skipIf(missingPostgres)('the ids that are counted are told once the sums include them', async () => {
  const url = await openDatabase();
  const store = await openStore({ url, dir: await makeFolder() });
  const sums: number[] = [];
  const ids: string[] = [];
  store.generations.onCounted?.((counted) => {
    ids.push(...counted);
    void readWritten(url).then(({ spentNano }) => sums.push(spentNano));
  });
  const records = Array.from({ length: 30 }, () => makeRecord());
  for (const record of records) await store.generations.append(record, null);
  await expect.poll(() => ids.toSorted()).toEqual(records.map(({ generation }) => generation.id).toSorted());
  await expect.poll(() => Math.max(...sums)).toBe(30_000);
});

test.skipIf(missingPostgres)('one generation that two processes append is there once and counted once', async () => {
  const url = await openDatabase();
  const stores = [await openStore({ url, dir: await makeFolder() }), await openStore({ url, dir: await makeFolder() })];
  const records = Array.from({ length: 200 }, () => makeRecord());
  await Promise.all(
    stores.flatMap((store, index) =>
      (index === 0 ? records : records.toReversed()).map((record) => store.generations.append(record, toContent('x'))),
    ),
  );
  for (const store of stores) await store.generations.count();
  expect(await readWritten(url)).toMatchObject({ generations: 200, contents: 200, spentNano: 200_000 });
});

test.skipIf(missingPostgres)(
  'a record that the database refuses is set aside with the reason, and those around it are stored',
  async () => {
    const url = await openDatabase();
    const dir = await makeFolder();
    const store = await openStore({ url, dir });
    // Longer than an index takes.
    const odd = makeRecord();
    const id = `${makeId()}${randomBytes(5000).toString('hex')}`;
    const poison = { ...odd, generation: { ...odd.generation, id } };
    const records = Array.from({ length: 300 }, () => makeRecord());
    records.splice(113, 0, poison);
    await Promise.all(records.map((record) => store.generations.append(record, toContent('x'))));
    expect(await store.generations.count()).toBe(300);
    expect(
      await findMissing(
        url,
        records.map(({ generation }) => generation.id),
      ),
    ).toEqual([id]);
    expect(store.said).toEqual([expect.stringContaining('set aside')]);
    expect(await readFile(join(dir, 'refused.ndjson'), 'utf8')).toMatch(/index row/);
    await store.close();
    const again = await openStore({ url, dir });
    expect(await again.generations.count()).toBe(300);
    expect(again.said).toEqual([]);
  },
);

test.skipIf(missingPostgres)('values that columns cannot hold cost a fact, not the record', async () => {
  const store = await openStore({ url: await openDatabase(), dir: await makeFolder() });
  const odd = makeRecord(Date.now(), {
    principalId: 'key\u0000\ud800',
    generation: {
      tokens_prompt: 2 ** 40,
      tokens_completion: 1.5,
      session_id: `s${'é'.repeat(5000)}`,
      external_user: '\u0000\ud800x',
      user_agent: 'agent\u0000/1',
    },
  });
  await store.generations.append(odd, toContent('\u0000'));
  expect(await store.generations.count()).toBe(1);
  const { records } = await store.generations.page({ limit: 1 });
  expect(records).toEqual([odd]);
  expect(await store.generations.spentNanoUsd('key\u0000\ud800')).toBe(1000);
  expect(store.said).toEqual([]);
});

test.skipIf(missingPostgres)(
  "while the journal's disk fails, calls wait for the database, and fail only where that is away too",
  async () => {
    const url = await openDatabase();
    const files = createFaultyFileSystem();
    const { setTimer } = createManualTimers();
    const journal = await openJournalOn({ dir: await makeFolder() }, { files, setTimer });
    const store = await createPostgresStore({ url, journal });
    onTestFinished(() => store.close());
    await store.generations.append(makeRecord(), null);
    files.failAll('write', { code: 'ENOSPC' });
    await store.generations.append(makeRecord(), toContent('x'));
    expect(await readWritten(url)).toMatchObject({ generations: 2, contents: 1, spentNano: 2000 });
    files.heal();
  },
);

test.skipIf(missingPostgres)('a generation lies in the day of its id, whenever it arrives', async () => {
  const url = await openDatabase();
  const store = await openStore({ url, dir: await makeFolder() });
  const now = Date.now();
  const records = [-1, -3, -20].map((days) => makeRecord(now + days * DAY_MS));
  for (const record of records) await store.generations.append(record, toContent('late'));
  // Its beginning and its id are of different days.
  const around = makeRecord(now - 5 * DAY_MS, { generation: { created_at: new Date(now - 6 * DAY_MS).toISOString() } });
  await store.generations.append(around, null);
  expect(await store.generations.count()).toBe(4);
  expect(await listDays(url)).toEqual([-20, -5, -3, -1, 0, 1].map((days) => dayOf(now + days * DAY_MS)));
  for (const record of [...records, around]) expect(await store.generations.get(record.generation.id)).toEqual(record);
  const since = (days: number) => store.generations.spent({ since: dayOf(now + days * DAY_MS) });
  expect(await since(-6)).toEqual({ creditsNanoUsd: 3000, byokNanoUsd: 0 });
  expect(await since(-5)).toEqual({ creditsNanoUsd: 2000, byokNanoUsd: 0 });
});

test.skipIf(missingPostgres)(
  'generations beyond retention are dropped by the day, and what they cost stays',
  async () => {
    const url = await openDatabase();
    const dir = await makeFolder();
    const first = await openStore({ url, dir, retentionDays: 100 });
    const now = Date.now();
    const records = [0, -29, -30, -31, -60].map((days) => makeRecord(now + days * DAY_MS));
    for (const record of records) await first.generations.append(record, toContent('x'));
    expect(await first.generations.count()).toBe(5);
    expect(await first.generations.completeFromMs?.()).toBeUndefined();
    await first.close();

    const open = (): Promise<Store> => openStore({ url, dir, retentionDays: 30 });
    const stores = [await open(), await openStore({ url, retentionDays: 30 })];
    const { generations, retention } = stores[0] as Store;
    const kept = [-30, -29, 0, 1].map((days) => dayOf(now + days * DAY_MS));
    await expect.poll(() => listDays(url)).toEqual(kept);
    expect(await generations.count()).toBe(3);
    expect(await generations.completeFromMs?.()).toBe(Date.parse(dayOf(now - 30 * DAY_MS)));
    expect(await generations.get(records[3]?.generation.id ?? '')).toBeUndefined();
    expect(await generations.getContent(records[4]?.generation.id ?? '')).toBeUndefined();
    expect(await generations.getContent(records[2]?.generation.id ?? '')).toEqual(toContent('x'));
    expect(await generations.spentNanoUsd('key-1')).toBe(5000);
    expect(await generations.spent({ since: dayOf(now - 31 * DAY_MS) })).toMatchObject({ creditsNanoUsd: 4000 });
    expect(retention?.isHeld()).toBe(false);
    // The days that no query tells apart are one row.
    const countDays = () => runStatement(url, `select count(*)::int as n from gateway.spending where kind = 'key'`);
    await expect.poll(countDays).toEqual([{ n: 5 }]);
  },
);

test.skipIf(missingPostgres)(
  'how long is kept is changed at one process, counted before, and followed by another',
  async () => {
    const url = await openDatabase();
    const first = await openStore({ url, retentionDays: 100 });
    const now = Date.now();
    const records = [0, -5, -20].map((days) => makeRecord(now + days * DAY_MS));
    for (const record of records) await first.generations.append(record, toContent('x'));
    expect(await first.generations.count()).toBe(3);
    const { changes } = first.retention ?? {};
    const losses = await changes?.preview({ days: 10, contentDays: 2 });
    expect(losses).toMatchObject({ generations: 1, contents: 2, contentBytes: expect.any(Number) });
    await first.settings.update((settings) => ({ ...settings, retention: { days: 10, content_days: 2 } }));
    await changes?.apply();
    expect(await first.generations.count()).toBe(2);
    const [today, before, gone] = records.map(({ generation }) => generation.id);
    expect(await first.generations.get(gone ?? '')).toBeUndefined();
    expect(await first.generations.getContent(before ?? '')).toBeUndefined();
    expect(await first.generations.getContent(today ?? '')).toEqual(toContent('x'));
    const second = await openStore({ url, retentionDays: 100 });
    await expect.poll(() => second.settings.get().retention).toEqual({ days: 10, content_days: 2 });
    await second.retention?.changes?.apply();
    expect(await second.generations.count()).toBe(2);
  },
);

test.skipIf(missingPostgres)(
  'a journal that comes again when retention has dropped its days is neither stored nor counted again',
  async () => {
    const url = await openDatabase();
    const now = Date.now();
    const records = [-40, -31, 0].map((days) => makeRecord(now + days * DAY_MS));
    const [dir, again] = [await makeFolder(), await makeFolder()];
    const journal = await openRecordJournal({ dir });
    for (const record of records) {
      await journal.append({ id: record.generation.id, record: JSON.stringify(record), content: null });
    }
    await journal.close();
    await cp(dir, again, { recursive: true });
    const first = await openStore({ url, dir, retentionDays: 100 });
    await expect.poll(() => first.generations.spentNanoUsd('key-1')).toBe(3000);
    await first.close();
    const dropping = await openStore({ url, retentionDays: 30 });
    await expect.poll(() => dropping.generations.count()).toBe(1);

    const second = await openStore({ url, dir: again, retentionDays: 30 });
    await expect.poll(() => second.said).toEqual([expect.stringContaining('not stored or counted')]);
    expect(second.retention?.countLate?.()).toBe(2);
    expect(await readWritten(url)).toMatchObject({ generations: 1, spentNano: 3000, keysNano: 3000 });
    expect(await listDays(url)).toEqual([0, 1].map((days) => dayOf(now + days * DAY_MS)));
    await second.close();
    const emptied = await openRecordJournal({ dir: again });
    expect(emptied.recovered).toEqual([]);
    await emptied.close();
  },
);

test.skipIf(missingPostgres)(
  'days that were dropped by clocks far ahead are taken again once these are right',
  async () => {
    const url = await openDatabase();
    await openStore({ url });
    await runStatement(url, `insert into gateway.dropped_days values (current_date), (current_date + 1)`);
    const store = await openStore({ url });
    await store.generations.append(makeRecord(), null);
    expect(await readWritten(url)).toMatchObject({ generations: 1, spentNano: 1000 });
  },
);

test.skipIf(missingPostgres)('a clock that is ahead of that of the database drops nothing', async () => {
  const url = await openDatabase();
  const first = await openStore({ url });
  await first.generations.append(makeRecord(), null);
  const ahead = await openStore({ url, now: () => Date.now() + 400 * DAY_MS });
  expect(ahead.retention?.isHeld()).toBe(true);
  expect(ahead.said).toEqual([expect.stringContaining('ahead of that of the database')]);
  expect(await first.generations.count()).toBe(1);
});

test.skipIf(missingPostgres)('a content that is deleted is in no table any more', async () => {
  const url = await openDatabase();
  const store = await openStore({ url, dir: await makeFolder() });
  const record = makeRecord();
  await store.generations.append(record, toContent('secret word'));
  await store.generations.count();
  expect(await store.generations.deleteContent(record.generation.id)).toBe(true);
  expect(await runStatement(url, 'select * from gateway.contents')).toEqual([]);
  expect(await runStatement(url, `select * from gateway.generations where record like '%secret word%'`)).toEqual([]);
});

test.skipIf(missingPostgres)(
  'a cost beyond all sense, as a provider may report it, holds up no other generation',
  async () => {
    const url = await openDatabase();
    const store = await openStore({ url, dir: await makeFolder() });
    const absurd = [1e19, 1e30, -1e19, Number.MAX_VALUE].map((costNanoUsd) => ({ ...makeRecord(), costNanoUsd }));
    const usual = Array.from({ length: 5 }, () => makeRecord());
    const counted: string[] = [];
    store.generations.onCounted?.((ids) => counted.push(...ids));
    for (const record of [...absurd, ...usual]) await store.generations.append(record, null);
    await expect.poll(() => counted.length).toBe(9);
    await store.generations.append(makeRecord(), null);
    await expect.poll(() => counted.length).toBe(10);
    for (const { generation } of usual) expect(await store.generations.get(generation.id)).toBeDefined();
  },
);
