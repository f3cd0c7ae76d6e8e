import type { ModelCall } from '../calls/model-call.ts';
import type { Endpoint, ProviderKey } from '../catalog/catalog.ts';
import type { KeyState } from '../wire/providers.ts';
import type { EndpointExplanation } from '../wire/routing-explanation.ts';
import type { KeyBoard } from './health/key-board.ts';
import { hashToUnit, pickWeighted, type RandomSource, stickyKeyOf } from './order-endpoints.ts';

/** The key that a call is sent with. */
export interface KeyChoice {
  readonly key: ProviderKey;
  /**
   * `only`: no other can be used. `sticky`: the session, user or conversation leads to it. `weight`: drawn by the weights.
   * `last_resort`: all are disabled, and one is asked whether that still holds.
   */
  readonly reason: 'only' | 'sticky' | 'weight' | 'last_resort';
}

export interface KeyPoolParts {
  readonly keys: KeyBoard;
  readonly random: RandomSource;
}

/** What is asked, with all keys of its provider. */
export type Pooled = Pick<Endpoint, 'provider'>;

interface KeyQuery {
  /** Leads related calls to one key; null for none. */
  readonly stickyKey: string | null;
  /** Those that have refused the call. */
  readonly tried?: ReadonlySet<ProviderKey> | undefined;
  /** Nothing is sent, so that no probe is used up. */
  readonly isDryRun?: boolean | undefined;
}

/**
 * Chooses among the keys of an endpoint's provider: those that are well come first, then those whose circuit is open.
 * Null where none can be used now. The same session gets the same key, by hashing alone: no state has to be shared, and
 * when a key is out only its own sessions move.
 */
export function chooseKey(
  { provider: { slug, keys = [] } }: Pooled,
  { stickyKey, tried, isDryRun }: KeyQuery,
  { keys: board, random }: KeyPoolParts,
): KeyChoice | null {
  const ready: ProviderKey[] = [];
  const failing: ProviderKey[] = [];
  let disabled = 0;
  for (const key of keys) {
    const state = stateOfKey(slug, key, board);
    if (state === 'disabled' || state === 'off') disabled += 1;
    if (tried?.has(key) === true) continue;
    if (state === 'ready') ready.push(key);
    else if (state === 'failing') failing.push(key);
  }
  const usable = ready.length > 0 ? ready : failing;
  const [first] = usable;
  if (first === undefined) {
    if (disabled < keys.length || isDryRun === true) return null;
    const probed = keys.find((key) => tried?.has(key) !== true && key.isOff !== true && board.of(slug, key).mayProbe());
    return probed === undefined ? null : { key: probed, reason: 'last_resort' };
  }
  if (usable.length === 1) return { key: first, reason: 'only' };
  const key = pickWeighted(usable, ({ weight, fingerprint }) => ({
    share: weight,
    // A draw by chance must not be 0, of which there is no logarithm.
    unit: stickyKey === null ? 1 - random() : hashToUnit(`${stickyKey}\n${fingerprint}`),
  }));
  return { key, reason: stickyKey === null ? 'weight' : 'sticky' };
}

/** How a key of a provider stands, for calls of this process. */
export const stateOfKey = (slug: string, key: ProviderKey, board: KeyBoard): KeyState =>
  key.isOff === true ? 'off' : board.of(slug, key).state();

/** Milliseconds until the first key of a provider can be used again; null when that is not known. */
export function waitForKeyMs({ provider: { slug, keys = [] } }: Pooled, board: KeyBoard): number | null {
  const waits = keys.flatMap((key) => (key.isOff === true ? [] : (board.of(slug, key).waitMs() ?? [])));
  return waits.length === 0 ? null : Math.min(...waits);
}

/**
 * A provider as it is called with the key of this name, by which alone it knows a job or a batch. Where there is no such
 * key any more, the provider as it is: keys of one account know each other's jobs.
 */
export const providerWithKey = (provider: Endpoint['provider'], name: string | undefined): Endpoint['provider'] =>
  (name === undefined ? undefined : provider.keys?.find((key) => key.name === name))?.provider ?? provider;

/** What of a call leads to a key. */
export type StickyCall = Pick<ModelCall, 'kind' | 'request' | 'principal' | 'session' | 'labels'>;

/** What leads the calls of a session, else of a prompt cache, a user or a conversation, to one key; null for nothing. */
export function keyStickinessOf(call: StickyCall, endpoint: Endpoint): string | null {
  const { principal, session, labels, kind, request } = call;
  if (session !== null) return `${principal.id}\nsession\n${session}`;
  const preferences = kind.preferencesOf(request);
  const { externalUser } = labels;
  if (externalUser === null || preferences.cacheKey) return stickyKeyOf(call, preferences, [endpoint]);
  return `${principal.id}\nuser\n${externalUser}`;
}

/** How the keys of an endpoint stand, and which one a call would be sent with. */
export function explainKeys(
  endpoint: Endpoint,
  call: StickyCall,
  board: KeyBoard,
): NonNullable<EndpointExplanation['keys']> {
  const { slug, keys = [] } = endpoint.provider;
  // The same number for each draw shows the one with the largest share among those that are drawn by weight.
  const parts = { keys: board, random: () => 0.5 };
  const choice = chooseKey(endpoint, { stickyKey: keyStickinessOf(call, endpoint), isDryRun: true }, parts);
  return keys.map((key) => {
    const isChosen = choice?.key === key;
    return {
      name: key.name,
      weight: key.weight,
      state: stateOfKey(slug, key, board),
      chosen: isChosen,
      ...(isChosen && { reason: choice.reason }),
    };
  });
}
