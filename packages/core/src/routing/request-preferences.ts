import type { CallPreferences } from '../calls/call-kind.ts';
import type { ServiceTier } from '../catalog/catalog.ts';
import type { SortKey } from './endpoints/order-endpoints.ts';

/** Tiers by `service_tier`; without one, `:nitro` and `:floor` admit a tier each, unless `order` has the word. */
export function tiersOf(
  { serviceTier: tier, provider }: CallPreferences,
  variants: readonly string[],
): Set<ServiceTier> {
  const tiers = new Set<ServiceTier>();
  if (tier === 'priority' || tier === 'fast') tiers.add('priority');
  else if (tier === 'flex') tiers.add('flex');
  else if (tier !== 'default' && !provider.order?.length) {
    if (variants.includes('nitro')) tiers.add('priority');
    if (variants.includes('floor')) tiers.add('flex');
  }
  return tiers;
}

/** The sort order of a request, explicit or by a variant; null without either. */
export function sortOf({ provider }: CallPreferences, variants: readonly string[]): SortKey | null {
  const { sort } = provider;
  return (typeof sort === 'string' ? sort : sort?.by) ?? sortOfVariants(variants);
}

const SORT_OF_VARIANT: ReadonlyMap<string, SortKey> = new Map([
  ['nitro', 'throughput'],
  ['floor', 'price'],
  ['exacto', 'exacto'],
]);

/** When several variants sort, the last one in the slug takes precedence. */
function sortOfVariants(variants: readonly string[]): SortKey | null {
  const last = variants.findLast((variant) => SORT_OF_VARIANT.has(variant));
  return last === undefined ? null : (SORT_OF_VARIANT.get(last) ?? null);
}
