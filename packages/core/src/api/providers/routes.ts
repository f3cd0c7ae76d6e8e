import type { Route } from '../../http/route.ts';
import type { ProviderParts } from './provider-parts.ts';

/** Providers, how they are reached, and how they fare. */
export const PROVIDER_ROUTES: readonly Route<ProviderParts>[] = [
  {
    method: 'GET',
    path: '/api/v1/providers',
    surface: 'api',
    auth: 'any',
    summary: 'List providers',
    load: async () => (await import('./list-providers.ts')).listProviders,
  },
  {
    method: 'GET',
    path: '/admin/v1/providers',
    surface: 'admin',
    auth: 'management',
    summary: 'List providers with how they are reached and how they have fared',
    load: async () => (await import('./list-provider-states.ts')).listProviderStates,
  },
  {
    method: 'POST',
    path: '/admin/v1/providers/{slug}/test',
    surface: 'admin',
    auth: 'management',
    summary: 'Look at what stands between the gateway and a provider',
    load: async () => (await import('./test-provider.ts')).testProvider,
  },
];
