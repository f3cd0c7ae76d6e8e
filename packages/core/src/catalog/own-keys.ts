import type { Provider } from '../providers/provider.ts';
import type { ByokKey } from '../wire/byok.ts';
import type { Endpoint } from './catalog.ts';

/** A stored key that a caller may use, with its provider. */
export interface OwnKey {
  readonly key: ByokKey;
  /** The provider with that key; null where it cannot be used. */
  readonly provider: Provider | null;
  /** As `Endpoint.feeMillionths`. */
  readonly feeMillionths?: number | undefined;
}

interface Joined {
  /** In the order in which they are tried. */
  readonly endpoints: readonly Endpoint[];
  /** The gateway's own endpoints that a key does not want used. */
  readonly excluded: readonly { readonly endpoint: Endpoint; readonly rule: string }[];
}

/**
 * Puts the endpoints that are called with a caller's own keys before the shared ones, and those of fallback keys behind
 * them. Keys of one endpoint are tried by their order; endpoints keep theirs. `isOfModel`: whether a name means a model.
 */
export function withOwnKeys(
  endpoints: readonly Endpoint[],
  keys: readonly OwnKey[],
  isOfModel: (name: string, modelId: string) => boolean,
): Joined {
  const serves = ({ provider, allowed_models: models }: ByokKey, { modelId, provider: { slug } }: Endpoint): boolean =>
    provider === slug && (models === null || models.some((name) => isOfModel(name, modelId)));
  const sorted = keys.toSorted((a, b) => a.key.sort_order - b.key.sort_order);
  const ownOf = (isFallback: boolean): readonly Endpoint[] =>
    endpoints.flatMap((endpoint) =>
      sorted.flatMap(({ key, provider, feeMillionths }) =>
        provider !== null && key.is_fallback === isFallback && serves(key, endpoint)
          ? [{ ...toOwn(endpoint, key, provider), feeMillionths }]
          : [],
      ),
    );
  const isLeftOut = (endpoint: Endpoint): boolean =>
    keys.some(
      ({ key }) =>
        (key.is_byok_only && key.provider === endpoint.provider.slug) || (key.is_required && serves(key, endpoint)),
    );
  const leftOut = endpoints.filter(isLeftOut);
  return {
    endpoints: [...ownOf(false), ...endpoints.filter((endpoint) => !leftOut.includes(endpoint)), ...ownOf(true)],
    excluded: leftOut.map((endpoint) => ({ endpoint, rule: 'own_keys' })),
  };
}

/** Batches are followed with the gateway's key, so that lines of them are calls of their own here. */
const toOwn = (endpoint: Endpoint, { id, name, label }: ByokKey, provider: Provider): Endpoint => ({
  ...endpoint,
  provider: { ...provider, byok: true, keys: undefined, batches: undefined },
  // No key of the configuration has a colon in its name.
  keyName: `byok:${name ?? label}`,
  ownKeyId: id,
});

const MILLIONTHS = 1_000_000n;

/** Converts a share of 0 to 1 to millionths. Throws `RangeError` for any other, or one with more than six digits. */
export function toFeeMillionths(share: number): number {
  const millionths = Math.round(share * 1e6);
  if (share >= 0 && share <= 1 && millionths / 1e6 === share) return millionths;
  throw new RangeError(`account.byok.feeShare must be from 0 to 1 with at most six decimal places, got ${share}`);
}

/**
 * The fee for a call that its provider bills to the caller, in nano-dollars, half rounded to even; 0 at endpoints that
 * are not called with a caller's own key.
 */
export function feeOf(billNanoUsd: number, endpoint: Pick<Endpoint, 'feeMillionths'> | undefined): number {
  const share = endpoint?.feeMillionths;
  if (share === undefined) return 0;
  const product = BigInt(billNanoUsd) * BigInt(share);
  const [whole, rest] = [product / MILLIONTHS, (product % MILLIONTHS) * 2n];
  return Number(rest > MILLIONTHS || (rest === MILLIONTHS && whole % 2n === 1n) ? whole + 1n : whole);
}

/** The same rounded up, for amounts that are held. */
export function worstFeeOf(billNanoUsd: number, share: number): number {
  return Number((BigInt(billNanoUsd) * BigInt(share) + MILLIONTHS - 1n) / MILLIONTHS);
}
