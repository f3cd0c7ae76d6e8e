import { focusManager, QueryClient } from '@tanstack/react-query';

import { ApiError } from './api-error.ts';
import { onOtherPagesChange } from './other-pages.ts';

const STALE_MS = 15_000;
const KEPT_MS = 300_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      // Something may have been changed elsewhere while the user was there, however short a time.
      refetchOnWindowFocus: 'always',
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
  // Lists of calls follow their own feed, and are too long to be loaded again.
  onOtherPagesChange(
    () => void queryClient.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== 'generations' }),
  );
}
