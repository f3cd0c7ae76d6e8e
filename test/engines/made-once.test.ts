import { expect, test } from 'vitest';

import { TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { openClusterConfig } from './support/cluster-config.ts';
import { missingEngines } from './support/engines.ts';
import { type Instance, startInstances } from './support/instances.ts';

/** Asks all instances at the same moment, and resolves with the statuses of their responses in order. */
async function askAll(instances: readonly Instance[], path: string, body: object): Promise<number[]> {
  const headers = { authorization: `Bearer ${TEST_MANAGEMENT_KEY}`, 'content-type': 'application/json' };
  const asked = instances.map(({ url }) => fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) }));
  return (await Promise.all(asked)).map(({ status }) => status).toSorted((one, other) => one - other);
}

test.skipIf(missingEngines)(
  'what may be there once is made once when three instances are asked for it at the same moment',
  async () => {
    const { config } = await openClusterConfig();
    const instances = await startInstances(3, () => config);
    const endpoints = [{ provider: 'scripted', providerModel: 'm', pricing: { prompt: '0', completion: '0' } }];
    for (const round of [1, 2, 3, 4, 5]) {
      const name = `n-${round}`;
      const made = [
        await askAll(instances, '/admin/v1/members', { user_id: name, role: 'member' }),
        await askAll(instances, '/api/v1/workspaces', { name, slug: name }),
        await askAll(instances, '/admin/v1/setup/models', { id: `made/${name}`, endpoints }),
      ];
      expect(made).toEqual([
        [201, 400, 400],
        [201, 400, 400],
        [201, 400, 400],
      ]);
    }
  },
);

test.skipIf(missingEngines)('a workspace has no more destinations of a type than one instance admits', async () => {
  const { config } = await openClusterConfig();
  const [one, other] = (await startInstances(2, () => config)) as [Instance, Instance];
  const body = { name: 'd', type: 'webhook', config: { url: 'https://example.com/' } };
  const path = '/api/v1/observability/destinations';
  const statuses = await askAll([one, other, one, other, one, other, one, other], path, body);
  expect(statuses).toEqual([201, 201, 201, 201, 201, 400, 400, 400]);
});
