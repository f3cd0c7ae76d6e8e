import { createPostgresStore, migrateDatabase } from '@model-gateway/postgres';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createDatabaseConnection } from '../../packages/postgres/src/connection/connection.ts';
import { buildIndexes } from '../../packages/postgres/src/schema/indexes.ts';
import { toKey, toRecord } from '../support/stores/generation-records.ts';
import { toVideoJob } from '../support/stores/video-jobs.ts';
import { fillGenerations } from './million/fill-generations.ts';
import { missingPostgres, openEmptyDatabase } from './support/engines.ts';
import { makeRecord } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';
import { openStore } from './support/postgres-stores.ts';
import { createTestLogger } from './support/test-logger.ts';

const END_MS = Date.UTC(2026, 2, 31, 20, 47, 13);

const APPLIED = 'select name from gateway.migrations order by name';

describe.skipIf(missingPostgres)('Migrating a database', () => {
  test('resolves with what it applied, in order, and applies nothing twice', async () => {
    const url = await openEmptyDatabase();
    const applied = await migrateDatabase({ url });
    expect(applied[0]).toBe('0001-all');
    expect(applied).toEqual([...applied].toSorted());
    expect(await migrateDatabase({ url })).toEqual([]);
    expect(await runStatement(url, APPLIED)).toEqual(applied.map((name) => ({ name })));
  });

  test('leaves calls of a version without fees as they were, and counts the fees of later ones', async () => {
    const url = await openEmptyDatabase();
    const call = (id: string, fee?: number) =>
      toRecord(id, {
        costNanoUsd: 1000,
        generation: { created_at: '2026-03-02T00:00:00.000Z', is_byok: true, ...(fee && { byok_fee: fee / 1e9 }) },
      });
    const former = await createPostgresStore({ url, retentionDays: 100_000 });
    await former.generations.append(call('gen-1'), null);
    await former.close();
    for (const table of ['generations', 'generation_changes']) {
      await runStatement(url, `alter table gateway.${table} drop column fee_nano`);
    }
    await runStatement(url, "delete from gateway.migrations where name = '0009-own-key-fees'");
    const store = await createPostgresStore({ url, retentionDays: 100_000 });
    await store.generations.append(call('gen-2', 30), null);
    const sums = { creditsNanoUsd: 30, byokNanoUsd: 1970 };
    expect(await store.generations.spent({})).toEqual(sums);
    expect(await store.generations.activity({ since: '2026-03-02' })).toMatchObject([{ requests: 2, ...sums }]);
    expect(await store.generations.update({ ...call('gen-1', 5), costNanoUsd: 1005 })).toBe(true);
    expect(await store.generations.spent({})).toEqual({ creditsNanoUsd: 35, byokNanoUsd: 1970 });
    await store.close();
  });

  test('leaves video jobs of a version without fees as they were, and holds the fees of later ones', async () => {
    const url = await openEmptyDatabase();
    const former = await createPostgresStore({ url });
    await former.videoJobs.insert(toVideoJob('former', { isByok: true, reservedNanoUsd: 1000 }));
    await former.close();
    await runStatement(url, 'alter table gateway.video_jobs drop column reserved_fee_nano');
    await runStatement(url, "delete from gateway.migrations where name = '0010-video-fees'");
    const store = await createPostgresStore({ url });
    await store.videoJobs.insert(toVideoJob('later', { isByok: true, reservedNanoUsd: 1000, reservedFeeNanoUsd: 50 }));
    await store.videoJobs.update('former', (job) => ({ ...job, status: 'in_progress' }));
    const fees = 'select id, reserved_fee_nano::int as fee from gateway.video_jobs order by id';
    expect(await runStatement(url, fees)).toEqual([
      { id: 'former', fee: 0 },
      { id: 'later', fee: 50 },
    ]);
    await store.close();
  });

  test('holds up no calls while a long transaction, such as a backup, has the tables', async () => {
    const url = await openEmptyDatabase();
    await migrateDatabase({ url });
    const dropFees = ['generations', 'generation_changes'].map(
      (name) => `alter table gateway.${name} drop column fee_nano`,
    );
    for (const statement of dropFees) await runStatement(url, statement);
    await runStatement(url, "delete from gateway.migrations where name = '0009-own-key-fees'");
    const backup = new Client({ connectionString: url });
    backup.on('error', () => undefined);
    await backup.connect();
    onTestFinished(() => backup.end());
    await backup.query('begin; lock table gateway.generations in access share mode');
    const { logger, lines } = createTestLogger();
    const migrating = migrateDatabase({ url, logger });
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(() => runStatement(url, waiting), { interval: 20, timeout: 5000 }).toHaveLength(1);
    await runStatement(url, 'set statement_timeout = 2000; select count(*) from gateway.generations');
    await expect.poll(() => lines.join(), { interval: 20, timeout: 5000 }).toContain('is a backup running?');
    await backup.query('commit');
    expect(await migrating).toEqual(['0009-own-key-fees']);
  });

  test('is done once where three processes do it at the same time', async () => {
    const url = await openEmptyDatabase();
    const applied = await Promise.all([1, 2, 3].map(() => migrateDatabase({ url })));
    const all = applied.flat();
    expect(all).toHaveLength(new Set(all).size);
    expect(await runStatement(url, APPLIED)).toHaveLength(all.length);
  });

  test('is done by whichever of three stores is first, and all are ready', async () => {
    const url = await openEmptyDatabase();
    const stores = await Promise.all([1, 2, 3].map(() => openStore(url)));
    for (const store of stores) expect(store.readiness?.()).toEqual({ isReady: true });
    await stores[0]?.keys.insert(toKey('a'));
    await expect.poll(() => stores[2]?.keys.get('a')).toEqual(toKey('a'));
  });

  test('is refused, and so is a start, where a newer version has been before', async () => {
    const url = await openEmptyDatabase();
    await migrateDatabase({ url });
    await runStatement(url, "insert into gateway.migrations (name) values ('9000-of-tomorrow')");
    const sentence =
      /^The database was migrated by a newer version of the gateway \(9000-of-tomorrow\): update this one/;
    await expect(migrateDatabase({ url })).rejects.toThrow(sentence);
    await expect(createPostgresStore({ url })).rejects.toThrow(sentence);
    await expect(createPostgresStore({ url, migrates: false })).rejects.toThrow(sentence);
  });

  test('leaves nothing of a migration that fails, and goes on from there', async () => {
    const url = await openEmptyDatabase();
    await runStatement(url, 'create schema gateway');
    await runStatement(url, 'create table gateway.entries (id text)');
    await expect(migrateDatabase({ url })).rejects.toThrow(/relation "entries" already exists/);
    expect(await runStatement(url, "select to_regclass('gateway.table_rows') as found")).toEqual([{ found: null }]);
    await runStatement(url, 'drop table gateway.entries');
    expect(await migrateDatabase({ url })).toContain('0001-all');
  });

  test('is left to somebody else where a store is told so, which then gets ready by itself', async () => {
    const url = await openEmptyDatabase();
    const store = await openStore(url, { migrates: false });
    const reason = /^The database lacks the migrations 0001-all, .*: run model-gateway migrate$/;
    expect(store.readiness?.()).toEqual({ isReady: false, reason: expect.stringMatching(reason) as string });
    expect(() => store.keys.list()).toThrow(expect.objectContaining({ name: 'GatewayError', status: 503 }));
    await expect(store.broadcasts.list()).rejects.toMatchObject({ name: 'GatewayError', status: 503 });
    expect(await runStatement(url, "select to_regnamespace('gateway') as found")).toEqual([{ found: null }]);
    await migrateDatabase({ url });
    await expect.poll(() => store.readiness?.()).toEqual({ isReady: true });
  });

  test('is refused, and so is a start, where a version before the first release has been, with the way out', async () => {
    const url = await openEmptyDatabase();
    await runStatement(url, 'create schema gateway');
    await runStatement(url, 'create table gateway.migrations (name text primary key)');
    await runStatement(url, "insert into gateway.migrations values ('0001-tables'), ('0016-days-by-owner')");
    const sentence =
      /before the first release.*model-gateway export --to DIR.*another, empty database.*model-gateway import --from DIR/;
    await expect(migrateDatabase({ url })).rejects.toThrow(sentence);
    await expect(createPostgresStore({ url })).rejects.toThrow(sentence);
    await expect(createPostgresStore({ url, migrates: false })).rejects.toThrow(sentence);
    expect(await runStatement(url, "select to_regclass('gateway.table_rows') as found")).toEqual([{ found: null }]);
  });

  test('video jobs with odd texts have what lists narrow them to', async () => {
    const url = await openEmptyDatabase();
    const store = await openStore(url);
    const odd = { principalId: 'a\0b\\u0000 \ud800', user: '"status":"failed" \u{1F600}' };
    const delivery = { url: 'https://a.example', body: '{}', attempts: 1, nextAttemptAt: 0, lastResult: '\0' };
    const done = toVideoJob('done', { ...odd, status: 'completed', delivery: { ...delivery, state: 'delivered' } });
    await store.videoJobs.insert(done);
    await store.videoJobs.insert(toVideoJob('open', odd));
    await store.videoJobs.update('open', (job) => ({ ...job, status: 'in_progress' }));
    expect(await store.videoJobs.page?.({ status: 'completed', limit: 9 })).toEqual({ jobs: [done], totalCount: 1 });
    expect(await store.videoJobs.page?.({ status: 'in_progress', limit: 9 })).toMatchObject({ totalCount: 1 });
    expect(await store.videoJobs.page?.({ announcement: 'any', limit: 9 })).toEqual({ jobs: [done], totalCount: 1 });
  });

  test('builds indexes while calls are recorded, and again what an interrupted build has left', async () => {
    const url = await openEmptyDatabase();
    const names = ['generations_model', 'generations_cost', 'broadcasts_deliveries'];
    /** How many indexes each table has, and how many of these are whole. */
    const readIndexes = async () =>
      (await runStatement(
        url,
        `select indrelid::regclass::text as table, count(*)::int as all,
             (count(*) filter (where indisvalid))::int as whole
           from pg_index i join pg_class c on c.oid = i.indexrelid
           where c.relnamespace = 'gateway'::regnamespace group by 1 order by 1`,
      )) as readonly { readonly table: string; readonly all: number; readonly whole: number }[];
    await migrateDatabase({ url });
    await fillGenerations({ url, rows: 2000, endMs: END_MS });
    const complete = await readIndexes();
    for (const name of names) await runStatement(url, `drop index gateway.${name}`);
    const writer = new Client({ connectionString: url });
    writer.on('error', () => undefined);
    await writer.connect();
    onTestFinished(() => writer.end());
    // The last day that was filled.
    const day = 'gateway.generations_20260331';
    const touch = `update ${day} set cost_nano = cost_nano where id = (select min(id) from ${day})`;
    await writer.query(`begin; ${touch}`);
    const interrupted = createDatabaseConnection({ url, maxConnections: 1 });
    const build = buildIndexes(interrupted);
    build.catch(() => undefined);
    // It waits for the transaction that writes, and nobody who writes waits for it.
    const waiting = `select pid from pg_stat_activity where query like 'create index concurrently generations_%'
         and datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(() => runStatement(url, waiting)).toHaveLength(1);
    const store = await openStore(url);
    await store.generations.append(makeRecord(), null);
    await runStatement(url, `set statement_timeout = 2000; ${touch.replace('min(id)', 'max(id)')}`);
    await runStatement(url, waiting.replace('select pid', 'select pg_terminate_backend(pid)'));
    await expect(build).rejects.toThrow(/./);
    await interrupted.close();
    await store.close();
    expect((await readIndexes()).filter(({ all, whole }) => whole < all)).not.toEqual([]);

    await writer.query('commit');
    expect(await migrateDatabase({ url })).toEqual([]);
    expect(await readIndexes()).toEqual(expect.arrayContaining([...complete]));
  });

  test('needs no right to make schemas where there is one already', async () => {
    const url = await openEmptyDatabase();
    const name = new URL(url).pathname.slice(1);
    const role = `owner_${name.slice(-12)}`;
    await runStatement(url, `create role ${role} login password 'owns'`);
    await runStatement(url, `create schema gateway authorization ${role}`);
    const own = Object.assign(new URL(url), { username: role, password: 'owns' }).href;
    expect(await migrateDatabase({ url: own })).toContain('0001-all');
    await runStatement(url, `drop schema gateway cascade`);
    await runStatement(url, `drop role ${role}`);
  });
});
