import { expect, test } from 'vitest';

import { createBroadcastOptions } from '../../../../test/support/broadcast/broadcast-options.ts';
import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';

const PATH = '/observability/destinations';
const LANGFUSE = { type: 'langfuse', name: 'n', config: { publicKey: 'pk', secretKey: 'sk-lf-0123456789abcdef' } };

test('refuses a type that does not work, and names those that do', async () => {
  const { call } = createAdminGateway();
  const response = await call('POST', PATH, { type: 'ramp', name: 'n', config: { apiKey: 'x' } });
  expect(response).toMatchObject({
    status: 400,
    body: {
      error: {
        message: expect.stringContaining(
          'type: is not an available type; available are: webhook, otel-collector, langfuse, s3',
        ) as string,
      },
    },
  });
});

test.each([
  ['nowhere', undefined, 'available are: none'],
  [
    'where another type is spoken',
    { ...createBroadcastOptions(), formats: createBroadcastOptions().formats.slice(0, 1) },
    'available are: webhook',
  ],
])('refuses a destination %s', async (_, broadcast, message) => {
  const { call } = createAdminGateway({ broadcast });
  const { status, body } = await call('POST', PATH, LANGFUSE);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(message)]);
});

const GOOD_CONFIGS = {
  webhook: { url: 'https://example.com/' },
  'otel-collector': { endpoint: 'https://example.com/' },
  langfuse: { publicKey: 'p', secretKey: 's' },
  s3: { bucketName: 'b', accessKeyId: 'a', secretAccessKey: 's' },
  arize: { apiKey: 'a', spaceKey: 's', modelId: 'm' },
  braintrust: { apiKey: 'a', projectId: 'p' },
  clickhouse: { host: 'https://example.com:8443', database: 'd', username: 'u', password: 'p' },
  datadog: { apiKey: 'a', mlApp: 'm' },
  grafana: { apiKey: 'a', instanceId: '1' },
  langsmith: { apiKey: 'a' },
  newrelic: { licenseKey: 'l' },
  opik: { apiKey: 'a', workspace: 'w', projectName: 'p' },
  posthog: { apiKey: 'a' },
  sentry: { dsn: 'https://key@example.com/1', otlpEndpoint: 'https://example.com/api/1/otlp' },
  snowflake: { account: 'org-name', token: 't' },
  weave: { apiKey: 'a', entity: 'e', project: 'p' },
};

test.each<
  [{ readonly type: keyof typeof GOOD_CONFIGS; readonly config: object; readonly filter_rules?: object }, string]
>([
  [{ type: 'webhook', config: { url: 'http://169.254.169.254/latest' } }, 'config.url: must lead to a public address'],
  [{ type: 'webhook', config: { url: 'https://user:pass@example.com/' } }, 'config.url: must not contain'],
  [{ type: 'otel-collector', config: { endpoint: 'http://localhost:4318' } }, 'config.endpoint: must'],
  [
    { type: 'langfuse', config: { publicKey: 'p', secretKey: 's', baseUrl: 'https://example.com:22' } },
    'config.baseUrl: must not use port 22',
  ],
  [
    { type: 'sentry', config: { dsn: 'https://example.com/1', otlpEndpoint: 'https://example.com/' } },
    'config.dsn: must have its public key',
  ],
  [
    { type: 'clickhouse', config: { host: 'http://10.0.0.1:8123', database: 'd', username: 'u', password: 'p' } },
    'config.host: must lead to a public address',
  ],
  [
    { type: 's3', config: { bucketName: 'b', accessKeyId: 'a', secretAccessKey: 's', pathTemplate: '{nope}/x' } },
    'config.pathTemplate: {nope} is not known',
  ],
  [
    { type: 'webhook', config: { url: 'https://example.com/', headers: { 'a b': 'x' } } },
    'config.headers: must have names of headers as keys',
  ],
  [
    { type: 'webhook', config: { url: 'https://example.com/', headers: { a: 'x\r\nb: c' } } },
    'must not contain line breaks',
  ],
  [
    {
      type: 'webhook',
      config: { url: 'https://example.com/' },
      filter_rules: { groups: [{ rules: [{ field: 'input', operator: 'regex', value: '(?=a)' }] }] },
    },
    'filter_rules.groups.0.rules.0.value: is not a usable regular expression',
  ],
])('158: refuses %j, when it is made and when it is changed', async (body, message) => {
  const { call, dataOf } = createAdminGateway({ broadcast: createBroadcastOptions(false) });
  const created = await call('POST', PATH, { name: 'n', ...body });
  expect([created.status, JSON.stringify(created.body)]).toEqual([400, expect.stringContaining(message)]);
  const { type, ...change } = body;
  const { id } = await dataOf('POST', PATH, { type, name: 'n', config: GOOD_CONFIGS[type] });
  const changed = await call('PATCH', `${PATH}/${id}`, change);
  expect([changed.status, JSON.stringify(changed.body)]).toEqual([400, expect.stringContaining(message)]);
});

test('210: no response shows a secret, including those in the query of an address and in headers', async () => {
  const { call, store } = createAdminGateway();
  const bodies = [
    LANGFUSE,
    {
      type: 'webhook',
      name: 'w',
      config: { url: 'https://example.com/x?key=CANARY-key-0123456789', headers: { 'X-A': 'CANARY-head-0123456789' } },
    },
    {
      type: 's3',
      name: 's',
      config: {
        bucketName: 'b',
        accessKeyId: 'AKIA',
        secretAccessKey: 'CANARY-secret-0123456789',
        sessionToken: 'CANARY-token-0123456789',
      },
    },
  ];
  const responses: unknown[] = [];
  for (const body of bodies) {
    const created = await call('POST', PATH, body);
    const { id, config } = created.body['data'] as { readonly id: string; readonly config: object };
    const before = await store.destinations.get(id);
    // A client may send back what it was shown, as a form does that was opened and saved.
    const changed = await call('PATCH', `${PATH}/${id}`, { name: 'renamed', config });
    expect((await store.destinations.get(id))?.config).toEqual(before?.config);
    responses.push(created, changed, await call('GET', `${PATH}/${id}`), await call('GET', PATH));
  }
  responses.push(await call('GET', '/admin/v1/destinations/deliveries'));
  expect(JSON.stringify(responses)).not.toMatch(/CANARY-\w+-0|sk-lf-0/);
  expect(JSON.stringify(responses)).toContain('https://example.com/x?********6789');
});

test.each<[object, string]>([
  [{ secretKey: '********zzzz' }, 'config.secretKey'],
  [{ headers: { 'X-A': '********zzzz' } }, 'config.headers.X-A'],
  [{ headers: { 'X-B': '********' } }, 'config.headers.X-B'],
  [{ baseUrl: 'https://example.com/?********zzzz' }, 'config.baseUrl'],
])('never saves the mask of another secret in place of the saved one: %j', async (config, path) => {
  const { call, dataOf, store } = createAdminGateway();
  const { id } = await dataOf('POST', PATH, {
    ...LANGFUSE,
    config: { ...LANGFUSE.config, baseUrl: 'https://example.com/', headers: { 'X-A': 'secret' } },
  });
  const before = await store.destinations.get(id);
  expect(await call('PATCH', `${PATH}/${id}`, { config })).toMatchObject({
    status: 400,
    body: {
      error: {
        message: expect.stringContaining('is the mask of another value than the saved one') as string,
        metadata: { issues: [{ path }] },
      },
    },
  });
  expect(await store.destinations.get(id)).toEqual(before);
});

test.each<[string, { readonly type: keyof typeof GOOD_CONFIGS; readonly config?: object }, object, string]>([
  ['the address', { type: 'langfuse' }, { baseUrl: 'https://evil.example' }, 'config.secretKey'],
  ['the scheme', { type: 'clickhouse' }, { host: 'http://example.com:8443' }, 'config.password'],
  ['the port', { type: 'clickhouse' }, { host: 'https://example.com' }, 'config.password'],
  ['the endpoint', { type: 's3' }, { endpoint: 'https://evil.example' }, 'config.secretAccessKey'],
  ['the region', { type: 's3' }, { region: 'evil.example/' }, 'config.secretAccessKey'],
  ['the region', { type: 'newrelic' }, { region: 'eu' }, 'config.licenseKey'],
  ['the account', { type: 'snowflake' }, { account: 'evil-name' }, 'config.token'],
  ['one secret', { type: 'arize' }, { baseUrl: 'https://evil.example', apiKey: 'new' }, 'config.spaceKey'],
  [
    'a mask',
    { type: 'arize' },
    { baseUrl: 'https://evil.example', apiKey: '********', spaceKey: 'b' },
    'config.apiKey',
  ],
  ['the address', { type: 'sentry' }, { otlpEndpoint: 'https://evil.example/otlp' }, 'config.dsn'],
  [
    'the address',
    { type: 'webhook', config: { url: 'https://example.com/', headers: { 'X-A': 'secret' } } },
    { url: 'https://evil.example/' },
    'config.headers.X-A',
  ],
  [
    'a masked header',
    { type: 'webhook', config: { url: 'https://example.com/', headers: { 'X-A': 'secret' } } },
    { url: 'https://evil.example/', headers: { 'X-A': '********', 'X-B': 'other' } },
    'config.headers.X-A',
  ],
])('sends no saved secret to another server: a change of %s alone is refused (%j)', async (_, made, change, path) => {
  const { call, dataOf, store } = createAdminGateway();
  const { id } = await dataOf('POST', PATH, { name: 'n', config: GOOD_CONFIGS[made.type], ...made });
  const before = await store.destinations.get(id);
  expect(await call('PATCH', `${PATH}/${id}`, { config: change })).toMatchObject({
    status: 400,
    body: {
      error: {
        message: expect.stringContaining('was given for another server: give it again') as string,
        metadata: { issues: [{ path }] },
      },
    },
  });
  expect(await store.destinations.get(id)).toEqual(before);
});

test('moves a destination with its secrets given again, and keeps them on the same server', async () => {
  const { dataOf, store } = createAdminGateway();
  const configAfter = async (id: string, config: object) => {
    await dataOf('PATCH', `${PATH}/${id}`, { config });
    return (await store.destinations.get(id))?.config;
  };
  const { id } = await dataOf('POST', PATH, {
    ...LANGFUSE,
    config: { ...LANGFUSE.config, baseUrl: 'https://one.example/', headers: { 'X-A': 'secret' } },
  });
  expect(await configAfter(id, { baseUrl: 'https://one.example/below' })).toMatchObject({
    secretKey: 'sk-lf-0123456789abcdef',
    headers: { 'X-A': 'secret' },
  });
  const moved = { baseUrl: 'https://two.example', secretKey: 'sk-two', headers: { 'X-A': 'two', 'X-B': 'b' } };
  expect(await configAfter(id, moved)).toEqual({ publicKey: 'pk', ...moved });
  const bare = { baseUrl: 'https://three.example', secretKey: 'sk-three', headers: {} };
  expect(await configAfter(id, bare)).toEqual({ publicKey: 'pk', ...bare });
  // Where an S3 server has an address, its region moves nothing.
  const s3 = { ...GOOD_CONFIGS.s3, endpoint: 'https://s3.example' };
  const { id: bucket } = await dataOf('POST', PATH, { type: 's3', name: 's', config: s3 });
  expect(await configAfter(bucket, { region: 'eu', bucketName: 'c' })).toMatchObject({ secretAccessKey: 's' });
});

test('a field of the configuration that is changed to null has its default again, but none that is required', async () => {
  const { call, dataOf, store } = createAdminGateway();
  const config = { ...LANGFUSE.config, baseUrl: 'https://langfuse.example' };
  const { id } = await dataOf('POST', PATH, { ...LANGFUSE, config });
  await dataOf('PATCH', `${PATH}/${id}`, { config: { baseUrl: null, secretKey: 'sk-lf-new' } });
  const stored = (await store.destinations.get(id))?.config;
  expect(stored).toMatchObject({ ...LANGFUSE.config, secretKey: 'sk-lf-new', baseUrl: 'https://cloud.langfuse.com' });
  const refused = await call('PATCH', `${PATH}/${id}`, { config: { secretKey: null } });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('config.secretKey')]);
  expect((await store.destinations.get(id))?.config).toEqual(stored);
});

test('135: testing and resending respond with 404 for unknown ids', async () => {
  const { call } = createAdminGateway();
  for (const path of ['observability/destinations/x/test', 'destinations/deliveries/x/resend']) {
    expect((await call('POST', `/admin/v1/${path}`)).status).toBe(404);
  }
  expect((await call('GET', '/admin/v1/destinations/deliveries?limit=0')).status).toBe(400);
  expect((await call('GET', '/admin/v1/destinations/deliveries?state=delivered')).status).toBe(400);
});
