import type { ModelCall } from '../calls/model-call.ts';
import type { Endpoint, ProviderKey } from '../catalog/catalog.ts';
import { raceAbort } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { KeyLimits } from '../limits/key-limits.ts';
import type { Provider } from '../providers/provider.ts';
import type { KeyHealth } from '../routing/health/key-health.ts';
import {
  chooseKey,
  type KeyPoolParts,
  keyStickinessOf,
  type Pooled,
  stateOfKey,
  type StickyCall,
  waitForKeyMs,
} from '../routing/key-pools.ts';
import type { AgainReason } from '../wire/routing.ts';
import { asItIs, askOnce, type AskingOptions, type Attempted, toCallError } from './ask-endpoint.ts';
import type { HeldPlaces } from './held-places.ts';
import type { GenerationListener } from './recorder.ts';

/** What calls to providers with several keys need. */
export interface KeyUse extends KeyPoolParts {
  readonly limits: KeyLimits;
  readonly places: HeldPlaces;
}

/** The call, of which a key is chosen by its session or user. */
export interface KeyedWish {
  readonly call: StickyCall & Pick<ModelCall, 'id'>;
}

interface KeyedOptions extends AskingOptions {
  readonly wish: KeyedWish;
  readonly parts: AskingOptions['parts'] & { readonly pools: KeyUse };
}

/** The kind of place that a call holds at its key. */
const KEY_PLACE = 'key';

/**
 * Asks an endpoint with one key of its provider after the other, while it refuses the key and not the call. Each is an
 * attempt of its own in the record; for the plan, the budget of retries and the health of the endpoint all of them are
 * one (docs/decisions/0085). Resolves with the failure of the last.
 */
export async function askByKeys<First>(
  endpoint: Endpoint,
  again: AgainReason | undefined,
  options: KeyedOptions,
  ask: (keyed: Endpoint) => Promise<First>,
): Promise<Attempted<First> | GatewayError> {
  const { signal, wish, parts } = options;
  const { pools } = parts;
  const stickyKey = keyStickinessOf(wish.call, endpoint);
  const tried = new Set<ProviderKey>();
  // What a former turn of the call held: this one may need the same place.
  pools.places.release(wish.call.id, KEY_PLACE);
  let reason = again;
  for (;;) {
    const taken = await takeKey(endpoint, { stickyKey, tried, signal }, pools);
    if (taken === null) {
      const refusal = toPoolError(endpoint, undefined, pools);
      return askOnce({ endpoint, again: reason, judge: asItIs }, options, () => Promise.reject(refusal));
    }
    const { health } = taken;
    const judge = (error: GatewayError): GatewayError | null => {
      if (health.noteFailed(error) === 'unrelated') return error;
      const isLeft = chooseKey(endpoint, { stickyKey, tried, isDryRun: true }, pools) !== null;
      return isLeft ? null : toPoolError(endpoint, error, pools);
    };
    const attempted = await askWithKey({ endpoint, again: reason, taken, judge }, options, ask);
    if (attempted !== null) return attempted;
    reason = 'other_key';
  }
}

interface KeyWish {
  readonly stickyKey: string | null;
  /** Gets the keys that were looked at. */
  readonly tried: Set<ProviderKey>;
  readonly signal: AbortSignal;
}

interface TakenKey {
  readonly key: ProviderKey;
  readonly health: KeyHealth;
  /** Gives back the place at the key. */
  readonly release: () => void;
}

/**
 * Takes a place at the next key that its limits admit now; null where none is left. Keys that are at a limit rest until
 * they are not. The place is taken before anything is waited for: others would choose the same key meanwhile.
 */
async function takeKey(
  pooled: Pooled,
  { stickyKey, tried, signal }: KeyWish,
  pools: Pick<KeyUse, 'keys' | 'limits' | 'random'>,
): Promise<TakenKey | null> {
  const { slug } = pooled.provider;
  for (;;) {
    const choice = chooseKey(pooled, { stickyKey, tried }, pools);
    if (choice === null) return null;
    const { key } = choice;
    tried.add(key);
    const health = pools.keys.of(slug, key);
    const waiting = pools.limits.admit(slug, key);
    const waitMs = waiting instanceof Promise ? await raceAbort(waiting, signal) : waiting;
    if (waitMs > 0) {
      health.rest(waitMs);
      continue;
    }
    const release = health.hold();
    health.noteStarted();
    return { key, health, release };
  }
}

interface KeyedAttempt {
  readonly endpoint: Endpoint;
  readonly again: AgainReason | undefined;
  readonly taken: TakenKey;
  readonly judge: (error: GatewayError) => GatewayError | null;
}

/** One attempt with one key, which holds a place there until the call ends, or the attempt fails. */
async function askWithKey<First>(
  { endpoint, again, taken: { key, health, release }, judge }: KeyedAttempt,
  options: KeyedOptions,
  ask: (keyed: Endpoint) => Promise<First>,
): Promise<Attempted<First> | GatewayError | null> {
  const { wish, parts } = options;
  const { places } = parts.pools;
  places.hold(wish.call.id, KEY_PLACE, release);
  let hasBegun = false;
  try {
    const attempted = await askOnce({ endpoint, again, key: key.name, judge }, options, () =>
      ask({ ...endpoint, provider: key.provider }),
    );
    hasBegun = attempted !== null && !(attempted instanceof GatewayError);
    if (hasBegun) health.noteServed();
    return attempted;
  } finally {
    if (!hasBegun) places.release(wish.call.id, KEY_PLACE);
  }
}

/** A request that is no attempt of a plan: a job, a batch, a count of tokens. */
interface KeyedRequest {
  readonly provider: Provider;
  /** Leads related requests to one key; null for none. */
  readonly stickyKey: string | null;
  /** The key to ask with, and no other, because it made what the request goes on from. Default: any. */
  readonly keyName?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Asks a provider with one of its keys after the other, while it refuses the key and not the request. `ask` is given the
 * provider with that key, and the name of it; undefined where the provider has one alone. Throws the failure of the last.
 */
export async function askWithSomeKey<Result>(
  { provider, stickyKey, keyName, signal }: KeyedRequest,
  pools: Pick<KeyUse, 'keys' | 'limits' | 'random'>,
  ask: (keyed: Provider, keyName: string | undefined) => Promise<Result>,
): Promise<Result> {
  const { name, keys } = provider;
  if (keys === undefined) return ask(provider, undefined);
  const own = keys.filter((key) => key.name === keyName);
  const pooled: Pooled = { provider: own.length === 0 ? provider : { ...provider, keys: own } };
  const tried = new Set<ProviderKey>();
  let last: GatewayError | undefined;
  for (;;) {
    const taken = await takeKey(pooled, { stickyKey, tried, signal }, pools);
    if (taken === null) throw toPoolError(pooled, last, pools);
    const { key, health, release } = taken;
    try {
      const result = await ask(key.provider, key.name);
      health.noteServed();
      return result;
    } catch (thrown) {
      last = toCallError(thrown, name);
      if (signal.aborted || health.noteFailed(last) === 'unrelated') throw thrown;
    } finally {
      release();
    }
  }
}

/** A key that is busy is free again as soon as a call ends. */
const BUSY_RETRY_SECONDS = 1;

/** The failure of an endpoint of which no key can be used: with the time at which the first can be, where one will be. */
function toPoolError(endpoint: Pooled, last: GatewayError | undefined, { keys }: Pick<KeyUse, 'keys'>): GatewayError {
  const { name, slug, keys: all = [] } = endpoint.provider;
  const facts = {
    cause: last,
    upstreamStatus: last?.upstreamStatus,
    metadata: { ...last?.metadata, provider_name: name },
  };
  const waitMs = waitForKeyMs(endpoint, keys);
  if (waitMs !== null || all.some((key) => stateOfKey(slug, key, keys) === 'busy')) {
    const retryAfterSeconds = waitMs === null ? BUSY_RETRY_SECONDS : Math.max(1, Math.ceil(waitMs / 1000));
    const message = `${name}: every key of the gateway is at its limit; try again in ${retryAfterSeconds} s`;
    return new GatewayError('rate_limit_exceeded', message, { ...facts, retryAfterSeconds });
  }
  if (last !== undefined) return last;
  if (all.every(({ isOff }) => isOff === true)) {
    return new GatewayError('provider_unavailable', `${name}: every key of the gateway is disabled`, facts);
  }
  const message = `${name} refuses every key of the gateway; the operator must check them and their balance`;
  return new GatewayError('provider_unavailable', message, facts);
}

/** Counts the tokens and the cost of calls for the keys that served them. */
export const createKeySpending =
  ({ keys, limits }: Pick<KeyUse, 'keys' | 'limits'>): GenerationListener =>
  ({ generation, costNanoUsd }) => {
    const { provider_key: name, provider_responses: attempts } = generation;
    if (name === undefined) return;
    const served = attempts?.findLast((attempt) => attempt.key === name);
    const [slug = ''] = (served?.endpoint_id ?? '').split(/[/:]/, 1);
    const known = keys.named(slug, name);
    if (known === undefined) return;
    const tokens = (generation.tokens_prompt ?? 0) + (generation.tokens_completion ?? 0);
    known.health.noteSpent(tokens, costNanoUsd);
    limits.noteTokens(slug, known.key, tokens);
  };
