import { focusManager, QueryClient } from '@tanstack/react-query';

import { ApiError } from './api-error.ts';
import { onOtherPagesChange } from './other-pages.ts';

const STALE_MS = 15_000;
const KEPT_MS = 300_000;

/** The queries of what users change. Calls follow a feed of their own, and to count them costs more. */
const CHANGED_BY_USERS: ReadonlySet<unknown> = new Set([
  'deliveries',
  'destinations',
  'endpoints',
  'explain',
  'fixtures',
  'guardrails',
  'keys',
  'local-servers',
  'members',
  'model-setups',
  'models',
  'provider-setups',
  'provider-states',
  'providers',
  'settings',
  'videos',
  'webhooks',
]);

const isChangedByUsers = ({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean =>
  CHANGED_BY_USERS.has(queryKey[0]);

export const queryClient = new QueryClient({
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
