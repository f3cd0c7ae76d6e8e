import type { Route } from '../../http/route.ts';
import type { AccountParts } from './account-parts.ts';

/** The settings and figures of the account as a whole. */
export const ACCOUNT_ROUTES: readonly Route<AccountParts>[] = [
  {
    method: 'GET',
    path: '/admin/v1/settings',
    surface: 'admin',
    auth: 'management',
    summary: 'Show the settings of the account',
    load: async () => (await import('./get-settings.ts')).getSettings,
  },
  {
    method: 'PATCH',
    path: '/admin/v1/settings',
    surface: 'admin',
    auth: 'management',
    summary: 'Change the settings of the account',
    load: async () => (await import('./update-settings.ts')).updateSettings,
  },
  {
    method: 'GET',
    path: '/api/v1/credits',
    surface: 'api',
    auth: 'management',
    summary: 'Show what the account may spend and has spent',
    load: async () => (await import('./get-credits.ts')).getCredits,
  },
  {
    method: 'GET',
    path: '/api/v1/activity',
    surface: 'api',
    auth: 'management',
    summary: 'Add up the last days by day, model and endpoint',
    load: async () => (await import('./get-activity.ts')).getActivity,
  },
];
