import type { Catalog, Endpoint } from '../catalog/catalog.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { tierOf } from '../catalog/endpoint-tier.ts';

/**
 * The request as it is for this endpoint: its own tier's, whatever was asked for. Where a model has tiers as endpoints
 * of their own, an ordinary endpoint is asked for none; where it has not, the provider gets what the caller said.
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
