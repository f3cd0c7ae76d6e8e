import { expect, test } from 'vitest';

import {
  API_KEY,
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createTurnTransport } from '../../../../test/support/upstreams/scripted-turns.ts';

const admin = { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } };

async function makeKey(core: CoreGateway, body: object): Promise<string> {
  const made = jsonOf(await core.post('/api/v1/keys', { name: 'k', ...body }, admin));
  return made['key'] as string;
}

/** Statuses of the record and the content of a call with one key, read with others. */
async function readCallOf(core: CoreGateway, key: string, readers: readonly string[]): Promise<number[]> {
  const response = await core.chat({}, { headers: { authorization: `Bearer ${key}` } });
  const id = String(response.headers['x-generation-id']);
  const statuses: number[] = [];
  for (const reader of readers) {
    const record = await core.get(`/api/v1/generation?id=${id}`, reader);
    const content = await core.get(`/api/v1/generation/content?id=${id}`, reader);
    expect(content.status).toBe(record.status);
    statuses.push(record.status);
  }
  return statuses;
}

test('a call is read by its own key, by other keys of the same owner and by management', async () => {
  const core = createCoreGateway(createTurnTransport([{ content: 'Hi' }]));
  const key = await makeKey(core, {});
  expect(await readCallOf(core, key, [key, await makeKey(core, {}), API_KEY, MANAGEMENT_KEY])).toEqual([
    200, 200, 200, 200,
  ]);
});

test('a call does not exist for keys that were made for another user, nor for those without one', async () => {
  const core = createCoreGateway(createTurnTransport([{ content: 'Hi' }]));
  const ada = await makeKey(core, { external: { user: 'ada' } });
  const bob = await makeKey(core, { external: { user: 'bob' } });
  const again = await makeKey(core, { external: { user: 'ada' } });
  expect(await readCallOf(core, ada, [ada, again, bob, API_KEY])).toEqual([200, 200, 404, 404]);
});

test('a call does not exist for keys of another workspace, whoever they were made for', async () => {
  const core = createCoreGateway(createTurnTransport([{ content: 'Hi' }]));
  const made = await core.post('/api/v1/workspaces', { name: 'Blue', slug: 'blue' }, admin);
  const { id } = jsonOf(made)['data'] as { readonly id: string };
  const blue = await makeKey(core, { workspace_id: id });
  const other = await makeKey(core, { workspace_id: id });
  const outside = await makeKey(core, {});
  expect(await readCallOf(core, blue, [blue, other, outside, API_KEY, MANAGEMENT_KEY])).toEqual([
    200, 200, 404, 404, 200,
  ]);
});

test('a call with a key of the configuration does not exist for the keys that were made over HTTP', async () => {
  const core = createCoreGateway(createTurnTransport([{ content: 'Hi' }]));
  expect(await readCallOf(core, API_KEY, [API_KEY, await makeKey(core, {})])).toEqual([200, 404]);
});
