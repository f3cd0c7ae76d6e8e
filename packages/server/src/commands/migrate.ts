import process from 'node:process';

import { findDatabase } from './find-store.ts';
import type { MigrateOptions } from './parse-migrate.ts';

/** Brings the database of a config to the schema of this version. */
export async function migrate({ config }: MigrateOptions): Promise<void> {
  const { store } = await findDatabase(config);
  const { migrateDatabase } = await import('@model-gateway/postgres');
  const applied = await migrateDatabase({ url: store.url, urlName: 'store.url' });
  const did = applied.length === 0 ? 'The database is up to date' : `Applied ${applied.join(', ')}`;
  process.stderr.write(`${did}.\n`);
}
