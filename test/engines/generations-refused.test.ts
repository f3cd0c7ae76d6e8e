import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { toContent } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeFolder, makeId, makeRecord, openStore, openStoreOnFaultyDisk } from './support/generation-stores.ts';

/** Its id is longer than an index takes. */
function makeRefused() {
  const record = makeRecord();
  return { ...record, generation: { ...record.generation, id: `${makeId()}${randomBytes(5000).toString('hex')}` } };
}

test.skipIf(missingPostgres)('a record that fits no row is set aside, and those around it are stored', async () => {
  const dir = await makeFolder();
  const store = await openStore({ url: await openDatabase(), dir });
  const records = [makeRecord(), makeRefused(), makeRecord()];
  await Promise.all(records.map((record) => store.generations.append(record, toContent('x'))));
  await expect.poll(() => store.generations.count()).toBe(2);
  await expect.poll(() => store.said).toEqual([expect.stringContaining('set aside')]);
  expect(await readFile(join(dir, 'refused.ndjson'), 'utf8')).toContain(records[1]?.generation.id);
});

test.skipIf(missingPostgres)(
  'a refused record that the disk cannot set aside stops no other, and comes again with the next start',
  async () => {
    const url = await openDatabase();
    const dir = await makeFolder();
    const { store, files, said } = await openStoreOnFaultyDisk({ url, dir });
    await store.generations.append(makeRecord(), null);
    expect(await store.generations.count()).toBe(1);
    files.failAll('open', { code: 'ENOSPC' });
    const refused = makeRefused();
    const records = [makeRecord(), refused, makeRecord(), makeRecord()];
    await Promise.all(records.map((record) => store.generations.append(record, toContent('x'))));
    await expect.poll(() => store.generations.count()).toBe(4);
    expect(said.map(({ message }) => message)).toEqual([
      expect.stringContaining('refuses a generation'),
      expect.stringContaining('cannot be set aside'),
    ]);
    files.heal();
    await store.close();

    const again = await openStore({ url, dir });
    await expect.poll(() => again.said).toEqual([expect.stringContaining('refuses a generation')]);
    expect(await readFile(join(dir, 'refused.ndjson'), 'utf8')).toContain(refused.generation.id);
    expect(await again.generations.count()).toBe(4);
  },
);
