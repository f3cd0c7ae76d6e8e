import { join } from 'node:path';

import { durableStoreCases, type StorePlace, storeCases } from '@model-gateway/core/testing';
import { openRecordJournal } from '@model-gateway/node';
import { createPostgresStore } from '@model-gateway/postgres';
import { describe } from 'vitest';

import { testStoreCases } from '../support/stores/test-store-cases.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeFolder } from './support/generation-stores.ts';

/** What the journal takes part in: single generations, spending and restarts. */
const OF_JOURNAL = /generation|content|prompt|append|spent|sums?\b|under way|goes on|odd ids|again/i;
const OTHERS = /chosen by|sorted|sessions|deliveries/i;

async function createPlace(): Promise<StorePlace> {
  const url = await openDatabase();
  const dir = join(await makeFolder(), 'journal');
  return {
    open: async () => createPostgresStore({ url, retentionDays: 100_000, journal: await openRecordJournal({ dir }) }),
  };
}

describe.skipIf(missingPostgres)('The PostgreSQL store with a journal', () => {
  const cases = [...storeCases, ...durableStoreCases].filter(
    ({ title }) => OF_JOURNAL.test(title) && !OTHERS.test(title),
  );
  testStoreCases(cases, { createPlace });
});
