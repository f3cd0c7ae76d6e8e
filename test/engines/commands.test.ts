import { expect, test } from 'vitest';

import { ask } from './support/ask.ts';
import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { missingPostgres, openEmptyDatabase } from './support/engines.ts';
import { runStatement } from './support/postgres-server.ts';
import { makeFolder, runWith, serveWell } from './support/run-command.ts';

test.skipIf(missingPostgres)('a key is made in the database, beside a gateway and without one', async () => {
  const upstream = await openUpstream();
  const config = toClusterConfig(upstream, { database: await openEmptyDatabase() });
  const create = async (name: string): Promise<string> =>
    (await runWith(config, ['keys', 'create', '--name', name])).stdout.trim();
  const early = await create('early');
  const gateway = await serveWell(config);
  const late = await create('late');
  for (const key of [early, late]) {
    await expect
      .poll(() => ask(gateway.url, { key, model: 'test/text', isStreamed: false }))
      .toMatchObject({ status: 200 });
  }
});

test.skipIf(missingPostgres)('commands that only read leave migrations to the gateways, and say so', async () => {
  const database = await openEmptyDatabase();
  const config = toClusterConfig(await openUpstream(), { database });
  for (const args of [['doctor'], ['audit', 'verify'], ['export', '--to', `${makeFolder()}/copy`]]) {
    const { stdout, stderr } = await runWith(config, args);
    expect(stdout + stderr, args[0]).toContain('run model-gateway migrate');
  }
  const schema = await runStatement(database, `select to_regclass('gateway.generations')::text as name`);
  expect(schema).toEqual([{ name: null }]);
});
