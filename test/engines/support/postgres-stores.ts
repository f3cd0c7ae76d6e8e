import type { Store } from '@model-gateway/core';
import { createPostgresStore, type PostgresStoreOptions } from '@model-gateway/postgres';
import { onTestFinished } from 'vitest';

import { openDatabase } from './engines.ts';
import { runStatement } from './postgres-server.ts';

/** Opens a store that is closed when the test has ended. The generations of tests are older than what is kept by default. */
export async function openStore(url: string, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  const store = await createPostgresStore({ url, retentionDays: 100_000, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** On a busy machine, many connections at once take longer to make than a caller of the gateway is to wait. */
export const PATIENT = { connectTimeoutMs: 30_000 };

/** Two stores at one database without data, as two processes have them. */
export async function openTwoStores(): Promise<{ url: string; one: Store; other: Store }> {
  const url = await openDatabase();
  return { url, one: await openStore(url, PATIENT), other: await openStore(url, PATIENT) };
}

/** Ends the connections of a database that listen to notifications. Resolves with how many that were. */
export async function endListeners(url: string): Promise<number> {
  const rows = await runStatement(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and (query ilike 'listen %' or query = 'select 1')`,
  );
  return rows.length;
}
