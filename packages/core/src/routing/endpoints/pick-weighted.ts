import { type Endpoint, priceOf } from '../../catalog/catalog.ts';
import { hashToUnit } from '../hash-text.ts';
import { endpointIdOf } from '../health/health-board.ts';
import type { RandomSource } from '../random.ts';

/**
 * Each endpoint's share of the load, in the given order: one over its squared price (wire.md 8.2). Free endpoints take
 * everything; those of unknown price get a share only where no price is known. The sum is 1.
 */
export function sharesOf(endpoints: readonly Endpoint[]): readonly number[] {
  const cheapest = Math.min(...endpoints.map(priceOf));
  // Relative to the cheapest, so that no price is too small to be squared. Equal ones, infinite or zero, weigh the same.
  const weights = endpoints.map((endpoint) => {
    const price = priceOf(endpoint);
    return price === cheapest ? 1 : (cheapest / price) ** 2;
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Draws one of at least one endpoints, each with the probability of its share (docs/decisions/0010). */
export function pickAtRandom(endpoints: readonly Endpoint[], random: RandomSource): Endpoint {
  const shares = sharesOf(endpoints);
  let left = random();
  const index = shares.findIndex((share) => (left -= share) < 0);
  // Sums of fractions can fall short of 1 by a hair.
  return endpoints[index === -1 ? shares.indexOf(Math.max(...shares)) : index] as Endpoint;
}

/**
 * Picks the same endpoint for the same key, and over many keys each in proportion to its share. When an endpoint is
 * removed only its own keys move (weighted rendezvous hashing), so no state has to be stored or shared.
 */
export function pickByKey(endpoints: readonly Endpoint[], key: string): Endpoint {
  const shares = sharesOf(endpoints);
  let best = 0;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const [index, endpoint] of endpoints.entries()) {
    // An exponential variable with the share as its rate: the probability that it is the smallest equals the share.
    const score = -Math.log(hashToUnit(`${key}\n${endpointIdOf(endpoint)}`)) / (shares[index] as number);
    if (score < bestScore) {
      best = index;
      bestScore = score;
    }
  }
  return endpoints[best] as Endpoint;
}
