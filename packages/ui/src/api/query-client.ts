import { focusManager, QueryCache, QueryClient } from '@tanstack/react-query';

import { ApiError } from './api-error.ts';
import { callApi, onOtherPagesChange } from './call-api.ts';
import { onUserLeft } from './session.ts';

const STALE_MS = 15_000;
const KEPT_MS = 300_000;

/** The queries of what users change. Calls follow a feed of their own, and to count them costs more. */
const CHANGED_BY_USERS: ReadonlySet<unknown> = new Set([
  'alarms',
  'budget-raises',
  'call-limits',
  'deliveries',
  'destinations',
  'endpoints',
  'explain',
  'fixtures',
  'groups',
  'guardrails',
  'keys',
  'local-servers',
  'members',
  'model-setups',
  'models',
  'prompts',
  'provider-setups',
  'provider-states',
  'providers',
  'rate-limits',
  'reruns',
  'settings',
  'videos',
  'webhooks',
  'workspaces',
]);

const isChangedByUsers = ({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean =>
  CHANGED_BY_USERS.has(queryKey[0]);

const HEALTH = ['health'];

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, { queryKey }) {
      // The gateway is gone, and the head of the page still says that it runs.
      const isLost = error instanceof ApiError && error.status === 0 && queryKey[0] !== HEALTH[0];
      if (isLost) void queryClient.refetchQueries({ queryKey: HEALTH, type: 'active' }, { cancelRefetch: false });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      // It may have been changed elsewhere while the user was there, however short a time.
      refetchOnWindowFocus: (query) => (isChangedByUsers(query) ? 'always' : true),
      gcTime: KEPT_MS,
      // A request that the gateway refused would be refused again.
      retry: (failures, error) =>
        failures < 1 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
});

// What one user was shown is not for the next.
onUserLeft(() => queryClient.clear());

/** Keeps what is shown as it is at the gateway, when the user comes back and when another page changes something. */
export function followChanges(): void {
  // Of two windows side by side both are visible; the one that the user turns to gets the focus.
  focusManager.setEventListener((onFocus) => {
    const tell = (): void => onFocus();
    addEventListener('visibilitychange', tell);
    addEventListener('focus', tell);
    return () => {
      removeEventListener('visibilitychange', tell);
      removeEventListener('focus', tell);
    };
  });
  onOtherPagesChange(() => void queryClient.invalidateQueries({ predicate: isChangedByUsers }));
}

const LOOK_EVERY_MS = 3000;

/** Loads what is shown and could not be loaded for a while, such as while the gateway's database was away. */
export function recoverQueries(): void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (document.hidden || isLooking || queryClient.getQueryCache().findAll(FAILED).length === 0) return;
    isLooking = true;
    // One request beforehand, so that no panel turns into a loading one and back for as long as it lasts.
    if (await isBack()) await queryClient.refetchQueries(FAILED);
    isLooking = false;
  };
  setInterval(() => void look(), LOOK_EVERY_MS);
}

/** Whether the gateway can read its database again. Some roles are refused this, which it has to read their session for. */
async function isBack(): Promise<boolean> {
  try {
    await callApi('/admin/v1/generations', { query: { limit: 1 } });
    return true;
  } catch (error) {
    return error instanceof ApiError && error.status !== 0 && error.status < 500;
  }
}

const FAILED = {
  type: 'active',
  predicate: ({ state: { error } }: { readonly state: { readonly error: unknown } }) =>
    error instanceof ApiError && error.status === 503,
} as const;
