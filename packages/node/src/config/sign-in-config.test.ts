import { expect, test } from 'vitest';

import { signInSchema } from './sign-in-config.ts';

const OIDC = { issuer: 'https://login.example/realms/staff', clientId: 'gateway' };

const problemsOf = (config: unknown): string[] =>
  signInSchema.safeParse(config).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

test('a provider needs its issuer and its client, and the rest has defaults', () => {
  expect(signInSchema.parse({ oidc: OIDC })).toMatchObject({
    oidc: {
      label: 'OpenID Connect',
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      claims: { user: 'sub', email: 'email', name: 'name', groups: 'groups' },
      refreshMinutes: 15,
    },
    proxy: null,
    groups: {},
  });
});

test('names of headers are as requests have them', () => {
  const proxy = { header: 'X-Forwarded-User', trustedAddresses: ['10.0.0.0/8'] };
  expect(signInSchema.parse({ proxy }).proxy?.header).toBe('x-forwarded-user');
});

test.each([
  [{ oidc: { ...OIDC, issuer: 'http://login.example' } }, 'oidc.issuer: must be an https address'],
  [{ oidc: { ...OIDC, scopes: ['email'] } }, 'oidc.scopes: must contain "openid"'],
  [{ oidc: { ...OIDC, clientSecret: '' } }, 'oidc.clientSecret: '],
  [{ proxy: { header: 'a b', trustedAddresses: ['10.0.0.1'] } }, 'proxy.header: must be the name of a header'],
  [{ proxy: { header: 'a', trustedAddresses: [] } }, 'proxy.trustedAddresses: '],
  [{ proxy: { header: 'a', trustedAddresses: ['proxy'] } }, 'proxy.trustedAddresses.0: must be an IP address or range'],
  [{ groups: { all: { role: 'boss' } } }, 'groups.all.role: '],
  [{ groups: { all: { workspaces: { search: 'admin' } } } }, 'groups.all.workspaces.search: '],
  [{ allowedDomains: ['@acme.example'] }, 'allowedDomains.0: must be a domain'],
  [{ firstOwner: 'ada' }, 'firstOwner: '],
])('a mistake is named with its field: %j', (config, problem) => {
  expect(problemsOf(config)).toEqual([expect.stringContaining(problem)]);
});

test('a provider on this machine may be without TLS', () => {
  expect(problemsOf({ oidc: { ...OIDC, issuer: 'http://127.0.0.1:9000' } })).toEqual([]);
});
