import { migrateDatabase } from '@model-gateway/postgres';
import { expect, test } from 'vitest';

import { missingPostgres, openDatabase, openEmptyDatabase } from './support/engines.ts';
import { runStatement, startPostgres } from './support/postgres-server.ts';

test.skipIf(missingPostgres)('a database is empty and has the encoding that texts of models need', async () => {
  const url = await openEmptyDatabase();
  expect(await runStatement(url, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }]);
});

test.skipIf(missingPostgres)('databases of one test have all tables, no data, and ids of their own', async () => {
  const urls = await Promise.all([openDatabase(), openDatabase(), openDatabase()]);
  const ids = new Set<unknown>();
  for (const url of urls) {
    expect(await migrateDatabase({ url })).toEqual([]);
    expect(await runStatement(url, 'select id from gateway.generations')).toEqual([]);
    for (const row of await runStatement(url, 'select id from gateway.store_id')) ids.add(Object(row).id);
  }
  expect(ids.size).toBe(3);
});

test.skipIf(missingPostgres)('a server that was killed has its data again', async () => {
  const server = await startPostgres({ fsync: 'on' });
  try {
    const url = await server.createDatabase();
    await runStatement(url, 'create table t as select 7 as n');
    await server.kill();
    await expect(runStatement(url, 'select n from t')).rejects.toThrow(/ECONNREFUSED/);
    await server.start();
    expect(await runStatement(url, 'select n from t')).toEqual([{ n: 7 }]);
  } finally {
    await server.remove();
  }
});
