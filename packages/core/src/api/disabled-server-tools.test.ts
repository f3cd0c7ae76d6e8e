import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createTurnTransport } from '../../../../test/support/upstreams/scripted-turns.ts';

const authorization = `Bearer ${MANAGEMENT_KEY}`;

test('calls of a workspace cannot use the server tools that it has disabled, under whichever name', async () => {
  const { chat, post } = createCoreGateway(createTurnTransport([{ content: 'It is noon.' }]));
  const disable = (tools: readonly string[] | null) =>
    post(
      '/api/v1/workspaces/default',
      { disabled_server_tools: tools },
      { method: 'PATCH', headers: { authorization } },
    );
  const ask = async (type: string) => {
    const response = await chat({ tools: [{ type }] });
    return { status: response.status, body: jsonOf(response) };
  };
  expect((await ask('openrouter:datetime')).status).toBe(200);
  expect(jsonOf(await disable(['openrouter:datetime', 'openrouter:experimental__search_models']))).toMatchObject({
    data: { disabled_server_tools: ['openrouter:datetime', 'openrouter:experimental__search_models'] },
  });
  for (const type of ['openrouter:datetime', 'service:datetime', 'service:search_models']) {
    expect(await ask(type)).toMatchObject({
      status: 403,
      body: {
        error: { message: expect.stringMatching(/^tools\.0: the workspace of this key has disabled the server tool/) },
      },
    });
  }
  expect((await ask('service:web_fetch')).status).toBe(200);
  expect(jsonOf(await disable([]))).toMatchObject({ data: { disabled_server_tools: null } });
  expect((await ask('openrouter:datetime')).status).toBe(200);
});

test('a plugin that stands for a disabled server tool is refused like it', async () => {
  const { chat, post } = createCoreGateway(createTurnTransport([{ content: 'Hi.' }]));
  const change = { disabled_server_tools: ['openrouter:web_fetch'] };
  await post('/api/v1/workspaces/default', change, { method: 'PATCH', headers: { authorization } });
  expect((await chat({ plugins: [{ id: 'web-fetch' }] })).status).toBe(403);
});

test('a workspace takes the names of the public API and of this gateway’s tools, and refuses what would guard nothing', async () => {
  const { call, dataOf } = createAdminGateway();
  const known = ['openrouter:bash', 'openrouter:web_search', 'service:web_fetch'];
  const team = await dataOf('POST', '/workspaces', { name: 'Team', slug: 'team', disabled_server_tools: known });
  expect(team['disabled_server_tools']).toEqual(known);
  expect(await call('PATCH', '/workspaces/team', { disabled_server_tools: ['openrouter:web_serach'] })).toMatchObject({
    status: 400,
    body: {
      error: {
        metadata: {
          issues: [
            {
              path: 'disabled_server_tools.0',
              message: '"openrouter:web_serach" is not a server tool; the nearest is "openrouter:web_search"',
            },
          ],
        },
      },
    },
  });
});

test('refuses a default model for a workspace that no request could name, and keeps one that stands there', async () => {
  const { call, dataOf, store } = createAdminGateway();
  const message = '"acme/chta" is not a model in the catalog; the nearest is "acme/chat"';
  const refusal = { status: 400, body: { error: { metadata: { issues: [{ path: 'default_text_model', message }] } } } };
  const unknown = { default_text_model: 'acme/chta' };
  expect(await call('POST', '/workspaces', { name: 'Team', slug: 'team', ...unknown })).toMatchObject(refusal);
  expect(await call('PATCH', '/workspaces/default', unknown)).toMatchObject(refusal);
  const { id } = await dataOf('POST', '/workspaces', { name: 'Old', slug: 'old', default_text_model: 'acme/chat' });
  await store.workspaces.update(id, (record) => ({ ...record, workspace: { ...record.workspace, ...unknown } }));
  expect(await dataOf('PATCH', '/workspaces/old', { name: 'Older', ...unknown })).toMatchObject(unknown);
});
