import { expect, onTestFinished, test } from 'vitest';

import { createDatabaseConnection } from '../../packages/postgres/src/connection/connection.ts';
import { createSnapshot, type Read, SlowQueryError } from '../../packages/postgres/src/generations/reader.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';

/** All that is asked of a query; kysely, which makes them, is a dependency of the store alone. */
const wait = { compile: () => ({ sql: 'select pg_sleep(0.2)', parameters: [] }) } as unknown as Parameters<Read>[0];

test.skipIf(missingPostgres)('the queries of a snapshot share its time', async () => {
  const connection = createDatabaseConnection({ url: await openDatabase(), notifications: 'poll' });
  onTestFinished(() => connection.close());
  const snapshot = createSnapshot({ useClient: connection.useReader }, () => performance.now());
  expect(await snapshot(5000, async (read) => [...(await read(wait)), ...(await read(wait))])).toHaveLength(2);
  let begun = 0;
  const waitLong = snapshot(500, async (read) => {
    for (begun = 1; begun <= 5; begun += 1) await read(wait);
  });
  await expect(waitLong).rejects.toThrow(SlowQueryError);
  expect(begun).toBeLessThanOrEqual(3);
});
