import type { Route } from '../../http/route.ts';
import type { AccountParts } from '../account.ts';
import { ADMIN, MANAGEMENT } from '../route-groups.ts';

/** The settings and figures of the account as a whole. */
export const ACCOUNT_ROUTES: readonly Route<AccountParts>[] = [
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/settings',
    operationId: 'getSettings',
    summary: 'Show the settings of the account',
    load: async () => (await import('../account.ts')).getSettings,
  },
  {
    ...ADMIN,
    method: 'PATCH',
    path: '/admin/v1/settings',
    operationId: 'updateSettings',
    summary: 'Change the settings of the account',
    load: async () => (await import('../account.ts')).updateSettings,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/rate-limits',
    operationId: 'listRateLimits',
    summary: 'List the rate limits of the configuration',
    load: async () => (await import('../account.ts')).listRateLimits,
  },
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/credits',
    operationId: 'getCredits',
    summary: 'Show what the account may spend and has spent',
    load: async () => (await import('../account.ts')).getCredits,
  },
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/activity',
    operationId: 'getActivity',
    summary: 'Add up the last days by day, model and endpoint',
    load: async () => (await import('../account.ts')).getActivity,
  },
];
