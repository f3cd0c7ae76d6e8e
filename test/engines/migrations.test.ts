import { createPostgresStore, migrateDatabase } from '@model-gateway/postgres';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createDatabaseConnection } from '../../packages/postgres/src/connection/connection.ts';
import { buildIndexes } from '../../packages/postgres/src/migrations/build-indexes.ts';
import { migrate } from '../../packages/postgres/src/migrations/migrate.ts';
import { MIGRATIONS } from '../../packages/postgres/src/migrations/migrations.ts';
import { toKey } from '../support/stores/generation-records.ts';
import { toVideoJob } from '../support/stores/video-jobs.ts';
import { fillGenerations } from './million/fill-generations.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeRecord } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';
import { openStore } from './support/postgres-stores.ts';

const ROWS = 4000;
const END_MS = Date.UTC(2026, 2, 31, 20, 47, 13);
const HOUR_MS = 60 * 60 * 1000;
/** Numbers of migrations after which one is filled: before changes of lists, and before each change of sums. */
const FORMER = [7, 9, 10];

/** A database at a former version, with calls of which most are in the sums. The same each time. */
async function openFilled(count: number): Promise<string> {
  const url = await openDatabase();
  const connection = createDatabaseConnection({ url });
  await migrate(connection, MIGRATIONS.slice(0, count));
  await connection.close();
  await fillGenerations({ url, rows: ROWS, endMs: END_MS, seed: 0.5 });
  for (const sign of [-1, 1]) {
    await runStatement(
      url,
      `insert into gateway.generation_changes select ${sign}, created_at_ms, model, provider_name, endpoint_id,
        principal_id, user_id, workspace_id, app, status, cost_nano, is_byok, prompt_tokens, completion_tokens,
        reasoning_tokens, first_token_ms, tokens_per_second from gateway.generations where id like '%5'`,
    );
    if (sign === -1) await runStatement(url, 'select gateway.fold_generation_changes(100000)');
  }
  return url;
}

/** What lists, charts and counts say. */
async function readFigures(url: string) {
  const store = await openStore(url, { now: () => END_MS });
  const { generations } = store;
  const chart = { filter: {}, startMs: END_MS - 30 * 24 * HOUR_MS, bucketMs: 24 * HOUR_MS, buckets: 31 };
  const split = (by: 'model' | 'key' | 'member') => ({ by, rank: 'cost', limit: 5 }) as const;
  const failed = { ...chart, filter: { statuses: new Set(['failed', 'cancelled'] as const) } };
  const figures = {
    total: (await generations.facets({})).total,
    charts: [
      await generations.histogram(chart),
      await generations.histogram({ ...chart, bucketMs: HOUR_MS, buckets: 500, split: split('model') }),
      await generations.histogram({ ...failed, split: split('member') }),
      await generations.histogram({
        ...chart,
        filter: { models: new Set(['maker-7/model-17']) },
        split: split('model'),
      }),
    ],
    facets: [await generations.facets({}), await generations.facets({ principalIds: new Set(['key-7']) })],
    activity: (await generations.activity({ since: '2026-03-05' })).map((sum) => JSON.stringify(sum)).toSorted(),
    list: await generations.page({ limit: 200, filter: { minCostNanoUsd: 10_000 } }),
    sorted: await generations.sorted({ limit: 50, sort: 'cost', order: 'asc' }),
    sessions: await generations.sessions({ limit: 50 }),
  };
  await store.close();
  return figures;
}

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

  test(
    'keeps all lists and figures of a database that was filled at any version since sums are kept',
    { timeout: 120_000 },
    async () => {
      const filled = await openFilled(MIGRATIONS.length);
      const wanted = await readFigures(filled);
      expect(wanted.total).toBe(ROWS);
      for (const count of FORMER) {
        const url = await openFilled(count);
        const applied = await migrateDatabase({ url });
        expect(applied).toEqual(MIGRATIONS.slice(count).map(([name]) => name));
        expect(await readFigures(url), `from ${MIGRATIONS[count - 1]?.[0] ?? ''}`).toEqual(wanted);
      }
    },
  );

  test(
    'builds indexes while calls are recorded, and anew what an interrupted build has left',
    { timeout: 60_000 },
    async () => {
      const url = await openDatabase();
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
      await expect.poll(() => runStatement(url, waiting), { timeout: 20_000 }).toHaveLength(1);
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
    },
  );

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
