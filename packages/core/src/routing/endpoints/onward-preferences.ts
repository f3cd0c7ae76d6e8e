import type { AccountOptions } from '../../auth/account.ts';
import { CALL_KINDS, type CallKindName } from '../../calls/call-kind.ts';
import type { Narrowing } from '../../calls/narrowing.ts';
import type { Catalog, Endpoint } from '../../catalog/catalog.ts';
import type { ProviderPreferences } from '../../wire/chat/provider-preferences.ts';

type ProviderNames = Pick<Catalog, 'hasProvider'>;

/**
 * The names that only a gateway behind an endpoint can know: no provider of this one has them. A name may have a region
 * or a variant behind a slash.
 */
export function foreignNames(names: readonly string[] | null | undefined, { hasProvider }: ProviderNames): string[] {
  return (names ?? []).filter((name) => !hasProvider(name.split('/', 1)[0] ?? name));
}

/** Whether an endpoint's provider is a gateway that may know a provider of a list, and gets the list. */
export const mayKnow = (
  names: readonly string[],
  { provider }: Endpoint,
  { kind, catalog }: { readonly kind: CallKindName; readonly catalog?: ProviderNames | undefined },
): boolean =>
  provider.gateway !== undefined &&
  CALL_KINDS[kind].sendsPreferences &&
  catalog !== undefined &&
  foreignNames(names, catalog).length > 0;

export interface OnwardDemands {
  /** The caller's. */
  readonly asked: ProviderPreferences | null | undefined;
  readonly account: AccountOptions;
  readonly narrowings: readonly Narrowing[];
  readonly catalog: ProviderNames;
}

/**
 * The preferences for an endpoint's provider that is a gateway itself. It has to keep to every demand on privacy, from
 * the caller, the account or a guardrail, as this gateway does; of names it gets those that are not of this one.
 * Undefined where there are no preferences.
 */
export function toOnwardPreferences(
  endpoint: Endpoint,
  { asked, account, narrowings, catalog }: OnwardDemands,
): ProviderPreferences | undefined {
  const { only, order, ignore, zdr, data_collection: collection, sort, ...others } = asked ?? {};
  const demands = narrowings.flatMap((narrowing) => narrowing.onward?.(endpoint) ?? []);
  const ignored = [ignore, account.providers?.ignore, ...demands.map((demand) => demand.ignore)];
  const isDenied =
    collection === 'deny' ||
    account.privacy?.allowTraining === false ||
    demands.some(({ training }) => training === false);
  const isZdr = zdr === true || account.privacy?.zdr === true || demands.some((demand) => demand.zdr === true);
  return withoutNothing({
    ...others,
    sort: typeof sort === 'object' ? sort?.by : sort,
    only: foreignNames(only, catalog),
    order: foreignNames(order, catalog),
    ignore: [...new Set(ignored.flatMap((names) => names ?? []))],
    zdr: isZdr ? true : zdr,
    data_collection: isDenied ? 'deny' : collection,
  });
}

/** Undefined for an object of absent values and empty lists alone. */
function withoutNothing(preferences: ProviderPreferences): ProviderPreferences | undefined {
  const present = Object.entries(preferences).filter(
    ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return present.length === 0 ? undefined : Object.fromEntries(present);
}
