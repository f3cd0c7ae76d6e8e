import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createTurnTransport } from '../../../../test/support/upstreams/scripted-turns.ts';

const authorization = `Bearer ${MANAGEMENT_KEY}`;

/** A gateway whose models always respond, and a way to change the default workspace. */
function createScene(options: Parameters<typeof createCoreGateway>[1] = {}) {
  const core = createCoreGateway(createTurnTransport([{ content: 'Hello.' }]), options);
  const change = async (body: object): Promise<void> => {
    const headers = { authorization };
    const { status } = await core.post('/api/v1/workspaces/default', body, { method: 'PATCH', headers });
    expect(status).toBe(200);
  };
  /** Calls a model, and returns the record and what is stored of what was said. */
  const ask = async (fields: Record<string, unknown> = {}) => {
    const response = await core.chat(fields);
    const id = String((jsonOf(response) as { id?: string }).id);
    const record = await core.store.generations.get(id);
    return { status: response.status, record, content: await core.store.generations.getContent(id) };
  };
  return { ...core, change, ask };
}

test('what is said in a workspace is not stored while its storage of contents is off', async () => {
  const { change, ask } = createScene();
  expect((await ask()).content).toBeDefined();
  await change({ is_observability_io_logging_enabled: false });
  const { record, content } = await ask();
  expect([record?.generation.model, content]).toEqual([expect.any(String), undefined]);
  await change({ is_observability_io_logging_enabled: true });
  expect((await ask()).content).toBeDefined();
});

test('a workspace stores the contents of the share of calls that it says', async () => {
  const { change, ask } = createScene();
  await change({ io_logging_sampling_rate: 0.0001 });
  expect((await ask()).content).toBeUndefined();
  await change({ io_logging_sampling_rate: 1 });
  expect((await ask()).content).toBeDefined();
});

test('the default model of a workspace serves its calls that name none', async () => {
  const { change, ask } = createScene();
  const without = { model: undefined };
  expect((await ask(without)).status).toBe(400);
  await change({ default_text_model: 'acme/chat' });
  expect((await ask(without)).record?.generation.model).toContain('acme/chat');
});

test('the sort of a workspace comes before the order of providers of the account', async () => {
  const { change, ask } = createScene({ account: { routing: { order: ['beta'] } } });
  const providerOf = async () => (await ask({ provider: {} })).record?.generation.provider_name;
  expect(await providerOf()).toBe('Beta');
  await change({ default_provider_sort: 'price' });
  expect(await providerOf()).toBe('Acme');
});
