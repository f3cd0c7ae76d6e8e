import { performance } from 'node:perf_hooks';

import { createGateway, DEFAULT_CLAIMS, type Gateway, type IdentityRules, type Store } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createAddressMatcher, createNodePlatform, listen } from '@model-gateway/node';
import { createOidcProvider } from '@model-gateway/node/sign-in';
import { onTestFinished } from 'vitest';

import { withCheckedResponses } from '../gateways/check-responses.ts';
import { type CookieBrowser, createCookieBrowser, type Visited } from './cookie-browser.ts';
import { CLIENT, type RunningProvider } from './start-oidc-provider.ts';

export const MANAGEMENT_KEY = 'sk-gw-v1-manages';

/** How far the clocks of a gateway are ahead of those of the machine. */
export interface Clocks {
  /** Of the platform: what a test lets pass. */
  passedMs: number;
  /** Between the gateway and the provider. */
  skewMs: number;
}

export interface SigningGateway {
  readonly gateway: Gateway;
  readonly url: string;
  readonly store: Store;
  readonly clocks: Clocks;
  /** Messages of the log. */
  readonly warned: readonly string[];
  /** Signs in at the provider with a new browser. `at` is the page where that ends. */
  signIn(user: string, browser?: CookieBrowser): Promise<SignedIn>;
}

export interface SignedIn {
  readonly browser: CookieBrowser;
  readonly at: Visited;
  /** What the gateway says of the session. */
  readonly session: () => Promise<Readonly<Record<string, unknown>>>;
}

interface SigningOptions {
  readonly rules?: Partial<IdentityRules>;
  readonly store?: Store;
  readonly clocks?: Clocks;
  readonly trustedAddresses?: readonly string[];
  readonly clientId?: string;
  readonly userClaim?: string;
}

/** A gateway on a socket whose members sign in at a provider, or through a proxy, until the test is over. */
export async function startSigningGateway(
  provider: Pick<RunningProvider, 'issuer'> | null,
  options: SigningOptions = {},
): Promise<SigningGateway> {
  const { clocks = { passedMs: 0, skewMs: 0 }, store = createMemoryStore(), trustedAddresses, clientId } = options;
  const warned: string[] = [];
  const now = (): number => Date.now() + clocks.passedMs;
  const gateway = createGateway({
    providers: [],
    store,
    platform: { ...createNodePlatform(), now, monotonicNow: () => performance.now() + clocks.passedMs },
    bootstrapKeys: [{ key: MANAGEMENT_KEY, kind: 'management', name: 'admin' }],
    logger: { info: () => undefined, warn: (message) => void warned.push(message), error: () => undefined },
    signIn: {
      rules: { groups: {}, ...options.rules },
      ...(provider !== null && {
        oidc: {
          provider: createOidcProvider({
            ...CLIENT,
            ...(clientId !== undefined && { clientId }),
            issuer: provider.issuer,
            scopes: ['openid', 'profile', 'email'],
            now: () => Date.now() + clocks.skewMs,
          }),
          label: 'Acme',
          claims: { ...DEFAULT_CLAIMS, user: options.userClaim ?? 'sub' },
          refreshMinutes: 15,
        },
      }),
      ...(trustedAddresses !== undefined && {
        proxy: {
          header: 'x-forwarded-user',
          emailHeader: 'x-forwarded-email',
          groupsHeader: 'x-forwarded-groups',
          isTrusted: createAddressMatcher(trustedAddresses),
        },
      }),
    },
  });
  // Which headers a proxy sends is configured, and in no document.
  const served = trustedAddresses === undefined ? withCheckedResponses(gateway) : gateway;
  const listener = await listen(served, { port: 0 });
  onTestFinished(async () => {
    await gateway.close();
    await listener.close();
  });
  const { url } = listener;
  return {
    gateway,
    url,
    store,
    clocks,
    warned,
    async signIn(user, browser = createCookieBrowser()) {
      const page = await browser.visit(`${url}/admin/v1/sign-in/oidc?return_to=/ui/%23/keys`);
      const at = page.url.includes('/interaction/') ? await browser.visit(page.url, { user }) : page;
      return { browser, at, session: async () => readSession(url, browser) };
    },
  };
}

export async function readSession(
  url: string,
  { ask }: CookieBrowser,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const response = await ask(`${url}/admin/v1/session`, { headers });
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}
