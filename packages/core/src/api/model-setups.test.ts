import { expect, test } from 'vitest';

import { createScriptedProvider, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createSetupGateway, type SetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';

const PATH = '/admin/v1/setup/models';
const ACME = { slug: 'acme', wire: 'openai', baseUrl: 'https://acme.example/v1' };
const MODEL = {
  id: 'acme/chat',
  name: 'Acme Chat',
  context_length: 1000,
  endpoints: [{ provider: 'acme', providerModel: 'chat-1', pricing: { prompt: '0.000001', completion: '0.000002' } }],
};

async function withAcme(options: Parameters<typeof createSetupGateway>[0] = {}): Promise<SetupGateway> {
  const gateway = await createSetupGateway(options);
  await gateway.dataOf('POST', '/admin/v1/setup/providers', ACME);
  return gateway;
}

test('a model that is set up is listed and called at once, at its price', async () => {
  const gateway = await withAcme();
  expect(await gateway.call('POST', PATH, MODEL)).toMatchObject({
    status: 201,
    body: { data: { id: 'acme/chat', source: 'stored', status: 'ready', problem: null, definition: MODEL } },
  });
  expect(await gateway.dataOf('GET', '/models')).toMatchObject([{ id: 'acme/chat', name: 'Acme Chat' }]);
  expect(jsonOf(await gateway.chat())['usage']).toMatchObject({ cost: 0.000003 });
});

test('a change of a price counts from the next call on', async () => {
  const gateway = await withAcme();
  await gateway.dataOf('POST', PATH, MODEL);
  const [endpoint] = MODEL.endpoints;
  const dearer = { ...MODEL, endpoints: [{ ...endpoint, pricing: { prompt: '0.001', completion: '0.002' } }] };
  expect(await gateway.dataOf('PUT', `${PATH}/acme/chat`, dearer)).toMatchObject({ definition: dearer });
  expect(jsonOf(await gateway.chat())['usage']).toMatchObject({ cost: 0.003 });
});

test('states only what differs from a built-in model, and leaves that as it was when it is deleted', async () => {
  const gateway = await createSetupGateway();
  await gateway.dataOf('POST', '/admin/v1/setup/providers', { preset: 'anthropic', apiKey: 'sk-ant-of-the-test' });
  const models = async () => (await gateway.dataOf('GET', '/models')) as unknown as { id: string; name: string }[];
  const [built] = await models();
  if (built === undefined) throw new Error('nothing is built in');
  const { id, name } = built;
  expect(await gateway.dataOf('POST', PATH, { id, name: 'Ours' })).toMatchObject({ status: 'ready' });
  expect((await models()).find((model) => model.id === id)?.name).toBe('Ours');
  expect((await gateway.call('DELETE', `${PATH}/${id}`)).status).toBe(200);
  expect((await models()).find((model) => model.id === id)?.name).toBe(name);
});

test.each<[string, object, string[]]>([
  [
    'an unknown provider',
    { ...MODEL, endpoints: [{ provider: 'acmee', providerModel: 'm' }] },
    ['endpoints.0.provider'],
  ],
  ['no endpoint for what is not built in', { id: 'acme/chat' }, ['endpoints']],
  [
    'an endpoint without the provider’s name',
    { ...MODEL, endpoints: [{ provider: 'acme' }] },
    ['endpoints.0.providerModel'],
  ],
  [
    'a price that is a number',
    { ...MODEL, endpoints: [{ ...MODEL.endpoints[0], pricing: { prompt: 1 } }] },
    ['endpoints.0.pricing.prompt'],
  ],
  ['an id without an author', { ...MODEL, id: 'chat' }, ['id']],
  ['an unknown field', { ...MODEL, prices: {} }, ['prices']],
  ['a model of the configuration', { ...MODEL, id: 'fixed/chat' }, ['id']],
  ['a model that was set up', { ...MODEL, id: 'taken/chat' }, ['id']],
])('refuses %s by its field and changes nothing', async (_, body, paths) => {
  const fixed = { slug: 'fixed', wire: 'openai', baseUrl: 'https://fixed.example/v1' };
  const models = [{ id: 'fixed/chat', endpoints: [{ provider: 'fixed', providerModel: 'm' }] }];
  const gateway = await withAcme({ config: { providers: [fixed], models } });
  await gateway.dataOf('POST', PATH, { ...MODEL, id: 'taken/chat' });
  const refused = await gateway.call('POST', PATH, body);
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { metadata: { issues: paths.map((path) => ({ path })) } } },
  });
  expect(await gateway.dataOf('GET', PATH)).toMatchObject([
    { id: 'fixed/chat', source: 'config', definition: models[0] },
    { id: 'taken/chat', source: 'stored' },
  ]);
});

test('a model is called by its aliases from the moment they are set up', async () => {
  const gateway = await withAcme();
  await gateway.dataOf('POST', PATH, { ...MODEL, aliases: ['fast', 'team/best'] });
  expect(jsonOf(await gateway.chat({ model: 'fast' }))).toMatchObject({ model: 'acme/chat' });
  expect((await gateway.chat({ model: 'team/best:nitro' })).status).toBe(200);
  await gateway.dataOf('PUT', `${PATH}/acme/chat`, { ...MODEL, aliases: ['slow'] });
  expect((await gateway.chat({ model: 'fast' })).status).toBe(400);
  expect((await gateway.chat({ model: 'slow' })).status).toBe(200);
});

test.each<[string, string[], string]>([
  ['the id of another model', ['fine', 'taken/chat'], 'aliases.1'],
  ['the alias of another model', ['taken'], 'aliases.0'],
  ['twice the same', ['one', 'one'], 'aliases.1'],
  ['a space', ['a b'], 'aliases.0'],
  ['a colon, behind which variants stand', ['fast:nitro'], 'aliases.0'],
])('refuses %s as an alias', async (_, aliases, path) => {
  const gateway = await withAcme();
  await gateway.dataOf('POST', PATH, { ...MODEL, id: 'taken/chat', aliases: ['taken'] });
  expect(await gateway.call('POST', PATH, { ...MODEL, aliases })).toMatchObject({
    status: 400,
    body: { error: { metadata: { issues: [{ path }] } } },
  });
});

test('the id of a model stays', async () => {
  const gateway = await withAcme();
  await gateway.dataOf('POST', PATH, MODEL);
  expect((await gateway.call('PUT', `${PATH}/acme/chat`, { ...MODEL, id: 'acme/other' })).status).toBe(400);
  expect((await gateway.call('PUT', `${PATH}/acme/none`, MODEL)).status).toBe(404);
  expect((await gateway.call('DELETE', `${PATH}/acme/none`)).status).toBe(404);
});

test('a model keeps the endpoints whose providers are called', async () => {
  const gateway = await withAcme();
  await gateway.dataOf('POST', '/admin/v1/setup/providers', { ...ACME, slug: 'beta', baseUrl: 'https://beta.example' });
  const endpoints = ['acme', 'beta'].map((provider) => ({ provider, providerModel: 'm' }));
  await gateway.dataOf('POST', PATH, { ...MODEL, endpoints });
  await gateway.dataOf('PATCH', '/admin/v1/setup/providers/acme', { enabled: false });
  await gateway.chat();
  expect(gateway.upstream.latest().request.url).toContain('beta.example');
  expect(await gateway.dataOf('GET', PATH)).toMatchObject([{ status: 'ready', definition: { endpoints } }]);
});

test('the configuration counts where both have a model', async () => {
  const { store } = await (async () => {
    const gateway = await withAcme();
    await gateway.dataOf('POST', PATH, MODEL);
    return gateway;
  })();
  const own = { id: 'acme/chat', endpoints: [{ provider: 'fixed', providerModel: 'm' }] };
  const fixed = { slug: 'fixed', wire: 'openai', baseUrl: 'https://fixed.example/v1' };
  const gateway = await createSetupGateway({ store, config: { providers: [fixed], models: [own] } });
  await gateway.chat();
  expect(gateway.upstream.latest().request.url).toContain('fixed.example');
  expect(await gateway.dataOf('GET', PATH)).toMatchObject([
    { source: 'config' },
    { source: 'stored', status: 'shadowed', problem: expect.stringContaining('configuration') },
  ]);
});

test('a gateway whose providers are its host’s says that nothing can be set up', async () => {
  const { createAdminGateway } = await import('../../../../test/support/gateways/admin-calls.ts');
  const { call } = createAdminGateway();
  expect((await call('GET', PATH)).body).toEqual({ data: [], editable: false });
  expect((await call('GET', '/admin/v1/setup/providers')).body).toMatchObject({
    data: [{ slug: 'acme', source: 'config', settings: null }, { slug: 'beta' }],
    editable: false,
  });
  expect(await call('POST', PATH, MODEL)).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('serve --no-demo') } },
  });
});

test('lists the presets with what each needs', async () => {
  const gateway = await createSetupGateway();
  const presets = (await gateway.dataOf('GET', '/admin/v1/setup/presets')) as unknown as { readonly id: string }[];
  expect(presets.find(({ id }) => id === 'openai')).toMatchObject({
    name: 'OpenAI',
    slug: 'openai',
    base_url: 'https://api.openai.com/v1',
    needs_key: true,
    key_variable: 'OPENAI_API_KEY',
    key_page: 'https://platform.openai.com/api-keys',
    lists_models: true,
    is_gateway: false,
  });
  expect(presets.find(({ id }) => id === 'ollama')).toMatchObject({ needs_key: false, key_variable: null });
});

test('what was set up stays in force when the host replaces its own setup', async () => {
  const gateway = await withAcme();
  await gateway.dataOf('POST', PATH, MODEL);
  const account = { defaultModel: 'acme/chat' };
  await gateway.gateway.loadSetup({ providers: [createScriptedProvider('host', [])], account });
  expect(jsonOf(await gateway.chat({ model: undefined }))).toMatchObject({ model: 'acme/chat' });
  const providers = (await gateway.dataOf('GET', '/providers')) as unknown as { slug: string }[];
  expect(providers.map(({ slug }) => slug).toSorted()).toEqual(['acme', 'host']);
});

test('a setup of the host that cannot be put into force is refused, and the former one stays', async () => {
  const gateway = await createSetupGateway();
  const models = [{ id: 'host/chat', endpoints: [{ provider: 'host', providerModel: 'm' }] }];
  const provider = createScriptedProvider('host', []);
  await gateway.gateway.loadSetup({ providers: [provider], models });
  await expect(gateway.gateway.loadSetup({ providers: [], models })).rejects.toThrow(RangeError);
  expect(await gateway.dataOf('GET', '/models')).toMatchObject([{ id: 'host/chat' }]);
});
