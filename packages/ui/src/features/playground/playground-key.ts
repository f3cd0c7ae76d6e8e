import { hasTokenPrices } from '@model-gateway/clients';
import type { Model } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { createStore, useStore } from 'zustand';

import { type Caller, callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { getSession, onUserLeft, PLAYGROUND_KEY } from '../../api/session.ts';
import type { Key } from '../../api/types.ts';
import { DEMO_API_KEY } from '../../app/sign-in.ts';
import { fixtureStateQuery } from '../fixtures/fixture-queries.ts';
import { findUsableKeys, PLAYGROUND_KEY_NAME } from './usable-keys.ts';

/** The user wants to choose, although there is a key to call as. */
const ASK = 'ask';
const HASH = 'hash:';
/** What was chosen in this tab. */
const store = createStore<string | null>(() => globalThis.sessionStorage?.getItem(PLAYGROUND_KEY) ?? null);
onUserLeft(() => store.setState(null, true));

/**
 * Who the playground calls as; null until there is a key, undefined until that is known,
 * also where the keys cannot be loaded. Without a choice it is the key
 * named “Playground”, as which every browser that is signed in may call, so that there is one for all of them. A choice
 * is kept for as long as the tab lives. A gateway with a UI that replays is in demo mode, which has a fixed key.
 */
export function usePlaygroundCaller(): Caller | null | undefined {
  const { data: fixtures, isPending: isModePending } = useQuery(fixtureStateQuery);
  const { data: keys } = useQuery(keysQuery);
  const chosen = useStore(store);
  const isHost = getSession().type === 'host';
  const isDemo = fixtures?.mode === 'replay';
  const isPending = isModePending || (keys === undefined && !isDemo);
  const ownHash = findPlaygroundKey(keys ?? [])?.hash;
  return useMemo(() => {
    if (isHost) return {};
    if (chosen === ASK) return null;
    if (chosen !== null) return chosen.startsWith(HASH) ? { keyHash: chosen.slice(HASH.length) } : { key: chosen };
    if (isPending) return undefined;
    if (isDemo) return { key: DEMO_API_KEY };
    return ownHash === undefined ? null : { keyHash: ownHash };
  }, [isHost, chosen, isPending, isDemo, ownHash]);
}

export const findPlaygroundKey = (keys: readonly Key[]): Key | undefined =>
  findUsableKeys(keys).find(({ name }) => name === PLAYGROUND_KEY_NAME);

/** Calls with a key that the user has; null asks which. */
export const setPlaygroundKey = (key: string | null): void => choose(key ?? ASK);

/** Calls as a key of the gateway, which the session may without holding it. */
export const actAsKey = (hash: string): void => choose(HASH + hash);

const LIMIT_USD = 1;

/** What a new key of the playground may spend, and which models its limit would refuse. */
export interface PlaygroundLimit {
  /** Null where no price is known: under a limit nothing could be called. */
  readonly limitUsd: number | null;
  /** Ids of the models without known prices, which calls under a limit are refused to. */
  readonly unpriced: readonly string[];
}

/** The limit that fits the models which can be called. One is offered as soon as some prices are known. */
export function choosePlaygroundLimit(
  models: readonly Pick<Model, 'id' | 'pricing' | 'architecture'>[],
): PlaygroundLimit {
  const texts = models.filter(({ architecture }) => architecture.output_modalities.includes('text'));
  const unpriced = texts.filter((model) => !hasTokenPrices(model)).map(({ id }) => id);
  const hasPriced = models.length === 0 || models.some(hasTokenPrices);
  return { limitUsd: hasPriced ? LIMIT_USD : null, unpriced };
}

/**
 * Makes a key of the playground's own, so that its calls can be distinguished and limited; null is no limit. Of
 * several browsers that do this at once, all take the one that was made first. Throws `ApiError`.
 */
export async function createPlaygroundKey(limitUsd: number | null): Promise<void> {
  const made = await findFirst();
  if (made !== undefined) return actAsKey(made.hash);
  const { data } = await callApi<{ data: Key }>('/api/v1/keys', {
    method: 'POST',
    // Nobody's, where that is permitted: it stays for the others when its maker leaves.
    body: { name: PLAYGROUND_KEY_NAME, limit: limitUsd, creator_user_id: null },
  });
  // The oldest comes first, and the page that made a later one sees it.
  const first = (await findFirst()) ?? data;
  if (first.hash !== data.hash) await callApi(`/api/v1/keys/${data.hash}`, { method: 'DELETE' });
  actAsKey(first.hash);
  await queryClient.invalidateQueries({ queryKey: ['keys'] });
}

async function findFirst(): Promise<Key | undefined> {
  // A list that is on its way may be older than the key that was just made.
  await queryClient.cancelQueries({ queryKey: keysQuery.queryKey });
  return findPlaygroundKey(await queryClient.fetchQuery({ ...keysQuery, staleTime: 0 }));
}

function choose(choice: string): void {
  sessionStorage.setItem(PLAYGROUND_KEY, choice);
  store.setState(choice, true);
}
