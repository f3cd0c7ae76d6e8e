import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';
import type { ServiceTier } from './endpoint-tier.ts';
import type { SortKey } from './order-endpoints.ts';

/** The tiers a request admits: by `service_tier`; without one, `:nitro` and `:floor` admit a tier each, unless `order` has the word. */
export function tiersOf(
  { service_tier: tier, provider }: ChatCompletionRequest,
  variants: readonly string[],
): Set<ServiceTier> {
  const tiers = new Set<ServiceTier>();
  if (tier === 'priority' || tier === 'fast') tiers.add('priority');
  else if (tier === 'flex') tiers.add('flex');
  else if (tier !== 'default' && !provider?.order?.length) {
    if (variants.includes('nitro')) tiers.add('priority');
    if (variants.includes('floor')) tiers.add('flex');
  }
  return tiers;
}

/** What a request wants its endpoints sorted by, in so many words or by a variant; null when in neither. */
export function sortOf({ provider }: ChatCompletionRequest, variants: readonly string[]): SortKey | null {
  const sort = provider?.sort;
  return (typeof sort === 'string' ? sort : sort?.by) ?? sortOfVariants(variants);
}

/** The last of several wins, as the one nearest to the end of the slug. */
function sortOfVariants(variants: readonly string[]): SortKey | null {
  switch (variants.at(-1)) {
    case 'nitro':
      return 'throughput';
    case 'floor':
      return 'price';
    case 'exacto':
      return 'exacto';
    default:
      return null;
  }
}

/** Whether endpoints are sorted model by model or all together; `route` is the older way to say it. */
export function partitionOf({ provider, route }: ChatCompletionRequest): 'model' | 'none' {
  const sort = provider?.sort;
  const partitioned = typeof sort === 'object' ? sort?.partition : undefined;
  return partitioned ?? (route === 'sort' ? 'none' : 'model');
}
