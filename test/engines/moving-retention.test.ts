import type { StoredFile } from '@model-gateway/core';
import { createJsonFileStore } from '@model-gateway/node';
import { expect, test } from 'vitest';

import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeRecord } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';
import { makeFolder, runWith } from './support/run-command.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A JSON-file store that generations of so many days ago are added to, for $1.000000001 each. */
function makeOldStore() {
  const dir = makeFolder();
  const start = Date.now();
  const append = async (daysAgo: readonly number[]): Promise<void> => {
    let now = start;
    const store = await createJsonFileStore({ dir, now: () => now, retentionDays: 365, trustsClock: true });
    for (const days of daysAgo) {
      now = start - days * DAY_MS;
      await store.generations.append(makeRecord(now, { principalId: 'key-old', costNanoUsd: 1_000_000_001 }), null);
    }
    await store.close();
  };
  return { dir, append };
}

/** What has been spent, by all and by the key, once that many generations count. */
const sumsOf = (count: number) => ['account', 'key'].map((kind) => ({ kind, nano: String(count * 1_000_000_001) }));

const readSums = (database: string) =>
  runStatement(
    database,
    'select kind, sum(credits_nano)::text as nano from gateway.spending group by kind order by kind',
  );

test.skipIf(missingPostgres)(
  'what was spent on generations that are too old to be moved counts, and once',
  async () => {
    const { dir, append } = makeOldStore();
    await append([60, 35, 2, 0]);
    const database = await openDatabase();
    const config = toClusterConfig(await openUpstream(), { database });
    for (let round = 0; round < 2; round += 1) {
      const ended = await runWith(config, ['import', '--from', dir]);
      expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('2 generations') as string });
      expect(await readSums(database)).toEqual(sumsOf(4));
    }
  },
);

test.skipIf(missingPostgres)(
  'what was moved counts once when the store is imported again after retention has dropped it',
  async () => {
    const { dir, append } = makeOldStore();
    await append([120, 60, 35, 2]);
    const [upstream, database] = [await openUpstream(), await openDatabase()];
    const importWith = async (retentionDays: number) => {
      const config = toClusterConfig(upstream, { database }, { logging: { retentionDays } });
      expect(await runWith(config, ['import', '--from', dir])).toMatchObject({ code: 0 });
      return readSums(database);
    };
    expect(await importWith(100)).toEqual(sumsOf(4));
    expect(await importWith(30)).toEqual(sumsOf(4));
    // Of a day that was moved before, and of one that retention has dropped meanwhile.
    await append([35, 31, 0]);
    expect(await importWith(30)).toEqual(sumsOf(7));
    expect(await importWith(30)).toEqual(sumsOf(7));
  },
);

test.skipIf(missingPostgres)('what the settings of a directory keep for longer than the config is moved', async () => {
  const { dir, append } = makeOldStore();
  await append([60, 35, 2]);
  const store = await createJsonFileStore({ dir, retentionDays: Infinity, trustsClock: true });
  await store.settings.update((now) => ({ ...now, retention: { days: 365, content_days: null, audit_days: null } }));
  const file: StoredFile = {
    id: 'file-1',
    workspaceId: 'w',
    filename: 'a.txt',
    mimeType: 'text/plain',
    bytes: 1,
    purpose: 'user_data',
    origin: 'uploaded',
    createdBy: 'key-old',
    createdAt: new Date().toISOString(),
    expiresAt: null,
    content: 'c1',
  };
  await store.files.insert(file);
  await store.close();
  const config = toClusterConfig(await openUpstream(), { database: await openDatabase() });
  const { code, stderr } = await runWith(config, ['import', '--from', dir]);
  expect(code).toBe(0);
  expect(stderr).toContain('3 generations');
  expect(stderr).toContain(`The import leaves 1 file in ${dir}`);
});
