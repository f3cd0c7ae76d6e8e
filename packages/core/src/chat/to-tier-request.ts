import type { Catalog, Endpoint } from '../catalog/catalog.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { tierOf } from '../catalog/endpoint-tier.ts';

/**
 * Returns the request with the endpoint's own tier, whatever tier was requested. Where a model has tiers as separate
 * endpoints, an ordinary endpoint receives none; otherwise the provider receives the caller's value.
 */
export function toTierRequest(
  request: ChatCompletionRequest,
  endpoint: Endpoint,
  catalog: Catalog,
): ChatCompletionRequest {
  const tier = tierOf(endpoint);
  if (tier !== null) return { ...request, service_tier: tier };
  const asked = request.service_tier;
  if (asked !== 'priority' && asked !== 'fast' && asked !== 'flex') return request;
  const siblings = catalog.find(endpoint.modelId)?.endpoints ?? [];
  return siblings.some((sibling) => tierOf(sibling) !== null) ? { ...request, service_tier: null } : request;
}
