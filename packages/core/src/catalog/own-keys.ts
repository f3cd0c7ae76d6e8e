import type { Provider } from '../providers/provider.ts';
import type { ByokKey } from '../wire/byok.ts';
import type { Endpoint } from './catalog.ts';

/** A stored key that a caller may use, with its provider. */
export interface OwnKey {
  readonly key: ByokKey;
  /** The provider with that key; null where it cannot be used. */
  readonly provider: Provider | null;
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
      sorted.flatMap(({ key, provider }) =>
        provider !== null && key.is_fallback === isFallback && serves(key, endpoint)
          ? [toOwn(endpoint, key, provider)]
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
