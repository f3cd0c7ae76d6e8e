import { createPostgresStore, migrateDatabase } from '@model-gateway/postgres';
import { describe, expect, test } from 'vitest';

import { toKey } from '../support/stores/generation-records.ts';
import { toVideoJob } from '../support/stores/video-jobs.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { runStatement } from './support/postgres-server.ts';
import { openStore } from './support/postgres-stores.ts';

const APPLIED = 'select name from gateway.migrations order by name';

describe.skipIf(missingPostgres)('Migrating a database', () => {
  test('resolves with what it applied, in order, and applies nothing twice', async () => {
    const url = await openDatabase();
    const applied = await migrateDatabase({ url });
    expect(applied[0]).toBe('0001-tables');
    expect(applied).toEqual([...applied].toSorted());
    expect(await migrateDatabase({ url })).toEqual([]);
    expect(await runStatement(url, APPLIED)).toEqual(applied.map((name) => ({ name })));
  });

  test('is done once where three processes do it at the same time', async () => {
    const url = await openDatabase();
    const applied = await Promise.all([1, 2, 3].map(() => migrateDatabase({ url })));
    const all = applied.flat();
    expect(all).toHaveLength(new Set(all).size);
    expect(await runStatement(url, APPLIED)).toHaveLength(all.length);
  });

  test('is done by whichever of three stores is first, and all are ready', async () => {
    const url = await openDatabase();
    const stores = await Promise.all([1, 2, 3].map(() => openStore(url)));
    for (const store of stores) expect(store.readiness?.()).toEqual({ isReady: true });
    await stores[0]?.keys.insert(toKey('a'));
    await expect.poll(() => stores[2]?.keys.get('a')).toEqual(toKey('a'));
  });

  test('is refused, and so is a start, where a newer version has been before', async () => {
    const url = await openDatabase();
    await migrateDatabase({ url });
    await runStatement(url, "insert into gateway.migrations (name) values ('9000-of-tomorrow')");
    const sentence =
      /^The database was migrated by a newer version of the gateway \(9000-of-tomorrow\): update this one/;
    await expect(migrateDatabase({ url })).rejects.toThrow(sentence);
    await expect(createPostgresStore({ url })).rejects.toThrow(sentence);
    await expect(createPostgresStore({ url, migrates: false })).rejects.toThrow(sentence);
  });

  test('leaves nothing of a migration that fails, and goes on from there', async () => {
    const url = await openDatabase();
    await runStatement(url, 'create schema gateway');
    await runStatement(url, 'create table gateway.entries (id text)');
    await expect(migrateDatabase({ url })).rejects.toThrow(/relation "entries" already exists/);
    expect(await runStatement(url, "select to_regclass('gateway.table_rows') as found")).toEqual([{ found: null }]);
    await runStatement(url, 'drop table gateway.entries');
    expect(await migrateDatabase({ url })).toContain('0001-tables');
  });

  test('is left to somebody else where a store is told so, which then gets ready by itself', async () => {
    const url = await openDatabase();
    const store = await openStore(url, { migrates: false });
    const reason = expect.stringMatching(
      /^The database lacks the migrations 0001-tables, .*: run model-gateway migrate$/,
    );
    expect(store.readiness?.()).toEqual({ isReady: false, reason });
    expect(() => store.keys.list()).toThrow(expect.objectContaining({ name: 'GatewayError', status: 503 }));
    await expect(store.broadcasts.list()).rejects.toMatchObject({ name: 'GatewayError', status: 503 });
    expect(await runStatement(url, "select to_regnamespace('gateway') as found")).toEqual([{ found: null }]);
    await migrateDatabase({ url });
    await expect.poll(() => store.readiness?.(), { timeout: 8000 }).toEqual({ isReady: true });
  });

  test('knows of video jobs that were there before what lists narrow them to, and of those that a former version writes', async () => {
    const url = await openDatabase();
    const store = await openStore(url);
    const odd = { principalId: 'a\0b\\u0000 \ud800', user: '"status":"failed" \u{1F600}' };
    const delivery = { url: 'https://a.example', body: '{}', attempts: 1, nextAttemptAt: 0, lastResult: '\0' };
    const done = toVideoJob('done', { ...odd, status: 'completed', delivery: { ...delivery, state: 'delivered' } });
    await store.videoJobs.insert(done);
    await runStatement(url, 'alter table gateway.video_jobs drop column status, drop column announcement');
    await runStatement(url, "delete from gateway.migrations where name = '0008-video-lists'");
    await store.videoJobs.insert(toVideoJob('open', odd));
    expect(await migrateDatabase({ url })).toEqual(['0008-video-lists']);
    await store.videoJobs.update('open', (job) => ({ ...job, status: 'in_progress' }));
    expect(await store.videoJobs.page?.({ status: 'completed', limit: 9 })).toEqual({ jobs: [done], totalCount: 1 });
    expect(await store.videoJobs.page?.({ status: 'in_progress', limit: 9 })).toMatchObject({ totalCount: 1 });
    expect(await store.videoJobs.page?.({ announcement: 'any', limit: 9 })).toEqual({ jobs: [done], totalCount: 1 });
  });

  test('needs no right to make schemas where there is one already', async () => {
    const url = await openDatabase();
    const name = new URL(url).pathname.slice(1);
    const role = `owner_${name.slice(-12)}`;
    await runStatement(url, `create role ${role} login password 'owns'`);
    await runStatement(url, `create schema gateway authorization ${role}`);
    const own = Object.assign(new URL(url), { username: role, password: 'owns' }).href;
    expect(await migrateDatabase({ url: own })).toContain('0001-tables');
    await runStatement(url, `drop schema gateway cascade`);
    await runStatement(url, `drop role ${role}`);
  });
});
