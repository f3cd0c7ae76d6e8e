import type { LiveAccount, RoutingDefaults } from '../account/account.ts';
import { CALL_KINDS, type CallKindName, type CallPreferences, type EndpointConstraint } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Catalog, Endpoint, ProviderNames } from '../catalog/catalog.ts';
import type { ProviderPreferences } from '../wire/routing.ts';

type NamesOfCatalog = Pick<Catalog, 'providerNames'>;

/** Whether an endpoint's provider is a gateway that gets the names of providers in such calls. */
const takesNames = ({ provider }: Endpoint, kind: CallKindName): boolean =>
  provider.gateway !== undefined && CALL_KINDS[kind].sendsPreferences;

/** Whether an endpoint's provider is a gateway that may know a provider of a list, and gets the list. */
export const mayKnow = (
  names: readonly string[],
  endpoint: Endpoint,
  { kind, catalog }: { readonly kind: CallKindName; readonly catalog?: NamesOfCatalog | undefined },
): boolean => takesNames(endpoint, kind) && catalog !== undefined && names.some(catalog.providerNames.isForeign);

/**
 * Without the names that a gateway among the endpoints of a call gets: whether a provider behind it has them, it must know
 * itself.
 */
export function withoutOnwardNames(
  names: readonly string[],
  endpoints: readonly Endpoint[],
  { kind, catalog }: { readonly kind: CallKindName; readonly catalog: NamesOfCatalog },
): readonly string[] {
  if (!endpoints.some((endpoint) => takesNames(endpoint, kind))) return names;
  return names.filter((name) => !catalog.providerNames.isForeign(name));
}

interface OnwardDemands {
  /** The caller's. */
  readonly asked: ProviderPreferences | null | undefined;
  readonly account: Pick<LiveAccount, 'privacy' | 'writtenProviders'>;
  readonly constraints: readonly EndpointConstraint[];
  readonly catalog: NamesOfCatalog;
}

/**
 * The preferences for an endpoint's provider that is a gateway itself. It has to keep to every demand on privacy, from
 * the caller, the account or a guardrail, as this gateway does; of names it gets those that are not of this one, all
 * names as they were written, because slugs of the configuration mean nothing to it. Undefined where there are no
 * preferences.
 */
export function toOnwardPreferences(
  endpoint: Endpoint,
  { asked, account, constraints, catalog }: OnwardDemands,
): ProviderPreferences | undefined {
  const { isForeign } = catalog.providerNames;
  const {
    only,
    order,
    ignore,
    zdr,
    data_collection: collection,
    sort,
    continue_broken_streams: _,
    continue_with_other_models: _models,
    hold_stream: _hold,
    fallback_on_refusal: _refusal,
    ...others
  } = asked ?? {};
  const demands = constraints.flatMap((constraint) => constraint.onward?.(endpoint) ?? []);
  const ignored = [ignore, account.writtenProviders?.ignore, ...demands.map((demand) => demand.ignore)];
  const isDenied =
    collection === 'deny' ||
    account.privacy?.allowTraining === false ||
    demands.some(({ training }) => training === false);
  const isZdr = zdr === true || account.privacy?.zdr === true || demands.some((demand) => demand.zdr === true);
  return withoutEmpty({
    ...others,
    sort: typeof sort === 'object' ? sort?.by : sort,
    only: only?.filter(isForeign),
    order: order?.filter(isForeign),
    ignore: [...new Set(ignored.flatMap((names) => names ?? []))],
    zdr: isZdr ? true : zdr,
    data_collection: isDenied ? 'deny' : collection,
  });
}

/** Leaves out absent values and empty lists; undefined when nothing is left. */
function withoutEmpty(preferences: ProviderPreferences): ProviderPreferences | undefined {
  const present = Object.entries(preferences).filter(
    ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return present.length === 0 ? undefined : Object.fromEntries(present);
}

/**
 * The preferences of a request, with the account's where it says nothing. An order, a sort, a service tier or a variant
 * that sorts stands against the account's order and sort together: half of one and half of the other serves neither.
 */
export function withAccountDefaults(
  preferences: CallPreferences,
  slugs: readonly string[],
  defaults: RoutingDefaults | undefined,
): CallPreferences {
  if (defaults === undefined) return preferences;
  const { provider } = preferences;
  const { order, sort, ...others } = defaults;
  const saysOrder = hasOrder(preferences) || slugs.some((slug) => SORTING_VARIANT.test(slug));
  return {
    ...preferences,
    provider: {
      ...provider,
      ...(!saysOrder && order !== undefined && { order }),
      ...(!saysOrder && sort !== undefined && { sort }),
      allow_fallbacks: provider.allow_fallbacks ?? others.allow_fallbacks,
      max_price: others.max_price === undefined ? provider.max_price : { ...others.max_price, ...provider.max_price },
    },
  };
}

/** What a gateway upstream is to prefer: what the call asks for, else the account, names as they were written. */
export function preferencesUpstream(
  call: Pick<ModelCall, 'kind' | 'request'>,
  { writtenDefaults }: Pick<LiveAccount, 'writtenDefaults'>,
): ProviderPreferences {
  const preferences = call.kind.preferencesOf(call.request);
  if (writtenDefaults === undefined) return preferences.provider;
  return withAccountDefaults(preferences, slugsOf(call), writtenDefaults).provider;
}

/** The slugs of the models that a call names. */
export function slugsOf({ kind, request }: Pick<ModelCall, 'kind' | 'request'>): readonly string[] {
  const { model, models } = kind.modelsOf(request);
  return [...(model == null ? [] : [model]), ...(models ?? [])];
}

const SORTING_VARIANT = /:(nitro|floor|exacto)(:|$)/;

function hasOrder({ provider: { order, sort }, serviceTier }: CallPreferences): boolean {
  const key = typeof sort === 'string' ? sort : sort?.by;
  const isTier = serviceTier === 'priority' || serviceTier === 'fast' || serviceTier === 'flex';
  return (order?.length ?? 0) > 0 || key != null || isTier;
}

interface NamedPreferences {
  /** The same preferences with slugs and tags in their lists of providers. */
  readonly preferences: CallPreferences;
  /** Names that neither a provider nor a preset has, as they were written. */
  readonly unknownProviders: readonly string[];
}

const LISTS = ['order', 'only', 'ignore'] as const;
/** Limit of the unknown names that are reported: a request may have very many. */
const MAX_REPORTED = 100;

/**
 * Looks up the names of providers in a request that has some, once for all endpoints. Unknown names are no error:
 * clients of the public API name providers that this gateway does not have.
 */
export function nameProviders(preferences: CallPreferences, names: ProviderNames): NamedPreferences {
  const written = preferences.provider;
  const provider: ProviderPreferences = { ...written };
  const unknown = new Set<string>();
  for (const list of LISTS) {
    const given = written[list];
    if (!given?.length) continue;
    provider[list] = [...names.toTags(given)];
    for (const name of given) if (!names.isKnown(name)) unknown.add(name);
  }
  return { preferences: { ...preferences, provider }, unknownProviders: [...unknown].slice(0, MAX_REPORTED) };
}
