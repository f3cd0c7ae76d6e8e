import { ApiError } from './api-error.ts';
import { callApi } from './call-api.ts';
import { queryClient } from './query-client.ts';

const LOOK_EVERY_MS = 3000;

/** Loads what is shown and could not be loaded for a while, such as while the gateway's database was away. */
export function recoverQueries(): void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (document.hidden || isLooking || queryClient.getQueryCache().findAll(FAILED).length === 0) return;
    isLooking = true;
    try {
      // One request beforehand, so that no panel turns into a loading one and back for as long as it lasts.
      await callApi('/admin/v1/generations', { query: { limit: 1 } });
      await queryClient.refetchQueries(FAILED);
    } catch {
      // It is still away.
    }
    isLooking = false;
  };
  setInterval(() => void look(), LOOK_EVERY_MS);
}

const FAILED = {
  type: 'active',
  predicate: ({ state: { error } }: { readonly state: { readonly error: unknown } }) =>
    error instanceof ApiError && error.status === 503,
} as const;
