import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import type { GatewayRequest } from '../http/request.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import type { SharedEntries } from '../stores/store.ts';
import { createMemoryEntries } from './auth-codes.ts';
import { DEFAULT_CLAIMS, type EndedIdentity, type IdentityProvider } from './identity-provider.ts';
import { createIdentitySessions } from './identity-sessions.ts';
import { createSessions } from './sessions.ts';

const REQUEST: GatewayRequest = {
  method: 'GET',
  path: '/',
  query: '',
  headers: { host: 'gateway' },
  baseUrl: '',
  signal: new AbortController().signal,
  readBody: () => Promise.resolve(new Uint8Array()),
  async *openBody() {},
};
const ISSUER = 'https://idp.example';

/** Sessions at a provider whose logout tokens are JSON. */
function setUp() {
  const platform = createVirtualPlatform();
  const store = createMemoryStore();
  const state = { isAway: false };
  const memory = createMemoryEntries(platform);
  const entries: SharedEntries = {
    renew: async () => false,
    ...memory,
    claim: async (...entry) => memory.claim(...entry),
    async put(...entry) {
      if (state.isAway) throw new Error('the store is away');
      return memory.put(...entry);
    },
  };
  const provider: Partial<IdentityProvider> = {
    readLogoutToken: async (token) => JSON.parse(token) as EndedIdentity,
  };
  const found = createIdentitySessions(
    {
      rules: { groups: {} },
      oidc: { provider: provider as IdentityProvider, label: 'A', claims: DEFAULT_CLAIMS, refreshMinutes: 15 },
    },
    {
      members: store.members,
      store: { ...store, entries },
      platform,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      sessions: createSessions(platform),
    },
  );
  if (found === null) throw new Error('there are no sessions');
  return {
    state,
    open: (sessionId?: string) =>
      found.openByProvider(
        { issuer: ISSUER, subject: 'ada', sessionId, claims: {}, tokens: { subject: 'ada' } },
        REQUEST,
        { members: store.members, store },
      ),
    end: (facts: Partial<EndedIdentity>) =>
      found.endByProvider(JSON.stringify({ issuer: ISSUER, tokenId: 't', ...facts })),
    isOpen: async (session: Awaited<ReturnType<typeof found.openByProvider>>) => {
      await platform.advance(1000);
      return found.requireInForce(session, REQUEST).then(
        () => true,
        () => false,
      );
    },
  };
}

test('a logout that could not be kept is taken when the provider sends it again', async () => {
  const { state, open, end, isOpen } = setUp();
  const session = await open('s1');
  state.isAway = true;
  await expect(end({ sessionId: 's1' })).rejects.toThrow('away');
  state.isAway = false;
  await end({ sessionId: 's1' });
  expect(await isOpen(session)).toBe(false);
  await expect(end({ sessionId: 's1' })).rejects.toMatchObject({ code: 'invalid_request' });
});

test('the logout of a session ends it and those of its user that have no id, and no others', async () => {
  const { open, end, isOpen } = setUp();
  const [ended, other, without] = [await open('s1'), await open('s2'), await open()];
  await end({ sessionId: 's1', subject: 'ada' });
  expect([await isOpen(ended), await isOpen(other), await isOpen(without)]).toEqual([false, true, false]);
});
