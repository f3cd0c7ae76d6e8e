import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

import { callApi } from '../../api/call-api.ts';
import { queryClient } from '../../api/query-client.ts';
import { getSession } from '../../api/session.ts';
import { DEMO_API_KEY } from '../../shell/demo-keys.ts';
import { fixtureStateQuery } from '../fixtures/fixture-queries.ts';

const STORAGE_KEY = 'model-gateway.playground-key';
const listeners = new Set<() => void>();

/** Key that the playground calls with. There is none where the host of the page authenticates the user. */
export interface PlaygroundCaller {
  readonly key: string | undefined;
}

/**
 * Who the playground calls as; null until there is a key. A key is kept for as long as the tab lives. A gateway with a
 * UI that replays is in demo mode, which has a fixed one.
 */
export function usePlaygroundCaller(): PlaygroundCaller | null {
  const { data: fixtures } = useQuery(fixtureStateQuery);
  const isDemo = fixtures?.mode === 'replay';
  const kept = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => sessionStorage.getItem(STORAGE_KEY),
  );
  if (getSession().type === 'host') return { key: undefined };
  const key = kept ?? (isDemo ? DEMO_API_KEY : null);
  return key === null ? null : { key };
}

export function setPlaygroundKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(STORAGE_KEY);
  else sessionStorage.setItem(STORAGE_KEY, key);
  for (const listener of listeners) listener();
}

/** Makes a key of the playground's own, so that its calls can be told apart and limited. Throws `ApiError`. */
export async function createPlaygroundKey(limitUsd: number): Promise<void> {
  const { key } = await callApi<{ key: string }>('/api/v1/keys', {
    method: 'POST',
    body: { name: 'Playground', limit: limitUsd },
  });
  setPlaygroundKey(key);
  await queryClient.invalidateQueries({ queryKey: ['keys'] });
}
