import { describe, expect, test } from 'vitest';

import { API_KEY, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createBox, createSetupGateway, type SetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';
import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const KEY = 'sk-upstream-secret-of-acme-7f3a';
const PATH = '/admin/v1/setup/providers';
const ACME = { slug: 'acme', wire: 'openai', baseUrl: 'https://acme.example/v1', apiKey: KEY, discoverModels: true };
const MODEL = { id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] };

/** What the upstream said that it got: the address and the key. */
async function textOf(gateway: SetupGateway, model = 'acme/chat'): Promise<string> {
  const body = jsonOf(await gateway.chat({ model }));
  const [choice] = (body['choices'] ?? []) as { readonly message: { readonly content: string } }[];
  return choice?.message.content ?? JSON.stringify(body['error']);
}

async function withAcme(options: Parameters<typeof createSetupGateway>[0] = {}): Promise<SetupGateway> {
  const gateway = await createSetupGateway(options);
  await gateway.dataOf('POST', PATH, ACME);
  await gateway.dataOf('POST', '/admin/v1/setup/models', MODEL);
  return gateway;
}

const issuesOf = (body: Readonly<Record<string, unknown>>): unknown =>
  (body['error'] as { readonly metadata?: { readonly issues?: unknown } }).metadata?.issues;

test('a provider that is set up is called at once, with its key, which is never shown again', async () => {
  const gateway = await createSetupGateway();
  const made = await gateway.call('POST', PATH, { ...ACME, headers: { 'X-Team': 'blue-team-secret' } });
  expect(made).toMatchObject({
    status: 201,
    body: {
      data: {
        slug: 'acme',
        source: 'stored',
        enabled: true,
        status: 'ready',
        problem: null,
        address: 'https://acme.example/v1',
        has_key: true,
        key_hint: '…7f3a',
        header_names: ['X-Team'],
        settings: { wire: 'openai', baseUrl: 'https://acme.example/v1', discoverModels: true, byok: false },
      },
    },
  });
  await gateway.dataOf('POST', '/admin/v1/setup/models', MODEL);
  expect(await textOf(gateway)).toContain('https://acme.example/v1/chat/completions');
  expect(gateway.upstream.latest().request.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
  const shown = [made.body, await gateway.dataOf('GET', PATH), gateway.logged];
  for (const secret of [KEY, 'blue-team-secret']) {
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(JSON.stringify(await gateway.store.providers.list())).not.toContain(secret);
    expect(gateway.hidden).toContain(secret);
  }
});

test('no code can be named over HTTP, which is for the config file alone', async () => {
  const gateway = await createSetupGateway();
  for (const more of [{ module: './house.mjs' }, { options: { a: 1 } }]) {
    expect(await gateway.call('POST', PATH, { ...ACME, ...more })).toMatchObject({ status: 400 });
  }
  await gateway.dataOf('POST', PATH, ACME);
  expect(await gateway.call('PATCH', `${PATH}/acme`, { module: './house.mjs' })).toMatchObject({ status: 400 });
  const test = { provider: { ...ACME, module: './house.mjs' } };
  expect(await gateway.call('POST', '/admin/v1/setup/provider-tests', test)).toMatchObject({ status: 400 });
});

test('the models that it lists itself can be called when the change has responded', async () => {
  const gateway = await createSetupGateway();
  await gateway.gateway.start();
  await gateway.dataOf('POST', PATH, ACME);
  expect(await textOf(gateway, 'acme/listed-1')).toContain('https://acme.example/v1/chat/completions');
});

test('the response waits for a list of models that takes its time', async () => {
  const upstream = createScriptedTransport((exchange) => {
    setImmediate(() => {
      exchange.respond(200, { 'content-type': 'application/json' });
      exchange.push('{"data":[{"id":"late-1"}]}');
      exchange.end();
    });
  });
  const gateway = await createSetupGateway({ upstream });
  await gateway.gateway.start();
  await gateway.dataOf('POST', PATH, ACME);
  expect(await gateway.dataOf('GET', '/models')).toMatchObject([{ id: 'acme/late-1' }]);
});

test('a server that is started later, and models that it gets later, are there within a minute, without a restart', async () => {
  let listed: readonly string[] | null = null;
  const upstream = createScriptedTransport((exchange) => {
    if (listed === null) return exchange.fail(new Error('connect ECONNREFUSED'));
    exchange.respond(200, { 'content-type': 'application/json' });
    exchange.push(JSON.stringify({ data: listed.map((id) => ({ id })) }));
    exchange.end();
  });
  const gateway = await createSetupGateway({ upstream });
  await gateway.gateway.start();
  await gateway.dataOf('POST', PATH, { preset: 'ollama', discoverModels: true });
  const ids = async () =>
    ((await gateway.dataOf('GET', '/models')) as unknown as { readonly id: string }[]).map(({ id }) => id);
  expect(await ids()).toEqual([]);
  listed = ['first'];
  await gateway.platform.advance(60_000);
  await expect.poll(ids).toEqual(['ollama/first']);
  listed = ['first', 'second'];
  await gateway.platform.advance(60_000);
  await expect.poll(ids).toEqual(['ollama/first', 'ollama/second']);
});

test('a new key is called at once, whatever became of the calls before', async () => {
  const upstream = createScriptedTransport((exchange) => {
    const isRight = exchange.request.headers['authorization'] === 'Bearer sk-the-right-key-0001';
    exchange.respond(isRight ? 200 : 401, { 'content-type': 'application/json' });
    exchange.push('{"id":"c","choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}');
    exchange.end();
  });
  const gateway = await withAcme({ upstream });
  const healthOf = async () => {
    const [state] = (await gateway.dataOf('GET', '/admin/v1/providers')) as unknown as { health: { status: string } }[];
    return state?.health.status;
  };
  for (let count = 0; count < 20; count += 1) await gateway.chat();
  expect(await healthOf()).toBe('down');
  await gateway.dataOf('PATCH', `${PATH}/acme`, { name: 'Acme' });
  expect(await healthOf()).toBe('down');
  await gateway.dataOf('PATCH', `${PATH}/acme`, { apiKey: 'sk-the-right-key-0001' });
  expect(await healthOf()).toBe('unknown');
  expect((await gateway.chat()).status).toBe(200);
});

test('a preset needs its key alone, has its own slug, and serves what is built in', async () => {
  const gateway = await createSetupGateway();
  expect(await gateway.dataOf('POST', PATH, { preset: 'google', apiKey: KEY })).toMatchObject({
    slug: 'google-ai-studio',
    name: 'Google AI Studio',
    address: 'https://generativelanguage.googleapis.com/v1beta',
  });
  const models = (await gateway.dataOf('GET', '/models')) as unknown as { readonly id: string }[];
  expect(models.some(({ id }) => id.startsWith('google/'))).toBe(true);
});

test.each<[string, object, string[]]>([
  ['no address', { slug: 'a', wire: 'openai' }, ['baseUrl']],
  ['neither preset nor wire', { slug: 'a' }, ['body']],
  ['no slug', { wire: 'openai', baseUrl: 'https://a.example/v1' }, ['slug']],
  ['a slug with a space', { ...ACME, slug: 'a b' }, ['slug']],
  ['an unknown preset', { slug: 'a', preset: 'opnai' }, ['preset']],
  ['a preset without its key', { preset: 'openai' }, ['apiKey']],
  ['an unknown field', { ...ACME, region: 'eu', apikey: KEY }, ['apikey']],
  ['a variable for a key', { ...ACME, apiKey: 'env:OPENAI_API_KEY' }, ['apiKey']],
  ['a file for a key', { ...ACME, apiKey: 'file:/run/secrets/key' }, ['apiKey']],
  ['a variable for a header', { ...ACME, headers: { a: 'env:HOME' } }, ['headers.a']],
  ['a key of two lines', { ...ACME, apiKey: `${KEY}\nmore` }, ['apiKey']],
  ['a secret in the address', { ...ACME, baseUrl: `https://user:${KEY}@acme.example/v1` }, ['baseUrl']],
  ['models that cannot be listed', { preset: 'fal', apiKey: KEY, discoverModels: true }, ['discoverModels']],
  ['a slug of the configuration', { ...ACME, slug: 'fixed' }, ['slug']],
  ['a slug that is taken', { ...ACME, slug: 'taken' }, ['slug']],
])('refuses %s by its field, changes nothing and repeats no secret', async (_, body, paths) => {
  const fixed = { slug: 'fixed', wire: 'openai', baseUrl: 'https://fixed.example/v1' };
  const gateway = await createSetupGateway({ config: { providers: [fixed] } });
  await gateway.dataOf('POST', PATH, { ...ACME, slug: 'taken' });
  const refused = await gateway.call('POST', PATH, body);
  expect(refused.status).toBe(400);
  expect(issuesOf(refused.body)).toEqual(paths.map((path) => expect.objectContaining({ path })));
  expect(JSON.stringify(refused.body)).not.toContain(KEY);
  expect(await gateway.store.providers.list()).toHaveLength(1);
});

test('a change holds from the next call on, keeps the key, and shows its end', async () => {
  const gateway = await withAcme();
  const path = `${PATH}/acme`;
  expect(await gateway.dataOf('PATCH', path, { name: 'Acme Inc', region: 'eu' })).toMatchObject({
    name: 'Acme Inc',
    key_hint: '…7f3a',
    settings: { region: 'eu' },
  });
  expect(await textOf(gateway)).toContain(KEY);
  await gateway.dataOf('PATCH', path, { apiKey: 'sk-another-key-of-acme-0001', region: null });
  expect(await textOf(gateway)).toContain('sk-another-key-of-acme-0001');
  expect(await gateway.dataOf('PATCH', path, { apiKey: null })).toMatchObject({ has_key: false, key_hint: null });
  expect(await textOf(gateway)).toContain('no key');
});

test('a provider that has the Responses API is called by it once that is said, until it is taken back', async () => {
  const gateway = await withAcme();
  const path = `${PATH}/acme`;
  const addressOfCall = async (): Promise<string> => {
    await gateway.post('/api/v1/responses', { model: 'acme/chat', input: 'Hi' });
    return gateway.upstream.latest().request.url;
  };
  expect(await addressOfCall()).toBe('https://acme.example/v1/chat/completions');
  expect(await gateway.dataOf('PATCH', path, { responses: true })).toMatchObject({ settings: { responses: true } });
  expect(await addressOfCall()).toBe('https://acme.example/v1/responses');
  await gateway.dataOf('PATCH', path, { responses: null });
  expect(await addressOfCall()).toBe('https://acme.example/v1/chat/completions');
});

test('changes headers one by one', async () => {
  const gateway = await createSetupGateway();
  await gateway.dataOf('POST', PATH, { ...ACME, headers: { a: 'one', b: 'two' } });
  expect(await gateway.dataOf('PATCH', `${PATH}/acme`, { headers: { a: null, c: 'three' } })).toMatchObject({
    header_names: ['b', 'c'],
  });
});

test('no saved key goes to another server', async () => {
  const gateway = await withAcme();
  const moved = { baseUrl: 'https://evil.example/v1' };
  const refused = await gateway.call('PATCH', `${PATH}/acme`, moved);
  expect([refused.status, issuesOf(refused.body)]).toEqual([400, [expect.objectContaining({ path: 'apiKey' })]]);
  expect(await textOf(gateway)).toContain('https://acme.example');
  await gateway.dataOf('PATCH', `${PATH}/acme`, { ...moved, apiKey: 'sk-key-for-the-other' });
  expect(await textOf(gateway)).toBe('https://evil.example/v1/chat/completions sk-key-for-the-other');
  await gateway.dataOf('PATCH', `${PATH}/acme`, { baseUrl: 'https://evil.example/v2' });
  expect(await textOf(gateway)).toBe('https://evil.example/v2/chat/completions sk-key-for-the-other');
});

test('a provider that is off is not called, and its models wait', async () => {
  const gateway = await withAcme();
  expect(await gateway.dataOf('PATCH', `${PATH}/acme`, { enabled: false })).toMatchObject({ status: 'off' });
  expect((await gateway.chat()).status).toBe(400);
  expect(await gateway.dataOf('GET', '/admin/v1/setup/models')).toMatchObject([{ id: 'acme/chat', status: 'idle' }]);
  await gateway.dataOf('PATCH', `${PATH}/acme`, { enabled: true });
  expect(await textOf(gateway)).toContain(KEY);
});

test('a provider that models name cannot be deleted before them', async () => {
  const gateway = await withAcme();
  const refused = await gateway.call('DELETE', `${PATH}/acme`);
  expect(refused).toMatchObject({ status: 409, body: { error: { metadata: { models: ['acme/chat'] } } } });
  expect((await gateway.call('DELETE', '/admin/v1/setup/models/acme/chat')).body).toEqual({ deleted: true });
  expect((await gateway.call('DELETE', `${PATH}/acme`)).body).toEqual({ deleted: true });
  expect((await gateway.chat()).status).toBe(400);
  for (const method of ['PATCH', 'DELETE']) expect((await gateway.call(method, `${PATH}/acme`, {})).status).toBe(404);
});

test('what is stored is in force again after a start, and nothing else has to be loaded', async () => {
  const secrets = createBox();
  const { store } = await withAcme({ secrets });
  expect(await textOf(await createSetupGateway({ store, secrets }))).toContain(KEY);
});

test('a key that cannot be opened leaves the others working, and can be given again', async () => {
  const secrets = createBox();
  const { store } = await withAcme({ secrets });
  const gateway = await createSetupGateway({ store });
  await gateway.dataOf('POST', PATH, { slug: 'beta', wire: 'openai', baseUrl: 'https://beta.example/v1' });
  await gateway.dataOf('POST', '/admin/v1/setup/models', {
    id: 'beta/chat',
    endpoints: [{ provider: 'beta', providerModel: 'b' }],
  });
  expect(await textOf(gateway, 'beta/chat')).toContain('beta.example');
  const [acme] = (await gateway.dataOf('GET', PATH)) as unknown as object[];
  expect(acme).toMatchObject({
    status: 'locked',
    problem: expect.stringMatching(/cannot be opened: .*Give the key again/),
    key_hint: '…7f3a',
  });
  expect(gateway.logged).toContainEqual(expect.objectContaining({ line: 'warn a stored provider is left out' }));
  expect(await gateway.dataOf('PATCH', `${PATH}/acme`, { name: 'Still locked' })).toMatchObject({ status: 'locked' });
  expect(await gateway.dataOf('PATCH', `${PATH}/acme`, { apiKey: 'sk-given-again-0002' })).toMatchObject({
    status: 'ready',
    name: 'Still locked',
  });
  expect(await textOf(gateway)).toContain('sk-given-again-0002');
});

test('a sealed key that was moved to another provider does not open there', async () => {
  const secrets = createBox();
  const { store } = await withAcme({ secrets });
  const row = await store.providers.get('acme');
  if (row === undefined) throw new Error('no row');
  const settings = { ...row.settings, slug: 'mallory', baseUrl: 'https://mallory.example/v1' };
  await store.providers.insert({ ...row, id: 'mallory', settings });
  const gateway = await createSetupGateway({ store, secrets });
  expect(await gateway.dataOf('GET', PATH)).toMatchObject([
    { slug: 'acme', status: 'ready' },
    { slug: 'mallory', status: 'locked' },
  ]);
});

test('the configuration counts where both have a slug, which the stored one says', async () => {
  const secrets = createBox();
  const { store } = await withAcme({ secrets });
  const own = { slug: 'acme', wire: 'openai', baseUrl: 'https://config.example/v1', apiKey: 'sk-of-the-config-9999' };
  const gateway = await createSetupGateway({ store, secrets, config: { providers: [own] } });
  expect(await gateway.dataOf('GET', PATH)).toMatchObject([
    { slug: 'acme', source: 'config', status: 'ready', address: 'https://config.example/v1', key_hint: '…9999' },
    { slug: 'acme', source: 'stored', status: 'shadowed', problem: expect.stringContaining('configuration') },
  ]);
  expect(await textOf(gateway)).toBe('https://config.example/v1/chat/completions sk-of-the-config-9999');
});

test('a row that this version cannot read is reported and left out', async () => {
  const secrets = createBox();
  const { store } = await withAcme({ secrets });
  await store.providers.update('acme', (row) => ({ ...row, settings: { slug: 'acme', wire: 'telepathy' } }));
  const gateway = await createSetupGateway({ store, secrets });
  expect(await gateway.dataOf('GET', PATH)).toMatchObject([{ slug: 'acme', status: 'failed', settings: null }]);
  expect((await gateway.call('DELETE', '/admin/v1/setup/models/acme/chat')).status).toBe(200);
  expect((await gateway.call('DELETE', `${PATH}/acme`)).status).toBe(200);
});

test('a change that cannot be stored is not in force either', async () => {
  const gateway = await withAcme();
  gateway.store.failSetups(new Error('the disk is full'));
  expect((await gateway.call('PATCH', `${PATH}/acme`, { apiKey: 'sk-not-stored-0003' })).status).toBe(500);
  expect(await textOf(gateway)).toContain(KEY);
});

test('changes at the same time come one after the other, and none is lost', async () => {
  const gateway = await withAcme();
  const slugs = Array.from({ length: 10 }, (_, index) => `p${index}`);
  await Promise.all([
    ...slugs.map((slug) => gateway.dataOf('POST', PATH, { ...ACME, slug, discoverModels: false })),
    gateway.dataOf('PATCH', `${PATH}/acme`, { name: 'one' }),
    gateway.dataOf('PATCH', `${PATH}/acme`, { region: 'eu' }),
  ]);
  const states = (await gateway.dataOf('GET', '/admin/v1/providers')) as unknown as { readonly slug: string }[];
  expect(states.map(({ slug }) => slug)).toEqual(['acme', ...slugs]);
  const [acme] = (await gateway.dataOf('GET', PATH)) as unknown as object[];
  expect(acme).toMatchObject({ name: 'one', settings: { region: 'eu' } });
});

test('a call that has begun ends with the provider as it was', async () => {
  const gateway = await withAcme();
  const { upstream } = gateway;
  const calling = gateway.chat({ model: 'acme/chat' });
  await gateway.dataOf('PATCH', `${PATH}/acme`, { apiKey: 'sk-another-key-of-acme-0001' });
  expect((await calling).status).toBe(200);
  const [first] = upstream.exchanges.filter(({ request }) => request.url.includes('/chat/'));
  expect(first?.request.headers['authorization']).toBe(`Bearer ${KEY}`);
});

test('no request with an API key reaches it', async () => {
  const gateway = await withAcme();
  for (const [method, path] of [
    ['GET', PATH],
    ['POST', PATH],
    ['PATCH', `${PATH}/acme`],
    ['DELETE', `${PATH}/acme`],
  ] as const) {
    expect((await gateway.call(method, path, {}, API_KEY)).status).toBe(403);
  }
});

describe('credentials among the parameters of the address', () => {
  const SECRET = 'sub+key/of-acme-4d2e';
  const QUERY = { 'api-version': '2024-10-21', 'subscription-key': SECRET };
  const SHOWN = { 'api-version': '2024-10-21', 'subscription-key': '…4d2e' };
  const withQuery = async (): Promise<SetupGateway> => {
    const gateway = await createSetupGateway();
    await gateway.dataOf('POST', PATH, { ...ACME, query: QUERY });
    await gateway.dataOf('POST', '/admin/v1/setup/models', MODEL);
    return gateway;
  };
  const sentTo = async (gateway: SetupGateway): Promise<object> => {
    await gateway.chat();
    return Object.fromEntries(new URL(gateway.upstream.latest().request.url).searchParams);
  };

  test('are sent with every call, sealed where they are stored, and shown by their ends', async () => {
    const gateway = await withQuery();
    expect(await sentTo(gateway)).toEqual(QUERY);
    expect(await gateway.dataOf('GET', PATH)).toMatchObject([{ settings: { query: SHOWN } }]);
    const kept = [await gateway.store.providers.list(), await gateway.call('GET', PATH), gateway.logged];
    for (const form of [SECRET, encodeURIComponent(SECRET)]) {
      expect(JSON.stringify(kept)).not.toContain(form);
      expect(gateway.hidden).toContain(form);
    }
  });

  test('stay when what is shown of them is sent back, and change when they are given again', async () => {
    const gateway = await withQuery();
    const change = (query: object) => gateway.dataOf('PATCH', `${PATH}/acme`, { query });
    await change({ ...SHOWN, 'api-version': '2025-01-01' });
    expect(await sentTo(gateway)).toEqual({ ...QUERY, 'api-version': '2025-01-01' });
    expect(await change({ 'subscription-key': 'another-key-9c8b' })).toMatchObject({
      settings: { query: { 'subscription-key': '…9c8b' } },
    });
    expect(await sentTo(gateway)).toEqual({ 'subscription-key': 'another-key-9c8b' });
    await change({});
    expect(await sentTo(gateway)).toEqual({});
  });

  test('never go to another server, and their ends are no credentials', async () => {
    const gateway = await withQuery();
    const moved = { baseUrl: 'https://evil.example/v1', apiKey: null };
    for (const change of [moved, { ...moved, query: SHOWN }]) {
      const { status, body } = await gateway.call('PATCH', `${PATH}/acme`, change);
      expect({ status, issues: issuesOf(body) }).toMatchObject({
        status: 400,
        issues: [{ path: 'query.subscription-key', message: expect.stringContaining('another server') }],
      });
    }
    const unknown = await gateway.call('PATCH', `${PATH}/acme`, { query: { token: '…abcd' } });
    expect(issuesOf(unknown.body)).toMatchObject([
      { path: 'query.token', message: expect.stringContaining('give the whole credential') },
    ]);
  });

  test('of the configuration are shown by their ends, too, and cut out of errors of upstream', async () => {
    const upstream = createScriptedTransport((exchange) => {
      exchange.respond(400, { 'content-type': 'application/json' });
      exchange.push(JSON.stringify({ error: { message: `no such deployment at ${exchange.request.url}` } }));
      exchange.end();
    });
    const provider = { slug: 'acme', wire: 'openai', baseUrl: 'https://acme.example/v1', query: QUERY };
    const gateway = await createSetupGateway({ config: { providers: [provider], models: [MODEL] }, upstream });
    expect(await gateway.dataOf('GET', PATH)).toMatchObject([{ source: 'config', settings: { query: SHOWN } }]);
    const failed = await gateway.chat();
    expect(failed.status).toBe(400);
    const told = JSON.stringify([jsonOf(failed), gateway.logged]);
    for (const form of [SECRET, encodeURIComponent(SECRET)]) expect(told).not.toContain(form);
  });
});
