import type { Endpoint } from '../catalog/catalog.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import {
  createFairPlaces,
  type FairPlaces,
  type PlaceLimits,
  type ReleasePlace,
  type TakeLease,
} from './fair-places.ts';

/**
 * How many calls may be under way at once. A part that is absent counts all together, `*` counts each separately, and a
 * name or id that one alone: without any, the limit is that of the gateway.
 */
export interface CallLimitRule {
  /** Name or hash of a key. */
  readonly key?: string | undefined;
  /** Id of a model. */
  readonly model?: string | undefined;
  /** Slug of a provider. */
  readonly provider?: string | undefined;
  readonly callsUnderWay: number;
  /** Default: calls beyond the limit are refused at once. */
  readonly queue?: { readonly length: number; readonly seconds: number } | undefined;
}

export interface CallLimitOptions {
  readonly rules: readonly CallLimitRule[];
  /** Counts the places of all processes together. Default: each process counts for itself. */
  readonly takeLease?: TakeLease | undefined;
}

/** A limit that a call at an endpoint has to find a place in. */
export interface CallScope {
  readonly id: string;
  readonly what: string;
  readonly limits: PlaceLimits;
  /** It is of the key alone, so that no other endpoint would have a place for the call. */
  readonly isOfKey: boolean;
}

export interface CallLimits {
  /** The limits that hold for a call of this principal to this endpoint, in the order to take them in; null for none. */
  of(principal: Principal, endpoint: Endpoint): readonly CallScope[] | null;
  take(scope: CallScope, caller: string, signal: AbortSignal): Promise<ReleasePlace>;
  /** These are the rules from now on; calls under way go on to count. */
  follow(options: CallLimitOptions | undefined): void;
}

/** Creates the limits of a gateway, without any. */
export function createCallLimits(platform: Pick<Platform, 'monotonicNow' | 'setTimer'>): CallLimits {
  let rules: readonly CallLimitRule[] = [];
  let takeLease: TakeLease | undefined;
  const placesById = new Map<string, FairPlaces>();
  return {
    of(principal, endpoint) {
      if (rules.length === 0) return null;
      const scopes = rules.flatMap((rule) => toScope(rule, principal, endpoint) ?? []);
      return scopes.length === 0 ? null : scopes;
    },
    take({ id, what, limits }, caller, signal) {
      let places = placesById.get(id);
      if (places === undefined) placesById.set(id, (places = createFairPlaces(id, platform, takeLease)));
      return places.take({ caller, limits, what, signal });
    },
    follow(options) {
      rules = options?.rules ?? [];
      takeLease = options?.takeLease;
      // Keys come and go: what is in use is held by those who use it.
      for (const [id, places] of placesById) {
        const { underWay, waiting } = places.count();
        if (underWay + waiting === 0) placesById.delete(id);
      }
    },
  };
}

/** Undefined where the rule does not hold. */
function toScope(rule: CallLimitRule, principal: Principal, endpoint: Endpoint): CallScope | undefined {
  const { key, model, provider, callsUnderWay, queue } = rule;
  const { slug, name } = endpoint.provider;
  const holds =
    matches(key, principal.name, principal.id) && matches(model, endpoint.modelId) && matches(provider, slug);
  if (!holds) return undefined;
  const parts = [
    ['key', key, principal.id],
    ['model', model, endpoint.modelId],
    ['provider', provider, slug],
  ] as const;
  const named = parts.filter(([, wanted]) => wanted !== undefined);
  const words = [model === undefined ? '' : endpoint.modelId, provider === undefined ? '' : `at ${name}`];
  const what =
    words.filter((word) => word !== '').join(' ') || (key === undefined ? 'this gateway' : 'models with this key');
  return {
    id: named.map(([part, wanted, value]) => `${part} ${wanted} ${value}`).join('\n') || 'all',
    what,
    limits: { callsUnderWay, queueLength: queue?.length ?? 0, queueMs: (queue?.seconds ?? 0) * 1000 },
    isOfKey: model === undefined && provider === undefined,
  };
}

const matches = (wanted: string | undefined, ...names: readonly string[]): boolean =>
  wanted === undefined || wanted === '*' || names.includes(wanted);
