import type { LiveAccount } from '../../account/account.ts';
import { CALL_KINDS, type CallKindName, type Narrowing } from '../../calls/call-kind.ts';
import type { Catalog, Endpoint } from '../../catalog/catalog.ts';
import type { ProviderPreferences } from '../../wire/routing.ts';

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
 * Without the names that a gateway among the endpoints of a call gets: whether somebody behind it has them, it must know
 * itself.
 */
export function withoutOnwardNames(
  names: readonly string[],
  endpoints: readonly Endpoint[],
  { kind, catalog }: { readonly kind: CallKindName; readonly catalog: NamesOfCatalog },
): readonly string[] {
  if (names.length === 0 || !endpoints.some((endpoint) => takesNames(endpoint, kind))) return names;
  return names.filter((name) => !catalog.providerNames.isForeign(name));
}

export interface OnwardDemands {
  /** The caller's. */
  readonly asked: ProviderPreferences | null | undefined;
  readonly account: Pick<LiveAccount, 'privacy' | 'writtenProviders'>;
  readonly narrowings: readonly Narrowing[];
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
  { asked, account, narrowings, catalog }: OnwardDemands,
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
    ...others
  } = asked ?? {};
  const demands = narrowings.flatMap((narrowing) => narrowing.onward?.(endpoint) ?? []);
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
