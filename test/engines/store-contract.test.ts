import { durableStoreCases, type StorePlace, storeCases } from '@model-gateway/core/testing';
import { createPostgresStore } from '@model-gateway/postgres';
import { describe } from 'vitest';

import { testStoreCases } from '../support/stores/test-store-cases.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { PATIENT } from './support/postgres-stores.ts';
import { openAsTwoProcesses } from './support/two-processes.ts';

/** The generations of the cases are older than what is kept by default. */
const FOR_EVER = 100_000;

const cases = [...storeCases, ...durableStoreCases];
/** Without a journal. */
const lacks = ['generations.noteRunning'] as const;

async function createPlace(): Promise<StorePlace> {
  const url = await openDatabase();
  return { open: () => createPostgresStore({ url, retentionDays: FOR_EVER, ...PATIENT }) };
}

/** What is written by one process is read by another, a second later at most. */
async function createSharedPlace(): Promise<StorePlace> {
  const url = await openDatabase();
  return { open: () => openAsTwoProcesses(() => createPostgresStore({ url, retentionDays: FOR_EVER, ...PATIENT })) };
}

describe.skipIf(missingPostgres)('The PostgreSQL store', () => {
  testStoreCases(cases, { createPlace, lacks });
});

describe.skipIf(missingPostgres)('The PostgreSQL store of two processes', () => {
  testStoreCases(cases, { createPlace: createSharedPlace, lacks });
});
