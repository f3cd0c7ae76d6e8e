import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeRecord } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';
import { openStore } from './support/postgres-stores.ts';

test.skipIf(missingPostgres)('lists that take long leave connections to budgets', async () => {
  const url = await openDatabase();
  const store = await openStore(url, { maxConnections: 4 });
  await store.budgetSlices?.renew();
  for (let n = 0; n < 3; n += 1) await store.generations.append(makeRecord(), null);
  await store.generations.count();
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  // As a change of the schema does, or a table too large for its index.
  await client.query('begin; lock table gateway.generations in access exclusive mode');
  let ended = 0;
  const lists = Array.from({ length: 40 }, () =>
    store.generations
      .scan?.({ fromMs: 0, toMs: Date.now() }, () => undefined)
      .catch(() => undefined)
      .finally(() => (ended += 1)),
  );
  await expect
    .poll(async () => (await runStatement(url, 'select from pg_locks where not granted')).length)
    .toBeGreaterThan(0);
  const granted = await store.budgetSlices?.take({
    budget: { kind: 'key', spenderId: 'k', since: null, includesByok: false },
    limitNanoUsd: 100,
    keepNanoUsd: 0,
    needNanoUsd: 1,
    wantNanoUsd: 1,
    recalls: true,
  });
  expect(granted).toMatchObject({ sliceNanoUsd: 1 });
  // Each list has its connection still, or waits for one.
  expect(ended).toBe(0);
  await client.query('rollback');
  await Promise.all(lists);
});
