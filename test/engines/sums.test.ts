import { migrateDatabase } from '@model-gateway/postgres';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { fillGenerations } from './million/fill-generations.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeRecord } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';
import { openStore } from './support/postgres-stores.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test.skipIf(missingPostgres)('cells stay few, however often they are added to', async () => {
  const url = await openDatabase();
  await migrateDatabase({ url });
  // Each of seven cells gets 3 every seventh time; one gets 5 and loses it again.
  const [row] = await runStatement(
    url,
    `with recursive steps as (
       select 0 as step, '{}'::bigint[] as cells
       union all
       select step + 1, gateway.add_cells(gateway.add_cells(cells, gateway.count_cell('{}', step % 7 - 200, 3)),
         gateway.count_cell('{}', 90, case when step % 2 = 0 then 5 else -5 end)) from steps where step < 1000
     )
     select cells::text as cells, pg_column_size(cells) as bytes,
       (select json_agg(json_build_array(cell, cells[cell]) order by cell) from generate_subscripts(cells, 1) as cell
         where cells[cell] <> 0) as counts
     from steps where step = 1000`,
  );
  const { bytes, counts, cells } = row as { bytes: number; counts: unknown; cells: string };
  expect(bytes).toBeLessThanOrEqual(600);
  expect(cells.startsWith('[-200:90]=')).toBe(true);
  expect(counts).toEqual([
    [-200, 429],
    [-199, 429],
    [-198, 429],
    [-197, 429],
    [-196, 429],
    [-195, 429],
    [-194, 426],
  ]);
});

test.skipIf(missingPostgres)('sums of the days before are forgotten in all tables, and no others', async () => {
  const url = await openDatabase();
  await migrateDatabase({ url });
  await fillGenerations({ url, rows: 300, endMs: Date.UTC(2026, 2, 31) });
  const count = (): Promise<unknown[]> =>
    runStatement(
      url,
      `select name, first_ms, rows::integer from (
         select 'activity' as name, min(day_ms) as first_ms, count(*) as rows from gateway.generation_activity
         union all select 'days', min(day_ms), count(*) from gateway.generation_days
         union all select 'sums', min(start_ms), count(*) from gateway.generation_sums where grain_ms = 86400000
         union all select 'sketches', min(start_ms), count(*) from gateway.generation_sketches where grain_ms = 86400000
       ) as tables order by name`,
    );
  const before = await count();
  await runStatement(url, "select gateway.forget_generation_sums('2026-01-01')");
  expect(await count()).toEqual(before);
  await runStatement(url, "select gateway.forget_generation_sums('2026-03-21')");
  const firstMs = String(Date.UTC(2026, 2, 21));
  expect(await count()).toEqual(
    ['activity', 'days', 'sketches', 'sums'].map((name) => ({
      name,
      first_ms: firstMs,
      rows: expect.any(Number) as unknown,
    })),
  );
});

test.skipIf(missingPostgres)(
  'what takes too long to be added to the sums at once is added in smaller pieces',
  async () => {
    const url = await openDatabase();
    await migrateDatabase({ url });
    const rows = 3000;
    await fillGenerations({ url, rows, endMs: Date.UTC(2026, 2, 31) });
    await runStatement(url, 'select gateway.forget_generation_sums(current_date)');
    await runStatement(
      url,
      `insert into gateway.generation_changes select 1, created_at_ms, model, provider_name, endpoint_id, principal_id,
         user_id, workspace_id, app, status, cost_nano, is_byok, prompt_tokens, completion_tokens, reasoning_tokens,
         cached_tokens, saved_nano, first_token_ms, duration_ms, tokens_per_second, attempts from gateway.generations`,
    );
    // As slow as a busy disk: all rows at once take longer than a statement may.
    await runStatement(
      url,
      `create function gateway.be_slow() returns trigger language plpgsql as
         'begin perform pg_sleep(0.001); return old; end';
       create trigger slow before delete on gateway.generation_changes for each row execute function gateway.be_slow()`,
    );
    await openStore(url, { statementTimeoutMs: 1500 });
    const countWaiting = () => runStatement(url, 'select count(*)::int as n from gateway.generation_changes');
    await expect.poll(countWaiting, { timeout: 150_000, interval: 200 }).toEqual([{ n: 0 }]);
    const [sums] = await runStatement(
      url,
      `select sum(ok + failed + cancelled + interrupted)::int as requests from gateway.generation_sums
       where dimension = '' and grain_ms = 86400000`,
    );
    expect(sums).toEqual({ requests: rows });
  },
);

test.skipIf(missingPostgres)(
  'a store is ready and records while retention waits, and drops what is old once it can',
  async () => {
    const url = await openDatabase();
    await migrateDatabase({ url });
    await fillGenerations({ url, rows: 300, endMs: Date.now() - 60 * DAY_MS });
    const holder = new Client({ connectionString: url });
    holder.on('error', () => undefined);
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('begin; lock table gateway.generation_activity in share mode');
    // One that waits for retention is returned after eight seconds, and says that it is not ready.
    const store = await openStore(url, { retentionDays: 30 });
    expect(store.readiness?.()).toEqual({ isReady: true });
    await store.generations.append(makeRecord(), null);
    const countOld = () =>
      runStatement(
        url,
        `select count(*)::int as n from gateway.generation_days where day_ms < ${Date.now() - 31 * DAY_MS}`,
      );
    expect(await countOld()).not.toEqual([{ n: 0 }]);
    // Longer than a statement of a call may take.
    await holder.query('select pg_sleep(6)');
    await holder.query('commit');
    await expect.poll(countOld).toEqual([{ n: 0 }]);
  },
);
