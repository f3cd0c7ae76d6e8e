import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

const NAMES = ['eu', 'EU-West-1', 'europe', 'us', 'us-east', 'asia', 'australia'];
const REGIONS = [
  ...NAMES.map((name) => ({ name, hosts: [`${name}.example`] })),
  { name: 'frankfurt', hosts: ['frankfurt.example'], dataRegion: 'europe' as const },
];
const PROVIDERS = Object.fromEntries(REGIONS.map(({ name }) => [name, { region: name }]));
const CHAT: ModelDefinition = {
  id: 'r/chat',
  endpoints: endpointsAt(Object.fromEntries(REGIONS.map(({ name }) => [name, 1]))),
};

test.each([
  ['gateway.example', 'global', undefined],
  ['eu.example', 'europe', 'eu'],
  ['eu-west-1.example', 'europe', 'EU-West-1'],
  ['europe.example', 'europe', 'europe'],
  ['us.example', 'us', 'us'],
  ['us-east.example', 'us', 'us-east'],
  ['asia.example', 'global', 'asia'],
  ['australia.example', 'global', 'australia'],
  ['frankfurt.example', 'europe', 'frankfurt'],
])('the record of a call by the address %s says %s, and %s in its own field', async (host, dataRegion, name) => {
  const { ask, store } = createRoutedGateway(PROVIDERS, [CHAT], { regions: REGIONS });
  expect((await ask({}, { host })).status).toBe(200);
  const { data_region, called_region } = store.appended.at(-1)?.record.generation ?? {};
  expect([data_region, called_region]).toEqual([dataRegion, name]);
});

test('a record says by which address the call came, whatever the region of the endpoint that served it', async () => {
  const { ask, askedFor, store } = createRoutedGateway(PROVIDERS, [CHAT], { regions: REGIONS });
  expect(await askedFor({ provider: { only: ['us'] } })).toEqual(['us']);
  expect(store.appended.at(-1)?.record.generation.data_region).toBe('global');
  expect((await ask({ provider: { only: ['us'] } }, { host: 'eu.example' })).status).toBe(404);
});

test('a guardrail allows a region by the word that the configuration gives it', async () => {
  const { ask, gateway, store } = createRoutedGateway(PROVIDERS, [CHAT], { regions: REGIONS });
  const call = async (method: string, path: string, body: object): Promise<Record<string, unknown>> =>
    jsonOf(
      await gateway.handle({
        method,
        path: `/api/v1${path}`,
        query: '',
        baseUrl: 'https://gateway.example',
        headers: { authorization: 'Bearer sk-test-management' },
        signal: new AbortController().signal,
        ...bodyOf(JSON.stringify(body)),
      }),
    );
  const { data: workspaces } = await call('GET', '/workspaces', {});
  const [{ default_guardrail_id: id } = { default_guardrail_id: '' }] = workspaces as {
    default_guardrail_id: string;
  }[];
  await call('PATCH', `/guardrails/${id}`, { allowed_data_regions: ['europe'] });
  const statuses = [];
  for (const host of ['gateway.example', 'frankfurt.example', 'EU-West-1.example', 'asia.example', 'us.example']) {
    statuses.push((await ask({}, { host })).status);
  }
  expect(statuses).toEqual([403, 200, 200, 403, 403]);
  expect(store.appended).toHaveLength(2);
});
