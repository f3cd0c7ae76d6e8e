import { durableStoreCases, type StorePlace, storeCases } from '@model-gateway/core/testing';
import { createPostgresStore } from '@model-gateway/postgres';
import { describe, test } from 'vitest';

import { missingPostgres, openDatabase } from './support/engines.ts';

/** The generations of the cases are older than what is kept by default. */
const FOR_EVER = 100_000;

async function createPlace(): Promise<StorePlace> {
  const url = await openDatabase();
  return { open: () => createPostgresStore({ url, retentionDays: FOR_EVER }) };
}

describe.skipIf(missingPostgres)('The PostgreSQL store', () => {
  test.for([...storeCases, ...durableStoreCases].map(({ title, run }) => [title, run] as const))('%s', ([, run]) =>
    run(createPlace),
  );
});
