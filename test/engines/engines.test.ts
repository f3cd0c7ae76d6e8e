import { expect, test } from 'vitest';

import { missingPostgres, openDatabase } from './support/engines.ts';
import { runStatement, startPostgres } from './support/postgres-server.ts';

test.skipIf(missingPostgres)('a database is empty and has the encoding that texts of models need', async () => {
  const url = await openDatabase();
  expect(await runStatement(url, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }]);
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
