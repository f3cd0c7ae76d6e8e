import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { toContent } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeRecord, openStore } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A store with a content of each of these days ago, told to keep contents for a day. */
async function openShortened(daysAgo: readonly number[]) {
  const url = await openDatabase();
  const store = await openStore({ url, retentionDays: 100, statementTimeoutMs: 500 });
  const atMs = Date.now();
  for (const days of daysAgo) await store.generations.append(makeRecord(atMs - days * DAY_MS), toContent('x'));
  await store.generations.count();
  await store.settings.update((settings) => ({ ...settings, retention: { days: 100, content_days: 1 } }));
  const partOf = (days: number): string =>
    `gateway.contents_${new Date(atMs - days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const count = async (days: number): Promise<unknown> =>
    (await runStatement(url, `select count(*)::int as n from ${partOf(days)}`))[0];
  return { url, store, partOf, count, changes: store.retention?.changes };
}

async function openClient(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.skipIf(missingPostgres)('Contents that are to be kept for fewer days', () => {
  test('are deleted day by day, also where one of the days fails, which is reported', async () => {
    const { url, partOf, count, changes } = await openShortened([9, 6, 3, 0]);
    await runStatement(
      url,
      `create function gateway.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    );
    await runStatement(
      url,
      `create trigger refuse before delete on ${partOf(6)} for each row execute function gateway.refuse()`,
    );
    await expect(changes?.apply()).rejects.toThrow(/./);
    expect(await Promise.all([9, 6, 3, 0].map(count))).toEqual([{ n: 0 }, { n: 1 }, { n: 0 }, { n: 1 }]);
    await runStatement(url, `drop trigger refuse on ${partOf(6)}`);
    await changes?.apply();
    expect(await count(6)).toEqual({ n: 0 });
  });

  test('are deleted in pieces, however many there are', async () => {
    const { url, partOf, count, changes } = await openShortened([9, 0]);
    await runStatement(
      url,
      `insert into ${partOf(9)} (day, id, content) select day, 'many-' || number, content
       from ${partOf(9)}, generate_series(1, 20500) as number`,
    );
    await runStatement(
      url,
      `create function gateway.count_pieces() returns trigger language plpgsql as $$ begin
         insert into gateway.pieces select count(*) from gone; return null; end $$`,
    );
    await runStatement(url, 'create table gateway.pieces (deleted bigint)');
    await runStatement(
      url,
      `create trigger count_pieces after delete on gateway.contents referencing old table as gone
       for each statement execute function gateway.count_pieces()`,
    );
    await changes?.apply();
    await expect.poll(() => count(9), { timeout: 10_000 }).toEqual({ n: 0 });
    const pieces = await runStatement(url, 'select deleted::int as n from gateway.pieces where deleted > 0');
    expect(pieces).toEqual([{ n: 20_000 }, { n: 501 }]);
  });

  test('do not hold up the change while it takes long, and what is done stays done', async () => {
    const { url, partOf, count, changes } = await openShortened([9, 6, 0]);
    const busy = await openClient(url);
    await busy.query(`begin; select 1 from ${partOf(6)} for update`);
    await changes?.apply();
    expect([await count(9), await count(6)]).toEqual([{ n: 0 }, { n: 1 }]);
    await busy.query('commit');
    await expect.poll(() => count(6)).toEqual({ n: 0 });
  });

  test('are counted before, however long that takes', async () => {
    const { url, changes } = await openShortened([9, 0]);
    const busy = await openClient(url);
    await busy.query('begin; lock table gateway.contents in access exclusive mode');
    const counted = changes?.preview({ days: 100, contentDays: 1 });
    // Longer than any other statement may take.
    const isOver = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and now() - query_start > interval '1 second'`;
    await expect.poll(() => runStatement(url, isOver), { timeout: 5000 }).toHaveLength(1);
    await busy.query('commit');
    expect(await counted).toMatchObject({ generations: 0, contents: 1 });
  });
});

test.skipIf(missingPostgres)(
  'a day that cannot be dropped holds up no other, and keeps what belongs to it',
  async () => {
    const { url, store, changes } = await openShortened([9, 6, 0]);
    const dayOf = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
    const partOf = (days: number): string => `generations_${dayOf(days).replaceAll('-', '')}`;
    await runStatement(url, `create view public.reader as select id from gateway.${partOf(9)}`);
    await store.settings.update((settings) => ({ ...settings, retention: { days: 2, content_days: null } }));
    await expect(changes?.apply()).rejects.toThrow('depend');
    const parts = (days: number) => runStatement(url, `select to_regclass('gateway.${partOf(days)}') is null as gone`);
    expect([await parts(9), await parts(6)]).toEqual([[{ gone: false }], [{ gone: true }]]);
    await runStatement(url, 'drop view public.reader');
    await changes?.apply();
    expect(await parts(9)).toEqual([{ gone: true }]);
  },
);
