import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

import { createDatabaseConnection } from '../../packages/postgres/src/connection/database-connection.ts';
import { createSnapshot, SlowQueryError } from '../../packages/postgres/src/generations/read/reader.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';

test.skipIf(missingPostgres)('the queries of a snapshot share its time', async () => {
  const connection = createDatabaseConnection({ url: await openDatabase(), notifications: 'poll' });
  onTestFinished(() => connection.close());
  const snapshot = createSnapshot({ useClient: connection.useReader }, () => performance.now());
  const wait = sql<{ done: boolean }>`select pg_sleep(0.2) is not null as done`;
  expect(await snapshot(5000, async (read) => [...(await read(wait)), ...(await read(wait))])).toHaveLength(2);
  let begun = 0;
  const waitLong = snapshot(500, async (read) => {
    for (begun = 1; begun <= 5; begun += 1) await read(wait);
  });
  await expect(waitLong).rejects.toThrow(SlowQueryError);
  expect(begun).toBeLessThanOrEqual(3);
});
