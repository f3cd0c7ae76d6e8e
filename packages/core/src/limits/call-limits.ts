import type { Endpoint } from '../catalog/catalog.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import type { SettingsRepository } from '../stores/store.ts';
import type { StoredCallLimit } from '../wire/limits.ts';
import type { StoredSettings } from '../wire/settings.ts';
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
  /** Tells the processes of each other's counts. Default: each process knows its own alone. */
  readonly sharedCounts?: SharedCallCounts | undefined;
}

/** What the processes of a gateway tell each other about their calls. */
export interface SharedCallCounts {
  /**
   * Tells the others from now on what `read` returns; null while there is nothing to tell. `read` never throws. Replaces
   * the `read` before.
   */
  tell(read: () => readonly ToldCallCount[] | null): void;
  /** What the others have told, a list for each process that is alive. Rejects while they cannot be asked. */
  readOthers(): Promise<readonly (readonly ToldCallCount[])[]>;
}

/** The calls of one process that are counted together. Plain data, for JSON. */
export interface ToldCallCount extends CountedCalls {
  /** By `idOfRule`. */
  readonly rule: string;
}

/** Whose calls are counted together; a part that is absent counts all. */
interface Counted {
  /** The id of a key. */
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

/** A limit that a call at an endpoint has to find a place in. */
export interface CallScope {
  readonly id: string;
  /** The rule that it comes from. */
  readonly rule: SourcedCallLimit;
  readonly counted: Counted;
  readonly what: string;
  readonly limits: PlaceLimits;
  /** It is of the key alone, so that no other endpoint would have a place for the call. */
  readonly isOfKey: boolean;
}

export interface SourcedCallLimit extends CallLimitRule {
  readonly source: 'config' | 'stored';
}

/** The calls of one rule that are counted together. */
interface CountedCalls extends Counted {
  readonly underWay: number;
  readonly waiting: number;
}

interface CallCounts {
  /** How many processes are counted. */
  readonly instances: number;
  /** Why the others are not counted; null where nothing is missing. */
  readonly missing: string | null;
  of(rule: CallLimitRule): readonly CountedCalls[];
}

export interface CallLimits {
  /** The rules that apply: those of the configuration, then those that were stored. */
  rules(): readonly SourcedCallLimit[];
  /** What has calls under way or waiting at all processes that tell; at this one alone where the others cannot be asked. */
  count(): Promise<CallCounts>;
  /** The limits that hold for a call of this principal to this endpoint, in the order to take them in; null for none. */
  of(principal: Principal, endpoint: Endpoint): readonly CallScope[] | null;
  take(scope: CallScope, caller: string, signal: AbortSignal): Promise<ReleasePlace>;
  /** These are the rules from now on; calls under way go on to count. */
  follow(options: CallLimitOptions | undefined): void;
}

/** Creates the limits of a gateway, without any. */
export function createCallLimits(
  platform: Pick<Platform, 'monotonicNow' | 'setTimer'>,
  settings?: Pick<SettingsRepository, 'get'>,
): CallLimits {
  let configured: readonly CallLimitRule[] = [];
  let stored: StoredSettings['call_limits'];
  let rules: readonly SourcedCallLimit[] = [];
  let takeLease: TakeLease | undefined;
  let sharedCounts: SharedCallCounts | undefined;
  const placesById = new Map<string, { readonly scope: CallScope; readonly places: FairPlaces }>();
  /** Read again for every call: another process may have changed them. */
  const current = (): readonly SourcedCallLimit[] => {
    const present = settings?.get().call_limits;
    if (present !== stored) {
      stored = present;
      apply();
    }
    return rules;
  };
  const apply = (): void => {
    rules = combineCallLimits(configured, stored);
    const byId = new Map(rules.map((rule) => [idOfRule(rule), rule]));
    for (const [id, { scope, places }] of placesById) {
      const { underWay, waiting } = places.count();
      // Keys come and go: what is in use is held by those who use it.
      if (underWay + waiting === 0) placesById.delete(id);
      // Where the limit is gone, nobody has to wait for it any more.
      else places.resize(byId.get(idOfRule(scope.rule))?.callsUnderWay ?? Number.MAX_SAFE_INTEGER);
    }
  };
  const hasRules = (): boolean => {
    try {
      return current().length > 0;
    } catch {
      // A store that has not been read yet takes no calls, and what asks here has nobody who could be told.
      return false;
    }
  };
  const countOwn = (): readonly ToldCallCount[] =>
    [...placesById.values()].flatMap(({ scope, places }) => {
      const { underWay, waiting } = places.count();
      return underWay + waiting > 0 ? [{ ...scope.counted, rule: idOfRule(scope.rule), underWay, waiting }] : [];
    });
  return {
    rules: current,
    async count() {
      let others: readonly (readonly ToldCallCount[])[] = [];
      let missing: string | null = null;
      try {
        others = (await sharedCounts?.readOthers()) ?? [];
      } catch (error) {
        missing = `Counted at this instance alone: ${error instanceof Error ? error.message : 'the others cannot be asked'}`;
      }
      const counts = [...others.flat(), ...countOwn()];
      return { instances: others.length + 1, missing, of: (rule) => addUp(counts, idOfRule(rule)) };
    },
    of(principal, endpoint) {
      const rules = current();
      if (rules.length === 0) return null;
      const scopes = rules.flatMap((rule) => toScope(rule, principal, endpoint) ?? []);
      return scopes.length === 0 ? null : scopes;
    },
    take(scope, caller, signal) {
      const { id, what, limits } = scope;
      let held = placesById.get(id);
      if (held === undefined) {
        placesById.set(id, (held = { scope, places: createFairPlaces(id, platform, takeLease) }));
      }
      return held.places.take({ caller, limits, what, signal });
    },
    follow(options) {
      configured = options?.rules ?? [];
      takeLease = options?.takeLease;
      sharedCounts = options?.sharedCounts;
      sharedCounts?.tell(() => (hasRules() ? countOwn() : null));
      apply();
    },
  };
}

/** The counts of one rule: what several processes count together is one. */
function addUp(counts: readonly ToldCallCount[], wanted: string): readonly CountedCalls[] {
  const sums = new Map<string, CountedCalls>();
  for (const { rule, key, model, provider, underWay, waiting } of counts) {
    if (rule !== wanted) continue;
    const id = JSON.stringify([key, model, provider]);
    const sum = sums.get(id);
    sums.set(id, {
      key,
      model,
      provider,
      underWay: underWay + (sum?.underWay ?? 0),
      waiting: waiting + (sum?.waiting ?? 0),
    });
  }
  return [...sums.values()];
}

/** Two rules of the same parts are one limit. */
export const idOfRule = ({ key, model, provider }: CallLimitRule): string =>
  JSON.stringify([key ?? null, model ?? null, provider ?? null]);

/** What the configuration limits, stored rules do not change. */
function combineCallLimits(
  configured: readonly CallLimitRule[],
  stored: readonly StoredCallLimit[] = [],
): readonly SourcedCallLimit[] {
  const known = new Set(configured.map(idOfRule));
  return [
    ...configured.map((rule) => ({ ...rule, source: 'config' as const })),
    ...stored.map(toCallLimitRule).filter((rule) => !known.has(idOfRule(rule))),
  ];
}

/** A rule as the API has it in the form of the configuration. */
export const toCallLimitRule = ({
  key,
  model,
  provider,
  calls_under_way,
  queue,
}: StoredCallLimit): SourcedCallLimit => ({
  key: key ?? undefined,
  model: model ?? undefined,
  provider: provider ?? undefined,
  callsUnderWay: calls_under_way,
  queue: queue ?? undefined,
  source: 'stored',
});

/** Undefined where the rule does not hold. */
function toScope(rule: SourcedCallLimit, principal: Principal, endpoint: Endpoint): CallScope | undefined {
  const { key, model, provider, callsUnderWay, queue } = rule;
  const { slug } = endpoint.provider;
  const holds =
    matches(key, principal.name, principal.id) && matches(model, endpoint.modelId) && matches(provider, slug);
  if (!holds) return undefined;
  const parts = [
    ['key', key, principal.id],
    ['model', model, endpoint.modelId],
    ['provider', provider, slug],
  ] as const;
  const named = parts.filter(([, wanted]) => wanted !== undefined);
  return {
    id: named.map(([part, wanted, value]) => `${part} ${wanted} ${value}`).join('\n') || 'all',
    rule,
    counted: Object.fromEntries(named.map(([part, , value]) => [part, value])),
    what: nameScope(rule, endpoint),
    limits: { callsUnderWay, queueLength: queue?.length ?? 0, queueMs: (queue?.seconds ?? 0) * 1000 },
    isOfKey: model === undefined && provider === undefined,
  };
}

/** What calls are too many to, for the message of a refusal. */
function nameScope({ key, model, provider }: SourcedCallLimit, { modelId, provider: { name } }: Endpoint): string {
  if (model !== undefined) return provider === undefined ? modelId : `${modelId} at ${name}`;
  if (provider !== undefined) return name;
  return key === undefined ? 'this gateway' : 'models with this key';
}

const matches = (wanted: string | undefined, ...names: readonly string[]): boolean =>
  wanted === undefined || wanted === '*' || names.includes(wanted);
