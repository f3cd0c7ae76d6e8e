import { createPostgresStore } from '@model-gateway/postgres';
import { onTestFinished, test } from 'vitest';

import { expectSameNumbers, makeRecords } from '../support/stores/analytics-recount.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';

test.skipIf(missingPostgres)('analytics of PostgreSQL have the numbers of a recount, and of /activity', async () => {
  const records = makeRecords(600);
  const store = await createPostgresStore({ url: await openDatabase(), retentionDays: 100_000 });
  onTestFinished(() => store.close());
  await Promise.all(records.map((record) => store.generations.append(record, null)));
  await expectSameNumbers(store, records);
});
