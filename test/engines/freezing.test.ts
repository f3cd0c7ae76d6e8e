import { expect, test } from 'vitest';

import { toContent } from '../support/stores/generation-records.ts';
import { missingPostgres } from './support/engines.ts';
import { makeRecord } from './support/generation-stores.ts';
import { startOwnPostgres } from './support/own-servers.ts';
import { runStatement } from './support/postgres-server.ts';
import { openStore } from './support/postgres-stores.ts';

/** The least that PostgreSQL takes: older rows are frozen by force. */
const FREEZE_MAX_AGE = 100_000;

/** Begins and ends so many transactions that write. */
const burn = (url: string, transactions: number) =>
  runStatement(
    url,
    `do $$ begin
       for i in 1..${transactions} loop perform pg_current_xact_id(); commit; end loop;
     end $$`,
  );

test.skipIf(missingPostgres)(
  'autovacuum freezes the whole server while the connections of a gateway live',
  async () => {
    const { url } = await startOwnPostgres({
      autovacuum_freeze_max_age: String(FREEZE_MAX_AGE),
      autovacuum_naptime: '1s',
      autovacuum_max_workers: '6',
      synchronous_commit: 'off',
    });
    const store = await openStore(url, { maxConnections: 2 });
    const records = [makeRecord(), makeRecord()] as const;
    await store.generations.append(records[0], toContent(records[0].generation.id));
    await store.generations.update({ ...records[0], costNanoUsd: 5 });
    const readConnections = async () =>
      (await runStatement(
        url,
        `select pid from pg_stat_activity where datname = current_database() and application_name = 'model-gateway'
           order by pid`,
      )) as readonly { readonly pid: number }[];
    const before = await readConnections();
    await burn(url, FREEZE_MAX_AGE * 1.2);
    const readOld = () =>
      runStatement(
        url,
        `select relname as name, age(relfrozenxid) as age from pg_class
           where relkind in ('r', 't') and age(relfrozenxid) > ${FREEZE_MAX_AGE}
         union all select datname, age(datfrozenxid) from pg_database where age(datfrozenxid) > ${FREEZE_MAX_AGE}`,
      );
    await expect.poll(readOld, { timeout: 60_000, interval: 500 }).toEqual([]);
    const pids = new Set((await readConnections()).map(({ pid }) => pid));
    expect(before.filter(({ pid }) => pids.has(pid)).length).toBeGreaterThan(0);
    await store.generations.append(records[1], null);
    expect(await store.generations.count()).toBe(2);
  },
);
