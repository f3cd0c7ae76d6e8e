import { createPostgresStore } from '@model-gateway/postgres';
import { test } from 'vitest';

import { walkAsMembers } from '../contract/roles/walk.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';

test.skipIf(missingPostgres)(
  'shows a member of an organization in a PostgreSQL store what they would see if nothing of others were there',
  () =>
    walkAsMembers(async () => {
      const store = await createPostgresStore({ url: await openDatabase(), retentionDays: 100_000 });
      return { store, close: () => store.close() };
    }, 250),
  120_000,
);
