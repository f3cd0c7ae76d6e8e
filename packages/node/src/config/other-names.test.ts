import { join } from 'node:path';

import { expect, test } from 'vitest';

import { createConfigFolder } from '../../../../test/support/config/config-folder.ts';

const { folder, load, refused } = createConfigFolder();

const issuer = 'https://login.example/realms/staff';

test('auth.oidc is signIn.oidc, with the secret and with the role of each group', () => {
  const { signIn } = load(
    { auth: { oidc: { issuer, clientId: 'gateway', clientSecret: 'env:OIDC', roles: { platform: 'administrator' } } } },
    { env: { OIDC: 'hidden' } },
  );
  expect(signIn).toMatchObject({
    oidc: { issuer, clientId: 'gateway', clientSecret: 'hidden' },
    groups: { platform: { role: 'administrator' } },
  });
});

test('roles of auth.oidc stand beside what signIn.groups give in workspaces', () => {
  const groups = { platform: { workspaces: { search: 'member' } } };
  const { signIn } = load({
    auth: { oidc: { issuer, clientId: 'gateway', roles: { platform: 'viewer' } } },
    signIn: { groups },
  });
  expect(signIn.groups).toEqual({ platform: { workspaces: { search: 'member' }, role: 'viewer' } });
});

test('auth.proxyHeader is a proxy at the addresses of server.trustedProxies', () => {
  const { signIn } = load({ server: { trustedProxies: ['10.0.0.5'] }, auth: { proxyHeader: 'X-User' } });
  expect(signIn.proxy).toEqual({ header: 'x-user', trustedAddresses: ['10.0.0.5'] });
  expect(load({ auth: { proxyHeader: null, oidc: null } }).signIn).toMatchObject({ oidc: null, proxy: null });
});

test('auth.jwt may be one issuer alone', () => {
  const { auth } = load({ auth: { jwt: { issuer, audience: 'gateway' } } });
  expect(auth.jwt).toMatchObject([{ issuer, audience: 'gateway' }]);
});

test('a store and what processes share say their type by what they have', () => {
  const url = 'postgres://gateway@127.0.0.1/gateway';
  expect(load({ store: { url } }).store).toMatchObject({ type: 'postgres', url });
  expect(load({ store: { url: 'env:DB', maxConnections: 5 } }, { env: { DB: url } }).store).toMatchObject({ url });
  expect(load({ store: { module: './store.js' } }).store).toMatchObject({
    type: 'module',
    module: join(folder, 'store.js'),
  });
  expect(load({ store: { dir: 'kept' } }).store).toEqual({ type: 'json', dir: join(folder, 'kept') });
  const redis = 'redis://127.0.0.1:6379';
  expect(load({ shared: { url: redis, whenDown: 'closed' } }).shared).toEqual({
    type: 'redis',
    url: redis,
    whenDown: 'closed',
  });
});

test.each([
  [{ byok: { feePercent: 5 } }, 0.05],
  [{ account: { byok: { feePercent: 5 } } }, 0.05],
  [{ byok: { feePercent: 7 } }, 0.07],
  [{ byok: { feePercent: 0.0001 } }, 0.000001],
  [{ byok: { feePercent: 28.9 } }, 0.289],
  [{ byok: { feePercent: 0 } }, 0],
])('a fee in percent is a share of a hundredth: %j', (config, share) => {
  const { account, warnings } = load(config);
  expect(account.byok).toEqual({ feeShare: share });
  expect(warnings).toEqual([]);
});

test('a fee of more than half of the bill is a warning, under the name that the file has', () => {
  const said = "makes calls with a workspace's own key cost 90 percent of the provider's bill";
  expect(load({ account: { byok: { feeShare: 0.9 } } }).warnings).toEqual([`account.byok.feeShare ${said}`]);
  expect(load({ byok: { feePercent: 90 } }).warnings).toEqual([`byok.feePercent ${said}`]);
  expect(load({ byok: { feePercent: 50 } }).warnings).toEqual([]);
});

test('filters beside the sections are those of guardrails, named after their files', () => {
  const { guardrails } = load(
    {
      filters: [
        { module: './filters/no-names.js', options: { key: 'env:KEY' } },
        { slug: 'own', module: 'b.mjs' },
      ],
    },
    { env: { KEY: 'hidden' } },
  );
  expect(guardrails.filters).toEqual([
    {
      slug: 'no-names',
      module: join(folder, 'filters/no-names.js'),
      options: { key: 'hidden' },
      place: 'filters[0].module',
    },
    { slug: 'own', module: join(folder, 'b.mjs'), options: {}, place: 'filters[1].module' },
  ]);
});

test('a file that gives a field under both names is refused with both places', () => {
  const text = `{
  "auth": {
    "oidc": { "issuer": "${issuer}", "clientId": "a", "roles": { "all": "viewer" } },
    "proxyHeader": "X-User"
  },
  "server": { "trustedProxies": ["10.0.0.5"] },
  "signIn": {
    "oidc": { "issuer": "${issuer}", "clientId": "b" },
    "proxy": { "header": "X-User", "trustedAddresses": ["10.0.0.5"] },
    "groups": { "all": { "role": "owner" } }
  },
  "byok": { "feePercent": 5 },
  "account": {
    "byok": { "feePercent": 6 }
  },
  "filters": [],
  "guardrails": { "filters": [] }
}`;
  expect(refused(text)).toEqual([
    'auth.oidc: says the same as signIn.oidc in line 8; remove one of them',
    'auth.oidc.roles.all: says the same as signIn.groups.all.role in line 10; remove one of them',
    'auth.proxyHeader: says the same as signIn.proxy in line 9; remove one of them',
    'account.byok.feePercent: says the same as byok.feePercent in line 12; remove one of them',
    'filters: says the same as guardrails.filters in line 17; remove one of them',
  ]);
});

test.each<[string, unknown, readonly string[]]>([
  [
    'an unknown field',
    { auth: { oidc: { issuer, clientID: 'a', clientId: 'b' } } },
    ['auth.oidc.clientID: is not a known field. Did you mean "clientId"?'],
  ],
  ['a missing field', { auth: { oidc: { issuer } } }, ['auth.oidc.clientId: is missing; give text in double quotes']],
  ['another type', { auth: { oidc: 'on' } }, ['auth.oidc: must be an object: { … }, but is text']],
  [
    'a secret that is not there',
    { auth: { oidc: { issuer, clientId: 'a', clientSecret: 'env:NONE' } } },
    ['auth.oidc.clientSecret: the environment variable NONE is not set (or empty). Set it, or write the value here'],
  ],
  [
    'an unknown role',
    { auth: { oidc: { issuer, clientId: 'a', roles: { 'a.b': 'boss' } } } },
    ['auth.oidc.roles.a.b: must be one of "owner", "administrator", "billing", "developer", "viewer"'],
  ],
  [
    'roles that are a list',
    { auth: { oidc: { issuer, clientId: 'a', roles: [] } } },
    ['auth.oidc.roles: must be an object with the role of each group, e.g. { "platform": "administrator" }'],
  ],
  [
    'a header that anyone could send',
    { auth: { proxyHeader: 'X-User' } },
    [
      'auth.proxyHeader: needs server.trustedProxies, the addresses of the proxy, e.g. ["10.0.0.5"]: from all others the header is ignored',
    ],
  ],
  [
    'a header that is none',
    { auth: { proxyHeader: 'a b' }, server: { trustedProxies: ['10.0.0.5'] } },
    ['auth.proxyHeader: must be the name of a header, e.g. "X-Forwarded-User"'],
  ],
  [
    'a proxy that is none',
    { auth: { proxyHeader: 'X-User' }, server: { trustedProxies: ['proxy'] } },
    ['server.trustedProxies[0]: must be an IP address or range, e.g. "10.0.0.0/8"'],
  ],
  [
    'one issuer with a mistake',
    { auth: { jwt: { issuer, audience: 'a', algoritms: [] } } },
    ['auth.jwt.algoritms: is not a known field. Did you mean "algorithms"?'],
  ],
  ['a fee that is no number', { byok: { feePercent: '5' } }, ['byok.feePercent: must be a number from 0 to 100']],
  ['a fee above the whole', { byok: { feePercent: 101 } }, ['byok.feePercent: must be a number from 0 to 100']],
  [
    'another field of byok',
    { byok: { share: 1 } },
    ['byok.share: is not a known field. Remove it; the only field here is feePercent'],
  ],
  ['a byok that is a number', { byok: 5 }, ['byok: must be an object: { "feePercent": 5 }']],
  ['filters that are no list', { filters: {} }, ['filters: must be a list: [ … ], but is an object']],
  [
    'two filters of one name',
    { filters: [{ module: 'a.js' }, { module: 'b/a.js' }] },
    ['filters[1].slug: "a" is in filters[0] already'],
  ],
  [
    'a filter whose file has no name for it',
    { filters: [{ module: './.js' }] },
    ['filters[0].slug: must be letters, digits, dots, underscores or hyphens, e.g. "my-filter"'],
  ],
  [
    'an address of another kind of store',
    { store: { url: 'mysql://x/y' } },
    ['store.url: must be an address such as postgres://user:password@host:5432/database'],
  ],
])('a mistake under another name is told under that name: %s', (_, config, issues) => {
  expect(refused(config)).toEqual(issues);
});

test('a mistake under another name has the line that it stands in', () => {
  const text = `{
  "auth": {
    "oidc": {
      "issuer": "${issuer}",
      "clientId": ""
    }
  }
}`;
  expect(() => load(text)).toThrow('auth.oidc.clientId: must not be empty (line 5)');
});

test('a secret under another name that looks like a reference is told under that name', () => {
  const { warnings } = load({ auth: { oidc: { issuer, clientId: 'a', clientSecret: 'vault:oidc' } } });
  expect(warnings[0]).toMatch(/^auth\.oidc\.clientSecret looks like a reference/);
});
