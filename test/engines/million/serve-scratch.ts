import { writeFileSync } from 'node:fs';

import { migrateDatabase } from '@model-gateway/postgres';

import { startPostgres } from '../support/postgres-server.ts';
import { fillGenerations } from './fill-generations.ts';
const server = await startPostgres({ shared_buffers: '256MB', max_wal_size: '4GB' });
const out: Record<string, string> = {};
for (const rows of [10_000, 1_000_000]) {
  const url = await server.createDatabase();
  await migrateDatabase({ url });
  const at = performance.now();
  await fillGenerations({ url, rows, endMs: Date.UTC(2026, 10, 23, 20, 47, 13) });
  console.log(rows, Math.round(performance.now() - at), url);
  out[rows] = url;
  writeFileSync('/tmp/q-scratch/urls.json', JSON.stringify(out));
}
setInterval(() => undefined, 1e6);
