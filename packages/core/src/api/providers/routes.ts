import type { Route } from '../../http/route.ts';
import type { ProviderParts } from '../providers.ts';
import { ADMIN, ANY_KEY } from '../route-groups.ts';

/** Providers, how they are reached, and how they fare. */
export const PROVIDER_ROUTES: readonly Route<ProviderParts>[] = [
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/providers',
    operationId: 'listProviders',
    summary: 'List providers',
    load: async () => (await import('../providers.ts')).listProviders,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/providers',
    operationId: 'listProviderStates',
    summary: 'List providers with how they are reached and how they have fared',
    load: async () => (await import('../providers.ts')).listProviderStates,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/providers/history',
    operationId: 'listProviderHistories',
    summary: 'List providers with what became of the calls to them, by time',
    load: async () => (await import('../provider-history.ts')).listProviderHistories,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/providers/{slug}/history',
    operationId: 'getProviderHistory',
    summary: 'Get what became of the calls to a provider, by time and by endpoint',
    load: async () => (await import('../provider-history.ts')).getProviderHistory,
  },
  {
    ...ADMIN,
    method: 'POST',
    path: '/admin/v1/providers/{slug}/test',
    operationId: 'testProvider',
    summary: 'Look at what stands between the gateway and a provider',
    load: async () => (await import('../providers.ts')).testProvider,
  },
];
