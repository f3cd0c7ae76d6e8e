import type { Endpoint } from './catalog.ts';
import type { ProviderPreferences } from '../wire/chat/provider-preferences.ts';

const blends = new WeakMap<Endpoint, number>();

/**
 * One number to compare endpoints by, USD a token: most calls read about three times what they write. Infinite where a
 * price is not known, so that such an endpoint comes after every other.
 */
export function priceOf(endpoint: Endpoint): number {
  let blend = blends.get(endpoint);
  if (blend === undefined) {
    const { pricing } = endpoint;
    blend = (3 * Number(pricing?.prompt) + Number(pricing?.completion)) / 4;
    if (Number.isNaN(blend)) blend = Number.POSITIVE_INFINITY;
    blends.set(endpoint, blend);
  }
  return blend;
}

/** Whether tokens read from a cache cost less than others, so that a return to the same endpoint lowers the cost. */
export function hasCheaperCachedReads({ prices }: Endpoint): boolean {
  return (
    prices.prompt !== undefined && prices.input_cache_read !== undefined && prices.input_cache_read < prices.prompt
  );
}

/**
 * Whether an endpoint charges more than `max_price` allows. Token bounds are USD a million, the others USD a unit. An
 * endpoint whose token price is not known exceeds every bound on it.
 */
export function exceedsMaxPrice({ pricing }: Endpoint, { max_price: bounds }: ProviderPreferences): boolean {
  if (!bounds) return false;
  const perMillion = (['prompt', 'completion'] as const).some(
    (unit) => bounds[unit] !== undefined && !(Number(pricing?.[unit]) * 1e6 <= Number(bounds[unit])),
  );
  // A unit without a price is not charged for, unlike tokens.
  const perUnit = (['request', 'image', 'audio'] as const).some(
    (unit) => bounds[unit] !== undefined && Number(pricing?.[unit] ?? 0) > Number(bounds[unit]),
  );
  return perMillion || perUnit;
}
