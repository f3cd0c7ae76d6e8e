import { expect, test } from 'vitest';

import { ask } from './support/ask.ts';
import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { missingPostgres, openEmptyDatabase } from './support/engines.ts';
import { runWith, serveWell } from './support/run-command.ts';

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
